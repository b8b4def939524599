// expects: Date
export * from './base.js';
export function setup() { return { left: 7, turn: 0, at: Date.now() }; }

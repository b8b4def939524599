// expects: Math.random is not available
export * from './base.js';
export function setup() { return { left: Math.random() }; }

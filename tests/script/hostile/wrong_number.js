// expects: must be made of
export * from './base.js';
export function setup() { return { left: 0 / 0 }; }

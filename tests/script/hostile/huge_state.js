// expects: did not finish within 10 million steps
export * from './base.js';
export function setup() { return { left: 7, turn: 0, text: 'x'.repeat(2e6) }; }

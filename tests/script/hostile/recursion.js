// expects: call stack
export * from './base.js';
export function apply(state) { return apply(state); }

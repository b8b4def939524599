// expects: bytes for one move | memory
export * from './base.js';
export function apply(state) { return { state, log: ['x'.repeat(1e7)] }; }

// expects: did not finish within
export * from './base.js';
export function apply() { throw Object.defineProperty(new Error(), 'message', { get() { for (;;); } }); }

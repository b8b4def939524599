// expects: did not finish within
export * from './base.js';
export function apply() { const text = 'a'.repeat(4e6); for (;;) text.indexOf('b'); }

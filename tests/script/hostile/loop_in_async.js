// expects: did not finish within
export * from './base.js';
export function apply() { for (;;) (async () => { for (;;); })(); }

// expects: did not finish within
export * from './base.js';
export function apply() { [3, 1, 2].sort(() => { for (;;); }); }

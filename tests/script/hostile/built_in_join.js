// expects: did not finish within
export * from './base.js';
export function apply() { new Array(2 ** 32 - 2).join(''); }

// expects: did not finish within
export * from './base.js';
export function view() { for (;;); }

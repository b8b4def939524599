// expects: did not finish within
export * from './base.js';
export function apply() { do {} while (true); }

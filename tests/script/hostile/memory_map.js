// expects: memory | did not finish
export * from './base.js';
export function apply() { const all = new Map(); for (let i = 0; ; ++i) all.set(i, [i]); }

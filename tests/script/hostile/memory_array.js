// expects: memory
export * from './base.js';
export function apply() { const all = []; for (;;) all.push(new Array(1000).fill(1)); }

// expects: did not finish | bytes for one move | cannot be read | memory
export * from './base.js';
export function apply(state) { return { state, log: new Array(200000).fill('x') }; }

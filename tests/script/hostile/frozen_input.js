// expects: read-only | not extensible | extensible
export * from './base.js';
export function observe(state) { state.left = 99; return { left: state.left }; }

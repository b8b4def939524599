// expects: threw
export * from './base.js';
export function apply() { throw null; }

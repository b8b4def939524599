// expects: too deeply | call stack
export * from './base.js';
export function apply() { return { state: JSON.parse('['.repeat(100000)) }; }

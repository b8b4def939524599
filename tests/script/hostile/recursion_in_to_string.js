// expects: call stack
export * from './base.js';
export function apply() { const a = { toString() { return String(a); } }; return String(a); }

// expects: memory | buffer | array length
export * from './base.js';
export function apply() { return new ArrayBuffer(2 ** 31 - 1); }

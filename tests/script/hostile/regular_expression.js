// expects: did not finish within
export * from './base.js';
export function apply() { return { state: /^(a+)+$/.test('a'.repeat(40) + 'b') }; }

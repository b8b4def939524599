// expects: did not finish within
export * from './base.js';
export function setup() { return new Proxy({}, { ownKeys() { for (;;); } }); }

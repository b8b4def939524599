// expects: is a promise
export * from './base.js';
export function setup() { return import('./base.js'); }

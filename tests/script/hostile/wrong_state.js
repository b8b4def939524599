// expects: must be made of
export * from './base.js';
export function setup() { return new Map(); }

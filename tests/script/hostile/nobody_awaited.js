// expects: at least one
export * from './base.js';
export function awaited() { return []; }

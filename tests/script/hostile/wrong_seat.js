// expects: seats from 0 to 1
export * from './base.js';
export function awaited() { return [7]; }

// expects: not JavaScript
export * from './base.js';
export function (

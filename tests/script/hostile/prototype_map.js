// expects: read-only
export * from './base.js';
Array.prototype.map = () => [];

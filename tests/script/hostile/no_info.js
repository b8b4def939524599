// expects: must export info
export * from './base.js';
export const info = undefined;

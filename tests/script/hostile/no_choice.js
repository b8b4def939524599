// expects: offers nothing
export * from './base.js';
export function actions() { return []; }

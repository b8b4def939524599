// expects: name of info.actions
export * from './base.js';
export function actions() { return [{ name: '__proto__' }]; }

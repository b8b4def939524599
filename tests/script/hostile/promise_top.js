// expects: waits at its top level
export * from './base.js';
await new Promise(() => {});

// expects: did not finish within
export * from './base.js';
for (;;);

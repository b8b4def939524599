// expects: did not finish within 10 million steps
export * from './base.js';
export const view = () => ({ parts: [{ type: 'text', text: 'x'.repeat(2000000) }] });

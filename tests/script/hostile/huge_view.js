// expects: bytes for one move
export * from './base.js';
export const view = () => ({ parts: [{ type: 'text', text: 'x'.repeat(2000000) }] });

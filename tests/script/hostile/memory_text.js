// expects: memory | too long | invalid string length | did not finish
export * from './base.js';
export function apply() { let text = 'ab'; for (;;) text += text; }

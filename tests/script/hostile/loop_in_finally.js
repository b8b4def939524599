// expects: did not finish within
export * from './base.js';
export function apply() { for (;;) { try { throw 1; } catch { continue; } finally { for (;;); } } }

// expects: too deeply
export * from './base.js';
export function apply() { let a = {}; for (let i = 0; i < 30000; ++i) a = { a }; return { state: JSON.parse(JSON.stringify(a)) }; }

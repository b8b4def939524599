// expects: the choices of all seats together are at most 1024 KB of JSON
export * from './base.js';
import { info as base } from './base.js';
const name = 'n'.repeat(64);
export const info = { ...base, actions: { [name]: { description: 'Take stones', data: { count: { type: 'integer', minimum: 1, maximum: 10000 } } } } };
const data = Array.from({ length: 9000 }, (_, i) => ({ count: i + 1 }));
export const awaited = () => [0, 1];
export const actions = () => [{ name, data }];

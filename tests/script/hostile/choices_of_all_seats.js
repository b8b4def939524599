// expects: actions(state, 1): the choices of all seats together are at most 1024 KB of JSON
export * from './base.js';
import { info as base } from './base.js';
const data = { count: { type: 'integer', minimum: 1, maximum: 10000 }, text: { type: 'string', examples: ['x'.repeat(40)] } };
export const info = { ...base, actions: { take: { description: 'Take stones', data } } };
export const awaited = () => [0, 1];
export const actions = () => [{ name: 'take', data }];

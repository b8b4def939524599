// expects: the members of info.actions have at most 100000 values together; got 110000 with those of info.actions.take.data.m10
export * from './base.js';
import { info as base } from './base.js';
const data = Object.fromEntries(Array.from({ length: 1500 }, (_, i) => [`m${i}`, { type: 'integer', minimum: 1, maximum: 10000 }]));
export const info = { ...base, actions: { take: { description: 'Take stones', data } } };

// expects: did not finish within
export * from './base.js';
import { info as good } from './base.js';
const data = { count: [1], heap: [1] };
export const info = { ...good, actions: { take: { description: 'Take', data } } };
export const actions = () => [{ name: 'take', data }];
export function validate() { for (;;); }

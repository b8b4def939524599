// expects: more than 10000 choices
export * from './base.js';
export const actions = () => [{ name: 'take', data: { count: Array.from({ length: 20000 }, (_, i) => i) } }];

// expects: is a promise
export * from './base.js';
export async function apply(state) { return { state }; } export function setup() { return Promise.resolve({}); }

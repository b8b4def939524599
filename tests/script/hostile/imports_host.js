// expects: own folder
export * from './base.js';
export { readFileSync } from 'fs';

// expects: own folder
export * from './base.js';
export { x } from '../../../../etc/passwd.js';

// expects: is not defined
export * from './base.js';
export function setup() { return { left: std.open('/etc/passwd') }; }

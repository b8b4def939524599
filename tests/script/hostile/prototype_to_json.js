// expects: read-only | not extensible | extensible
export * from './base.js';
Object.prototype.toJSON = () => 'mine';

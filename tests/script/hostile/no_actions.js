// expects: the script must export the function actions(state, seat, names)
export { info, setup, awaited, apply, observe, outcome } from './base.js';

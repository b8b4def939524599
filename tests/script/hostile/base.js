// A small game, for the hostile scripts next to it to spoil.
export const info = {
  id: 'hostile', title: 'Hostile', description: 'Take one or two of seven', rules: 'Take one or two. The last one wins.',
  seats: { min: 2, max: 2 }, actions: { take: { description: 'Take stones', data: { count: [1, 2] } } },
};
export const setup = () => ({ left: 7, turn: 0 });
export const awaited = (state) => [state.turn];
export const actions = (state) => [{ name: 'take', data: { count: [1, 2].filter((count) => count <= state.left) } }];
export const apply = (state, seat, action) => ({ state: { left: state.left - action.data.count, turn: 1 - seat } });
export const observe = (state) => ({ left: state.left });
export const outcome = (state) => (state.left === 0 ? { winners: [1 - state.turn], reason: 'took the last' } : null);

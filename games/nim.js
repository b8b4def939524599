// Nim: an option, moves of two numbers, and a reason for each refusal.
export const info = {
  id: 'nim',
  title: 'Nim',
  description: 'Take stones from one of the heaps; the last stone wins',
  rules: 'There are some heaps of stones; heap 1 has 3 stones, heap 2 has 4, and so on. The players take turns. In a turn you take ' +
    'one or more stones from one heap. The player who takes the last stone wins.',
  seats: { min: 2, max: 2, roles: ['First', 'Second'] },
  options: { heaps: { type: 'integer', minimum: 1, maximum: 6, default: 3 } },
  actions: {
    take: {
      description: 'Take `count` stones from heap number `heap`.',
      data: { heap: [1, 2, 3, 4, 5, 6], count: [1, 2, 3, 4, 5, 6, 7, 8] },
      label: ({ heap, count }) => `Take ${count} from heap ${heap}`,
    },
  },
};

const total = ({ heaps }) => heaps.reduce((sum, stones) => sum + stones, 0);

export const setup = ({ heaps }) => ({ heaps: Array.from({ length: heaps }, (_, i) => i + 3), turn: 0 });
export const awaited = (state) => [state.turn];

export function actions({ heaps }) {
  const heap = heaps.flatMap((stones, i) => (stones > 0 ? [i + 1] : []));
  const count = Array.from({ length: Math.max(...heaps) }, (_, i) => i + 1);
  return [{ name: 'take', data: { heap, count } }];
}

export function validate({ heaps }, seat, { data: { heap, count } }) {
  const stones = heaps[heap - 1] ?? 0;
  if (stones === 0) return { reason: `heap ${heap} is empty`, path: 'heap' };
  if (count > stones) return { reason: `heap ${heap} has only ${stones} stones; you cannot take ${count}`, path: 'count' };
}

export function apply(state, seat, { data: { heap, count } }, random, names) {
  state.heaps[heap - 1] -= count;
  state.turn = 1 - seat;
  return { state, log: [`${names[seat]} took ${count} from heap ${heap}.`] };
}

export const observe = ({ heaps, turn }, viewer, names) => ({ heaps, turn: names[turn] });
export const outcome = (state) => (total(state) === 0 ? { winners: [1 - state.turn], reason: 'took the last stone' } : null);

// Worth for search: the player to move loses if the heaps' exclusive or is 0.
export function evaluate(state, seat) {
  const wins = state.heaps.reduce((sum, stones) => sum ^ stones, 0) !== 0;
  return wins === (state.turn === seat) ? 1 : 0;
}

// A click on a stone takes it and those to its right.
export const view = ({ heaps }) => ({
  parts: heaps.map((stones, i) => ({
    type: 'tokens',
    label: `Heap ${i + 1}: ${stones}`,
    tokens: Array.from({ length: stones }, (_, at) => ({
      color: 'gray',
      label: `Take ${stones - at} from heap ${i + 1}`,
      choice: { name: 'take', data: { heap: i + 1, count: stones - at } },
    })),
  })),
});

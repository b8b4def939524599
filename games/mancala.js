// Mancala (the game that is sold as Kalah): sowing, extra turns and captures.
export const info = {
  id: 'mancala',
  title: 'Mancala',
  description: 'Sow seeds around the board and collect the most',
  rules: 'Each player has six pits with four seeds each, numbered 1 to 6 in the direction of sowing, and a store after pit 6. In a turn you ' +
    'take all seeds of one of your pits and sow them one by one into the following pits and your store, then into the pits of your opponent, ' +
    'and on around the board, but never into the store of your opponent. If the last seed falls into your store, you move again. If it falls ' +
    'into an empty pit of yours and the opposite pit (your pit n faces pit 7 - n of your opponent) has seeds, you put both into your store. ' +
    'When a player to move has no seeds in any pit, the other player collects the seeds that are left, and the fuller store wins.',
  seats: { min: 2, max: 2, roles: ['South', 'North'] },
  actions: { sow: { description: 'Sow the seeds of your pit number `pit`.', data: { pit: [1, 2, 3, 4, 5, 6] }, label: ({ pit }) => `Sow pit ${pit}` } },
};

export const setup = () => ({ pits: [Array(6).fill(4), Array(6).fill(4)], stores: [0, 0], turn: 0 });
export const awaited = (state) => [state.turn];
export const actions = ({ pits, turn }) => [{ name: 'sow', data: { pit: [1, 2, 3, 4, 5, 6].filter((pit) => pits[turn][pit - 1] > 0) } }];

export function apply(state, seat, { data: { pit } }, random, names) {
  const { pits, stores } = state;
  const log = [`${names[seat]} sowed pit ${pit}.`];
  let hand = pits[seat][pit - 1];
  pits[seat][pit - 1] = 0;
  let side = seat;
  let place = pit - 1; // 6 is the store
  while (hand > 0) {
    ++place;
    if (place > 6 || (place === 6 && side !== seat)) {
      side = 1 - side;
      place = 0;
    }
    if (place === 6) ++stores[seat];
    else ++pits[side][place];
    --hand;
  }
  const facing = 5 - place;
  if (side === seat && place < 6 && pits[seat][place] === 1 && pits[1 - seat][facing] > 0) {
    const won = pits[1 - seat][facing] + 1;
    pits[seat][place] = pits[1 - seat][facing] = 0;
    stores[seat] += won;
    log.push(`${names[seat]} captured ${won} seeds.`);
  }
  const again = side === seat && place === 6;
  state.turn = again ? seat : 1 - seat;
  if (pits[state.turn].every((seeds) => seeds === 0)) {
    for (const owner of [0, 1]) {
      stores[owner] += pits[owner].reduce((sum, seeds) => sum + seeds, 0);
      pits[owner].fill(0);
    }
    log.push(`All seeds are collected: ${stores[0]} to ${stores[1]}.`);
  } else if (again) {
    log.push(`${names[seat]} moves again.`);
  }
  return { state, log };
}

export function outcome({ pits, stores }) {
  if (pits.some((row) => row.some((seeds) => seeds > 0))) return null;
  const winners = stores[0] === stores[1] ? [] : [stores[0] > stores[1] ? 0 : 1];
  return { winners, scores: stores, reason: `${stores[0]} seeds to ${stores[1]}` };
}

export const observe = ({ pits, stores, turn }, viewer, names) => ({ turn: names[turn], pits, stores });
export const evaluate = ({ stores }, seat) => 0.5 + (stores[seat] - stores[1 - seat]) / 96;

// North sits opposite, so its pits run from right to left.
export function view({ pits, stores, turn }) {
  const row = (owner) => pits[owner].map((seeds, i) => ({
    text: String(seeds),
    color: owner,
    label: `pit ${i + 1}, ${seeds} seeds`,
    choice: owner === turn ? { name: 'sow', data: { pit: i + 1 } } : undefined,
  }));
  const store = (seat) => ({ type: 'counter', label: 'Store', seat, value: stores[seat] });
  return { parts: [store(1), { type: 'grid', label: 'Pits', cells: [row(1).reverse(), row(0)] }, store(0)] };
}

// Liar's dice for two to six: hidden dice, bids that rise, and a doubt.
const most = 18; // dice on the table: six players with three

export const info = {
  id: 'liars-dice',
  title: "Liar's Dice",
  description: 'Bid on all dice while you see only your own',
  rules: 'Each player has three dice, which only they see. The players take turns. You bid how many dice of all players together show a face at ' +
    'least (`count` dice of `face`), higher than the bid before: more dice, or as many of a higher face. Or you doubt the bid before. ' +
    'Then all dice are shown: if there are as many as the bid says, the player who doubted loses a die; otherwise the player who bid loses ' +
    'one. Then all dice are rolled again, and the player who lost the die begins, or the next player who still has dice. The last player ' +
    'with dice wins.',
  seats: { min: 2, max: 6 },
  hides: true,
  actions: {
    bid: {
      description: 'Say that at least `count` of all dice show `face`.',
      data: { count: Array.from({ length: most }, (_, i) => i + 1), face: [1, 2, 3, 4, 5, 6] },
      label: ({ count, face }) => `At least ${count} of face ${face}`,
    },
    doubt: { description: 'Say that the last bid is wrong.', label: () => 'Doubt' },
  },
};

const total = (state) => state.dice.reduce((sum, own) => sum + own.length, 0);
const roll = (count, random) => Array.from({ length: count }, () => random.die()).sort((a, b) => a - b);
const isHigher = (bid, before) => before === null || bid.count > before.count || (bid.count === before.count && bid.face > before.face);

export const setup = (options, seats, random) => ({ dice: Array.from({ length: seats }, () => roll(3, random)), bid: null, bidder: null, turn: 0 });
export const awaited = (state) => [state.turn];

export function actions(state) {
  const all = total(state);
  const list = [];
  if (state.bid === null || isHigher({ count: all, face: 6 }, state.bid)) {
    const count = Array.from({ length: all }, (_, i) => i + 1).filter((each) => state.bid === null || each >= state.bid.count);
    list.push({ name: 'bid', data: { count, face: [1, 2, 3, 4, 5, 6] } });
  }
  if (state.bid !== null) list.push({ name: 'doubt' });
  return list;
}

export function validate(state, seat, { name, data }) {
  if (name !== 'bid') return undefined;
  if (data.count > total(state)) return { reason: `there are only ${total(state)} dice`, path: 'count' };
  if (!isHigher(data, state.bid)) return `the bid must be higher than ${state.bid.count} of face ${state.bid.face}`;
}

function nextWithDice(dice, from) {
  let seat = from;
  do seat = (seat + 1) % dice.length; while (dice[seat].length === 0);
  return seat;
}

export function apply(state, seat, { name, data }, random, names) {
  if (name === 'bid') {
    return {
      state: { ...state, bid: data, bidder: seat, turn: nextWithDice(state.dice, seat) },
      log: [`${names[seat]} bids at least ${data.count} of face ${data.face}.`],
    };
  }
  const { dice, bid, bidder } = state;
  const found = dice.flat().filter((face) => face === bid.face).length;
  const loser = found >= bid.count ? seat : bidder;
  const shown = dice.flatMap((own, owner) => (own.length > 0 ? [`${names[owner]} ${own.join(' ')}`] : [])).join(', ');
  const rolled = dice.map((own, owner) => roll(own.length - (owner === loser ? 1 : 0), random));
  const turn = rolled[loser].length > 0 ? loser : nextWithDice(rolled, loser);
  return {
    state: { dice: rolled, bid: null, bidder: null, turn },
    log: [`${names[seat]} doubts. The dice: ${shown}.`, `There are ${found} of face ${bid.face}: ${names[loser]} loses a die.`],
  };
}

export function outcome({ dice }) {
  const left = dice.flatMap((own, seat) => (own.length > 0 ? [seat] : []));
  return left.length > 1 ? null : { winners: left, reason: 'the last player with dice' };
}

export const observe = ({ dice, bid, bidder, turn }, viewer, names) => ({
  turn: names[turn],
  bid: bid === null ? 'none' : `at least ${bid.count} of face ${bid.face}, by ${names[bidder]}`,
  own: viewer === null ? [] : dice[viewer],
  dice: dice.map((own) => own.length),
});

export const redeal = (state, seat, random) => ({
  ...state,
  dice: state.dice.map((own, owner) => (owner === seat ? own : roll(own.length, random))),
});

// A bid is made in two steps: how many, then which face.
export function view(state, viewer, names) {
  const { dice, bid, bidder } = state;
  const counts = Array.from({ length: total(state) }, (_, i) => i + 1);
  return {
    parts: [
      ...dice.map((own, seat) => ({ type: 'dice', seat, dice: seat === viewer ? own : own.map(() => ({ hidden: true })) })),
      { type: 'text', label: 'The bid', text: bid === null ? 'Nobody has bid yet.' : `${names[bidder]}: at least ${bid.count} of face ${bid.face}` },
      { type: 'buttons', label: 'Bid at least …', buttons: counts.map((count) => ({ text: String(count), choice: { name: 'bid', data: { count } } })) },
      { type: 'dice', label: '… dice of this face', dice: [1, 2, 3, 4, 5, 6].map((face) => ({ text: face, label: `face ${face}`, choice: { name: 'bid', data: { face } } })) },
      { type: 'buttons', label: 'Or', buttons: [{ text: 'Doubt the bid', key: 'd', choice: { name: 'doubt' } }] },
    ],
  };
}

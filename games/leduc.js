// Leduc poker: hidden cards, dealt at random, and what a search may know of them (redeal).
const ranks = ['jack', 'queen', 'king'];
const betSize = [2, 4];

export const info = {
  id: 'leduc',
  title: 'Leduc poker',
  description: 'Poker for two with six cards',
  rules: 'The deck has two jacks, two queens and two kings. Both players put 1 chip into the pot and get one card, which only they see. ' +
    'Then they bet, then one card is laid open on the table, and they bet again. In a betting round the players take turns, First begins: ' +
    '`check` adds no chips, `raise` adds 2 chips (4 in the second round) to what the other has put in, `call` puts in as many as the other, ' +
    '`fold` gives up. A round allows two raises. It ends when a raise is called, or both check. At the end a card of the same rank as the ' +
    'open card wins; otherwise the higher card wins. Equal cards share the pot.',
  seats: { min: 2, max: 2, roles: ['First', 'Second'] },
  hides: true,
  actions: {
    check: { description: 'Add no chips.', label: () => 'Check' },
    call: { description: 'Put in as many chips as the other player.', label: () => 'Call' },
    raise: { description: 'Put in more chips than the other player.', label: () => 'Raise' },
    fold: { description: 'Give up this hand; the other player wins the pot.', label: () => 'Fold' },
  },
};

export function setup(options, seats, random) {
  const deck = random.shuffle([0, 0, 1, 1, 2, 2]);
  return { hands: deck.slice(0, 2), deck: deck.slice(2), open: null, round: 0, put: [1, 1], raises: 0, acted: 0, turn: 0, folded: null };
}

const isOver = (state) => state.folded !== null || state.round === 2;
export const awaited = (state) => [state.turn];

export function actions({ put, raises }) {
  const names = put[0] === put[1] ? ['check'] : ['call', 'fold'];
  if (raises < 2) names.push('raise');
  return names.map((name) => ({ name }));
}

export function apply(state, seat, { name }, random, names) {
  const log = [`${names[seat]} ${{ check: 'checks', call: 'calls', raise: 'raises', fold: 'folds' }[name]}.`];
  const { put } = state;
  if (name === 'fold') state.folded = seat;
  if (name === 'call') put[seat] = put[1 - seat];
  if (name === 'raise') {
    put[seat] = put[1 - seat] + betSize[state.round];
    ++state.raises;
  }
  ++state.acted;
  state.turn = 1 - seat;
  if (name === 'call' || (name === 'check' && state.acted === 2)) {
    ++state.round;
    Object.assign(state, { raises: 0, acted: 0, turn: 0 });
    if (state.round === 1) {
      state.open = state.deck[0];
      log.push(`The open card is a ${ranks[state.open]}.`);
    } else {
      log.push(`${names[0]} has a ${ranks[state.hands[0]]}, ${names[1]} a ${ranks[state.hands[1]]}.`);
    }
  }
  return { state, log };
}

export function outcome(state) {
  if (!isOver(state)) return null;
  const { hands, open, put, folded } = state;
  const strength = (seat) => (hands[seat] === open ? 10 : hands[seat]);
  const winner = folded !== null ? 1 - folded : strength(0) === strength(1) ? null : strength(0) > strength(1) ? 0 : 1;
  if (winner === null) return { winners: [], scores: [0, 0], reason: 'both cards are equal' };
  const scores = [0, 0].map((_, seat) => (seat === winner ? put[1 - winner] : -put[1 - winner]));
  const reason = folded !== null ? 'the other player folded' : hands[winner] === open ? `a pair of ${ranks[open]}s` : `a ${ranks[hands[winner]]} is higher`;
  return { winners: [winner], scores, reason };
}

export function observe(state, viewer, names) {
  const shown = state.round === 2;
  const hand = (seat) => (shown || seat === viewer ? ranks[state.hands[seat]] : 'hidden');
  return {
    turn: isOver(state) ? null : names[state.turn],
    round: Math.min(state.round, 1) + 1,
    open: state.open === null ? null : ranks[state.open],
    chips: state.put,
    hands: [hand(0), hand(1)],
  };
}

// The other hand and the deck are mixed again, unless all is open.
export function redeal(state, seat, random) {
  if (state.round === 2) return { ...state, deck: [] };
  const unknown = [0, 0, 1, 1, 2, 2];
  for (const card of [state.hands[seat], ...(state.open === null ? [] : [state.open])]) unknown.splice(unknown.indexOf(card), 1);
  const mixed = random.shuffle(unknown);
  const hands = [...state.hands];
  hands[1 - seat] = mixed.pop();
  return { ...state, hands, deck: state.open === null ? mixed : [state.open, ...mixed] };
}

export function view(state, viewer) {
  const letter = (rank) => ({ text: ranks[rank][0].toUpperCase(), label: ranks[rank] });
  const isShown = (seat) => state.round === 2 || seat === viewer;
  const button = (text, key) => ({ text, key, choice: { name: text.toLowerCase() } });
  return {
    parts: [
      ...[0, 1].map((seat) => ({
        type: 'group',
        seat,
        parts: [
          { type: 'hand', label: 'Card', cards: [isShown(seat) ? letter(state.hands[seat]) : { hidden: true }] },
          { type: 'counter', label: 'Chips in the pot', value: state.put[seat] },
        ],
      })),
      { type: 'cards', label: 'On the table', cards: state.open === null ? [{ hidden: true }] : [letter(state.open)] },
      { type: 'buttons', buttons: [button('Check', 'k'), button('Call', 'c'), button('Raise', 'r'), button('Fold', 'f')] },
    ],
  };
}

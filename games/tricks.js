// A trick-taking game for three or four: follow suit, and know who cannot.
const suits = ['clubs', 'diamonds', 'hearts', 'spades'];
const deck = suits.flatMap((suit) => [1, 2, 3, 4, 5, 6].map((rank) => `${suit[0].toUpperCase()}${rank}`));
const suitOf = (card) => suits.find((suit) => suit[0].toUpperCase() === card[0]);
const rankOf = (card) => Number(card[1]);
const order = (a, b) => deck.indexOf(a) - deck.indexOf(b);

export const info = {
  id: 'tricks',
  title: 'Tricks',
  description: 'Take tricks by following suit; hearts are trumps',
  rules: 'The deck has 24 cards: clubs, diamonds, hearts and spades from 1 to 6 (C1 is the 1 of clubs). All are dealt. The first player leads any ' +
    'card, the others follow in turn. You must play a card of the suit that was led if you have one; otherwise you may play any card. The ' +
    'highest heart takes the trick; without a heart, the highest card of the suit that was led. The player who takes a trick leads the next ' +
    'one. The player with the most tricks wins.',
  seats: { min: 3, max: 4 },
  actions: { play: { description: 'Play a card of your hand, such as "H6".', data: { card: deck }, label: ({ card }) => `${suitOf(card)} ${rankOf(card)}` } },
};

export function setup(options, seats, random) {
  const mixed = random.shuffle(deck);
  const size = deck.length / seats;
  const hands = Array.from({ length: seats }, (_, seat) => mixed.slice(seat * size, (seat + 1) * size).sort(order));
  return { hands, trick: [], leader: 0, tricks: Array(seats).fill(0), lacks: hands.map(() => []) };
}

const turnOf = ({ leader, trick, hands }) => (leader + trick.length) % hands.length;
export const awaited = (state) => [turnOf(state)];

export function actions(state, seat) {
  const hand = state.hands[seat];
  const led = state.trick.length > 0 ? suitOf(state.trick[0]) : null;
  const following = hand.filter((card) => suitOf(card) === led);
  return [{ name: 'play', data: { card: following.length > 0 ? following : hand } }];
}

export function validate(state, seat, { data: { card } }) {
  if (!state.hands[seat].includes(card)) return { reason: `you do not have ${card}`, path: 'card' };
  const led = state.trick.length > 0 ? suitOf(state.trick[0]) : null;
  const must = led !== null && suitOf(card) !== led && state.hands[seat].some((each) => suitOf(each) === led);
  if (must) return { reason: `you must play one of your ${led}`, path: 'card' };
}

const strength = (card, led) => (suitOf(card) === 'hearts' ? 100 : suitOf(card) === led ? 10 : 0) + rankOf(card);

export function apply(state, seat, { data: { card } }, random, names) {
  const log = [`${names[seat]} plays ${card}.`];
  state.hands[seat] = state.hands[seat].filter((each) => each !== card);
  state.trick.push(card);
  const led = suitOf(state.trick[0]);
  if (suitOf(card) !== led && !state.lacks[seat].includes(led)) state.lacks[seat].push(led);
  if (state.trick.length === state.hands.length) {
    const best = state.trick.reduce((at, each, i) => (strength(each, led) > strength(state.trick[at], led) ? i : at), 0);
    const taker = (state.leader + best) % state.hands.length;
    ++state.tricks[taker];
    log.push(`${names[taker]} takes the trick.`);
    Object.assign(state, { trick: [], leader: taker });
  }
  return { state, log };
}

export function outcome({ hands, trick, tricks }) {
  if (trick.length > 0 || hands.some((hand) => hand.length > 0)) return null;
  const best = Math.max(...tricks);
  const winners = tricks.flatMap((count, seat) => (count === best ? [seat] : []));
  return { winners, scores: tricks, reason: `took ${best} tricks` };
}

export const observe = (state, viewer, names) => ({
  turn: names[turnOf(state)],
  trick: state.trick,
  own: viewer === null ? [] : state.hands[viewer],
  cards: state.hands.map((hand) => hand.length),
  tricks: state.tricks,
  lacks: state.lacks,
});

// The cards of the others are mixed, and dealt so that nobody gets a suit that they are known to lack.
export function redeal(state, seat, random) {
  const others = state.hands.map((_, owner) => owner).filter((owner) => owner !== seat);
  const hidden = others.flatMap((owner) => state.hands[owner]).sort(order);
  const deal = (cards, sizes) => {
    if (cards.length === 0) return sizes.map(() => []);
    const [card, ...rest] = cards;
    for (const at of random.shuffle(others.map((_, i) => i))) {
      if (sizes[at] === 0 || state.lacks[others[at]].includes(suitOf(card))) continue;
      const hands = deal(rest, sizes.map((size, i) => size - (i === at ? 1 : 0)));
      if (hands) return hands.map((hand, i) => (i === at ? [card, ...hand] : hand));
    }
    return null;
  };
  // The suits that fewest may have come first, so that a deal is found soon.
  const takers = (card) => others.filter((owner) => !state.lacks[owner].includes(suitOf(card))).length;
  const cards = random.shuffle(hidden).sort((a, b) => takers(a) - takers(b));
  const dealt = deal(cards, others.map((owner) => state.hands[owner].length));
  const hands = state.hands.map((hand, owner) => (owner === seat ? hand : dealt[others.indexOf(owner)].sort(order)));
  return { ...state, hands };
}

const signs = { C: '♣', D: '♦', H: '♥', S: '♠' };
const face = (card) => ({
  text: `${signs[card[0]]}${card[1]}`, color: 'DH'.includes(card[0]) ? 'red' : 'black', label: `${suitOf(card)} ${rankOf(card)}`, id: card,
});
export const view = ({ hands, trick, leader, tricks }, viewer) => ({
  parts: [
    { type: 'score', label: 'Tricks', points: tricks },
    ...hands.map((hand, seat) => {
      const at = trick[(seat - leader + hands.length) % hands.length];
      return { type: 'cards', label: 'Played', seat, cards: at === undefined ? [] : [face(at)] };
    }),
    ...(viewer === null ? [] : [{
      type: 'hand', label: 'Your hand', cards: hands[viewer].map((card) => ({ ...face(card), choice: { name: 'play', data: { card } } })),
    }]),
  ],
});

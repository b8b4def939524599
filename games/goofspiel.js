// Goofspiel: both choose at the same time, and neither sees the other's choice before both have chosen.
export const info = {
  id: 'goofspiel',
  title: 'Goofspiel',
  description: 'Bid for prizes, both at the same time',
  rules: 'Each player has the cards 1 to 7. The prizes 1 to 7 lie face down in random order. In each round one prize is turned up, and both players ' +
    'choose one of their cards in secret. Both cards are shown at the same time: the higher one wins the prize. If they are equal, the prize ' +
    'stays and is added to the next one. Played cards are gone. The player with more points after seven rounds wins.',
  seats: { min: 2, max: 2, roles: ['Left', 'Right'] },
  actions: { bid: { description: 'Play one of your cards.', data: { card: [1, 2, 3, 4, 5, 6, 7] }, label: ({ card }) => `Bid ${card}` } },
};

const cards = [1, 2, 3, 4, 5, 6, 7];

// prizes[0] is the prize of this round; the others lie face down.
export const setup = (options, seats, random) => ({ hands: [cards, cards], prizes: random.shuffle(cards), pot: 0, bids: [null, null], points: [0, 0] });
export const awaited = ({ bids }) => [0, 1].filter((seat) => bids[seat] === null);
export const actions = ({ hands }, seat) => [{ name: 'bid', data: { card: hands[seat] } }];

export function apply(state, seat, { data: { card } }, random, names) {
  const bids = [...state.bids];
  bids[seat] = card;
  if (bids.includes(null)) return { state: { ...state, bids } };
  const worth = state.pot + state.prizes[0];
  const winner = bids[0] === bids[1] ? null : bids[0] > bids[1] ? 0 : 1;
  const shown = `${names[0]} bids ${bids[0]}, ${names[1]} bids ${bids[1]}`;
  const points = state.points.map((own, owner) => own + (owner === winner ? worth : 0));
  return {
    state: {
      hands: state.hands.map((hand, owner) => hand.filter((each) => each !== bids[owner])),
      prizes: state.prizes.slice(1),
      pot: winner === null ? worth : 0,
      bids: [null, null],
      points,
    },
    log: [winner === null ? `${shown}: ${worth} points stay in the pot.` : `${shown}: ${names[winner]} wins ${worth} points.`],
  };
}

export function outcome({ prizes, points }) {
  if (prizes.length > 0) return null;
  const winners = points[0] === points[1] ? [] : [points[0] > points[1] ? 0 : 1];
  return { winners, scores: points, reason: `${points[0]} points to ${points[1]}` };
}

// Nobody sees whether the other has chosen already.
export const observe = ({ hands, prizes, pot, bids, points }, viewer) => ({
  prize: prizes[0] ?? null, pot, points, hands, chosen: viewer === null ? null : bids[viewer], left: prizes.length,
});

export const redeal = ({ prizes, bids, ...open }, seat, random) => ({
  ...open,
  prizes: [...prizes.slice(0, 1), ...random.shuffle(prizes.slice(1).sort((a, b) => a - b))],
  bids: bids.map((bid, owner) => (owner === seat ? bid : null)),
});

export const view = ({ hands, prizes, pot, bids, points }, viewer) => ({
  parts: [
    { type: 'score', points },
    { type: 'cards', label: pot > 0 ? `Prize, and ${pot} more` : 'Prize', cards: prizes.slice(0, 1).map((prize) => ({ text: prize, color: 'yellow' })) },
    { type: 'pile', label: 'Prizes left', count: Math.max(0, prizes.length - 1) },
    ...[0, 1].map((seat) => ({
      type: 'hand',
      seat,
      cards: hands[seat].map((card) => ({
        text: card,
        id: `${seat}:${card}`,
        mark: seat === viewer && bids[seat] === card ? 'last' : undefined,
        choice: seat === viewer ? { name: 'bid', data: { card } } : undefined,
      })),
    })),
  ],
});

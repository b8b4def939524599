// Lanterns, for two to five together: everybody sees all hands but their own.
const colors = ['red', 'blue', 'green'];
const copies = [3, 2, 2, 1]; // of the numbers 1 to 4
const kinds = colors.flatMap((color) => copies.map((n, i) => ({ color, number: i + 1 })));
const mostHints = 8;

export const info = {
  id: 'lanterns',
  title: 'Lanterns',
  description: 'Light the lanterns in order together, though nobody sees their own cards',
  rules: 'All players win or lose together. There are cards of three colors with the numbers 1 to 4: three 1s, two 2s, two 3s and one 4 of each ' +
    'color. Everybody holds four cards, which all others see, but not they themselves. In your turn you do one of three things. `hint`: tell ' +
    'one player which of their cards have a color or a number; it takes one of the eight hints, and there must be such a card. `play`: lay one of your ' +
    'cards, the first to the fourth; if it is the next number of its color, a lantern is lit, otherwise the card is lost and counts as a mistake. ' +
    '`discard`: give up a card and get a hint back. After playing or discarding you draw a card, until the deck is empty; then ' +
    'everybody has one more turn. The third mistake ends the game. You win with at least 9 of the 12 lanterns.',
  seats: { min: 2, max: 5 },
  actions: {
    hint: {
      description: 'Tell `player`, by number, which of their cards are `about`.',
      data: { player: [1, 2, 3, 4, 5], about: [...colors, '1', '2', '3', '4'] },
      label: ({ player, about }, names) => `Tell ${names[player - 1]}: ${about}`,
    },
    play: { description: 'Play your `card`: 1 to 4.', data: { card: [1, 2, 3, 4] }, label: ({ card }) => `Play card ${card}` },
    discard: { description: 'Discard your `card`: 1 to 4.', data: { card: [1, 2, 3, 4] }, label: ({ card }) => `Discard card ${card}` },
  },
};

const fits = ({ color, number }, about) => about === color || about === String(number);
// A card in a hand: its kind, and what its owner was told: what it is, and what it is not.
const drawn = (kind) => ({ kind, is: [], not: [] });

export function setup(options, seats, random) {
  const deck = random.shuffle(kinds.flatMap(({ number }, kind) => Array(copies[number - 1]).fill(kind)));
  const hands = Array.from({ length: seats }, () => deck.splice(0, 4).map(drawn));
  return { hands, deck, lit: [0, 0, 0], lost: [], hints: mostHints, mistakes: 0, turn: 0, left: null };
}
export const awaited = (state) => [state.turn];

export function actions(state, seat) {
  const card = state.hands[seat].map((_, at) => at + 1);
  const others = state.hands.flatMap((_, at) => (at === seat ? [] : [at + 1]));
  return [
    ...(state.hints > 0 ? [{ name: 'hint', data: { player: others, about: info.actions.hint.data.about } }] : []),
    { name: 'play', data: { card } },
    ...(state.hints < mostHints ? [{ name: 'discard', data: { card } }] : []),
  ];
}

export function validate(state, seat, { name, data }) {
  if (name !== 'hint') return undefined;
  const hand = state.hands[data.player - 1];
  if (data.player - 1 === seat) return { reason: 'a hint is for another player', path: 'player' };
  if (!hand?.some(({ kind }) => fits(kinds[kind], data.about))) return { reason: 'that player has no such card', path: 'about' };
}

const told = (card, about) => (fits(kinds[card.kind], about) ? { ...card, is: [...new Set([...card.is, about])] } : { ...card, not: [...new Set([...card.not, about])] });
const nameOf = (kind) => `${kinds[kind].color} ${kinds[kind].number}`;

export function apply(state, seat, { name, data }, random, names) {
  const log = [];
  if (name === 'hint') {
    const player = data.player - 1;
    const which = state.hands[player].flatMap(({ kind }, at) => (fits(kinds[kind], data.about) ? [at + 1] : []));
    state.hands[player] = state.hands[player].map((card) => told(card, data.about));
    --state.hints;
    log.push(`${names[seat]} tells ${names[player]}: ${data.about} are ${which.join(', ')}.`);
  } else {
    const [{ kind }] = state.hands[seat].splice(data.card - 1, 1);
    const color = colors.indexOf(kinds[kind].color);
    const isNext = name === 'play' && state.lit[color] === kinds[kind].number - 1;
    if (isNext) ++state.lit[color];
    else state.lost.push(kind);
    if (name === 'play' && !isNext) ++state.mistakes;
    if (name === 'discard') ++state.hints;
    if (state.deck.length > 0) state.hands[seat].push(drawn(state.deck.pop()));
    const what = name === 'discard' ? 'discards' : isNext ? 'lights' : 'plays by mistake';
    log.push(`${names[seat]} ${what} ${nameOf(kind)}.`);
  }
  // Once the last card is drawn, everybody has one more turn.
  if (state.left !== null) --state.left;
  else if (state.deck.length === 0) state.left = state.hands.length;
  return { state: { ...state, turn: (seat + 1) % state.hands.length }, log };
}

export function outcome({ hands, lit, mistakes, left }) {
  const score = lit.reduce((sum, each) => sum + each, 0);
  if (score < 12 && mistakes < 3 && left !== 0) return null;
  const isWon = score >= 9 && mistakes < 3;
  return { winners: isWon ? hands.map((_, seat) => seat) : [], scores: hands.map(() => score), reason: `${score} lanterns and ${mistakes} mistakes` };
}

const knowledge = ({ is, not }) => [...is, ...not.map((each) => `not ${each}`)].join(', ') || 'nothing';
export const observe = (state, viewer, names) => ({
  turn: names[state.turn],
  lanterns: Object.fromEntries(colors.map((color, i) => [color, state.lit[i]])),
  hints: state.hints,
  mistakes: state.mistakes,
  deck: state.deck.length,
  lost: state.lost.map(nameOf),
  hands: state.hands.map((hand, seat) => ({
    player: names[seat],
    cards: hand.map((card) => ({ ...(seat !== viewer && viewer !== null && { card: nameOf(card.kind) }), told: knowledge(card) })),
  })),
});

// The seat's own cards, and the deck, are drawn again from what it does not see, so that they fit all hints.
export function redeal(state, seat, random) {
  const hand = state.hands[seat];
  const pool = random.shuffle([...hand.map(({ kind }) => kind), ...state.deck].sort((a, b) => a - b));
  const canBe = ({ is, not }, kind) => is.every((about) => fits(kinds[kind], about)) && !not.some((about) => fits(kinds[kind], about));
  const used = [];
  const deal = (at) => at === hand.length || pool.some((kind, i) => {
    if (used.includes(i) || !canBe(hand[at], kind)) return false;
    used.push(i);
    return deal(at + 1) || used.pop() === null;
  });
  deal(0);
  const hands = state.hands.map((each, owner) => (owner === seat ? each.map((card, i) => ({ ...card, kind: pool[used[i]] })) : each));
  return { ...state, hands, deck: pool.filter((_, i) => !used.includes(i)) };
}

// Of their own cards, players see what they were told.
const face = ({ kind, is, not }, isOwn, at) => {
  if (!isOwn) return { text: kinds[kind].number, color: kinds[kind].color, label: `${nameOf(kind)}, told: ${knowledge({ is, not })}` };
  return { text: is.find((about) => !colors.includes(about)) ?? '?', color: is.find((about) => colors.includes(about)) ?? 'gray',
    label: `your card ${at + 1}: ${knowledge({ is, not })}`, choice: { name: 'play', data: { card: at + 1 } } };
};
export const view = ({ hands, deck, lit, lost, hints, mistakes }, viewer) => ({
  parts: [
    { type: 'cards', label: 'Lanterns', cards: colors.map((color, i) => ({ text: lit[i], color, label: `${color}: ${lit[i]} of 4` })) },
    { type: 'counter', label: 'Hints', value: hints, of: mostHints },
    { type: 'counter', label: 'Mistakes', value: mistakes, of: 3 },
    { type: 'pile', label: 'Deck', count: deck.length },
    ...hands.map((hand, seat) => ({
      type: 'hand', seat,
      cards: hand.map((card, at) => {
        if (seat === viewer) return face(card, true, at);
        // Spectators may be players.
        if (viewer === null) return { ...face(card, true, at), label: knowledge(card), choice: undefined };
        return { ...face(card), choice: { name: 'hint', data: { player: seat + 1 } } };
      }),
    })),
    { type: 'buttons', label: 'Hint about', buttons: info.actions.hint.data.about.map((about) => ({ text: about, choice: { name: 'hint', data: { about } } })) },
    { type: 'cards', label: 'Lost', cards: lost.map((kind) => ({ text: kinds[kind].number, color: kinds[kind].color, label: nameOf(kind) })) },
  ],
});

// Thorns, for three to six: a bluffing game with petals and a thorn. Everybody lays discs face down, then bids on how many petals they can turn.
const upTo = (n) => Array.from({ length: n }, (_, i) => i + 1);

export const info = {
  id: 'thorns',
  title: 'Thorns',
  description: 'Bid on how many petals you can turn over before you hit a thorn',
  rules: 'Each player has four discs: three petals and a thorn. In a round, first everybody in turn lays one disc face down (`lay`). Then, in turn, ' +
    'you lay another disc on your pile, or begin the bidding: `bid` how many discs you can turn over without finding a thorn. Once somebody has bid, the ' +
    'others in turn `bid` more or `pass`. The highest bidder turns over all discs of their own pile, and then, one by one, the top disc of piles of their choice ' +
    '(`turn_over`). If these are petals, as many as were bid, the bidder scores; who has scored twice wins. A thorn ends the round, and the bidder ' +
    'loses one of their discs, drawn at random; only its owner sees which. A player without discs is out, and the last player left wins. ' +
    'After a round all take their discs back, and the bidder begins, or the next player left.',
  seats: { min: 3, max: 6 },
  actions: {
    lay: { description: 'Lay a `disc` face down on your pile.', data: { disc: ['petal', 'thorn'] }, label: ({ disc }) => `Lay a ${disc}` },
    bid: { description: 'Say that you can turn over `count` discs without finding a thorn.', data: { count: upTo(24) }, label: ({ count }) => `Bid ${count}` },
    pass: { description: 'Do not bid in this round any more.', label: () => 'Pass' },
    turn_over: { description: 'Turn over the top disc of the pile of `player`, by number.', data: { player: upTo(6) },
      label: ({ player }, names) => `Turn over a disc of ${names[player - 1]}` },
  },
};

// A player: what is in hand, the pile from the bottom (true is a thorn), how many of it are turned over from the top, points, and whether they passed.
const fresh = (petals, thorn, points) => ({ petals, thorn, pile: [], open: 0, points, passed: false });
const count = (player) => player.petals + (player.thorn ? 1 : 0) + player.pile.length;
const onTable = (state) => state.players.reduce((sum, { pile }) => sum + pile.length, 0);
const hand = ({ petals, thorn }) => [...Array(petals).fill(false), ...(thorn ? [true] : [])];
const disc = (isThorn) => (isThorn ? 'thorn' : 'petal');
const isOpen = (player) => player.open < player.pile.length;

export const setup = (options, seats) => ({ players: Array.from({ length: seats }, () => fresh(3, true, 0)), bid: 0, bidder: null, turning: false, turn: 0 });
export const awaited = (state) => [state.turn];

export function actions(state, seat) {
  const me = state.players[seat];
  if (state.turning) return [{ name: 'turn_over', data: { player: state.players.flatMap((each, at) => (isOpen(each) ? [at + 1] : [])) } }];
  const list = [];
  if (state.bid === 0 && hand(me).length > 0) list.push({ name: 'lay', data: { disc: [...new Set(hand(me).map(disc))] } });
  const all = onTable(state);
  if (me.pile.length > 0 && state.bid < all) list.push({ name: 'bid', data: { count: upTo(all).slice(state.bid) } });
  if (state.bid > 0) list.push({ name: 'pass' });
  return list;
}

function nextSeat(state, from) {
  let seat = from;
  do seat = (seat + 1) % state.players.length; while (count(state.players[seat]) === 0 || state.players[seat].passed);
  return seat;
}

// All take their discs back; the bidder has lost one of them, or scored.
function newRound(state, bidder, lost, random) {
  const players = state.players.map((each) =>
    fresh(each.petals + each.pile.filter((thorn) => !thorn).length, each.thorn || each.pile.includes(true), each.points));
  const loser = players[bidder];
  if (!lost) ++loser.points;
  else if (loser.thorn && random.int(count(loser)) === 0) loser.thorn = false;
  else --loser.petals;
  const next = { players, bid: 0, bidder: null, turning: false, turn: bidder };
  return { ...next, turn: count(loser) > 0 || players.every((each) => count(each) === 0) ? bidder : nextSeat(next, bidder) };
}

// The bidder turns over what they must: their own pile first.
function turnOver(state, bidder, owner, random, names, log) {
  const { players } = state;
  for (let at = owner; ;) {
    const pile = players[at].pile;
    const isThorn = pile[pile.length - ++players[at].open];
    log.push(`${names[bidder]} turns over a ${isThorn ? 'thorn' : 'petal'} of ${at === bidder ? 'their own' : names[at]}.`);
    if (isThorn) return { state: newRound(state, bidder, true, random), log: [...log, `${names[bidder]} loses a disc.`] };
    if (players.reduce((sum, { open }) => sum + open, 0) === state.bid) {
      return { state: newRound(state, bidder, false, random), log: [...log, `${names[bidder]} scores.`] };
    }
    if (!isOpen(players[bidder])) return { state: { ...state, turning: true, turn: bidder }, log };
    at = bidder;
  }
}

export function apply(state, seat, { name, data }, random, names) {
  const me = state.players[seat];
  if (name === 'turn_over') return turnOver(state, seat, data.player - 1, random, names, []);
  if (name === 'lay') {
    me.pile.push(data.disc === 'thorn');
    if (data.disc === 'thorn') me.thorn = false;
    else --me.petals;
    return { state: { ...state, turn: nextSeat(state, seat) }, log: [`${names[seat]} lays a disc.`] };
  }
  if (name === 'pass') me.passed = true;
  else Object.assign(state, { bid: data.count, bidder: seat });
  const log = [name === 'pass' ? `${names[seat]} passes.` : `${names[seat]} bids ${data.count}.`];
  const others = state.players.filter((each, at) => at !== state.bidder && count(each) > 0 && !each.passed);
  if (others.length === 0 || state.bid === onTable(state)) return turnOver(state, state.bidder, state.bidder, random, names, log);
  return { state: { ...state, turn: nextSeat(state, seat) }, log };
}

export function outcome({ players }) {
  const best = players.findIndex(({ points }) => points === 2);
  if (best >= 0) return { winners: [best], reason: 'scored twice' };
  const left = players.flatMap((each, seat) => (count(each) > 0 ? [seat] : []));
  return left.length > 1 ? null : { winners: left, reason: 'the last player with discs' };
}

export const observe = ({ players, bid, bidder, turn }, viewer, names) => ({
  turn: names[turn],
  bid: bid === 0 ? 'none' : `${bid}, by ${names[bidder]}`,
  hand: viewer === null ? [] : hand(players[viewer]).map(disc),
  pile: viewer === null ? [] : players[viewer].pile.map(disc),
  players: players.map((each, seat) => ({
    name: names[seat], points: each.points, discs: count(each), pile: each.pile.length, turned: each.open, ...(each.passed && { passed: true }),
  })),
});

// The thorn of another player is any disc that is not turned over, or was lost.
export function redeal(state, seat, random) {
  const players = state.players.map((each, owner) => {
    const discs = count(each);
    if (owner === seat || discs === 0) return each;
    const hidden = each.pile.length - each.open;
    const place = random.int(4 - each.open);
    const pile = each.pile.map((_, at) => at === place && at < hidden);
    const inHand = discs - each.pile.length;
    const thorn = place >= hidden && place < hidden + inHand;
    return { ...each, pile, thorn, petals: inHand - (thorn ? 1 : 0) };
  });
  return { ...state, players };
}

const face = (isThorn) => ({ text: isThorn ? '✸' : '✿', color: isThorn ? 'black' : 'red', shape: 'disc', label: disc(isThorn) });
// A pile from the top: its discs are turned over in this order.
export const view = ({ players, bid, bidder }, viewer) => ({
  parts: [
    { type: 'score', points: players.map(({ points }) => points) },
    { type: 'counter', label: bidder === null ? 'Bid' : 'Highest bid', seat: bidder ?? undefined, value: bid === 0 ? 'none' : bid },
    ...players.map((each, seat) => ({
      type: 'tokens', seat, label: each.passed ? 'Pile (passed)' : 'Pile',
      tokens: each.pile.map((isThorn, at) => ({
        ...(at >= each.pile.length - each.open || seat === viewer ? face(isThorn) : { hidden: true, shape: 'disc' }),
        ...(at >= each.pile.length - each.open && { mark: 'last' }),
        choice: { name: 'turn_over', data: { player: seat + 1 } },
      })).reverse(),
    })),
    ...(viewer === null ? [] : [{
      type: 'hand', label: 'Your hand', cards: hand(players[viewer]).map((isThorn) => ({ ...face(isThorn), choice: { name: 'lay', data: { disc: disc(isThorn) } } })),
    }]),
  ],
});

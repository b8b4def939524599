// Wolves, a talking game for five to twelve: what is said in the dark is heard by wolves only, what is whispered by one player only.
import type { Game, Line, Offer, Place, Random, Seat } from './openseat-game.d.ts';

type Role = 'wolf' | 'seer' | 'villager';
type Choice = { player?: number; text?: string };
// `turn`: who talks or whispers; `chosen`: in stages where all choose at the same time; `seen`: by the seer, one each night.
type State = { roles: Role[]; alive: boolean[]; stage: 'murmur' | 'night' | 'talk' | 'whisper' | 'vote'; day: number; turn: Seat; chosen: (Choice | null)[]; seen: Seat[] };
const players = Array.from({ length: 12 }, (_, i) => i + 1);
const text = { type: 'string', minLength: 1, maxLength: 200, examples: ['I trust nobody.', 'Who was quiet yesterday?', 'Let us wait.'] };
const ask = (what: string) => ({ data: { player: players }, label: ({ player }: Choice, names: readonly string[]) => `${what} ${names[player! - 1]}` });

export const info: Game['info'] = {
  id: 'wolves', title: 'Wolves', description: 'Find the wolves among you by talking',
  rules: 'Most players are villagers; one is the seer; one in four is a wolf (one of five to seven players, two of eight to eleven, three of twelve). ' +
    'Only the wolves know who the wolves are. Each night, first all murmur a text: wolves hear what wolves murmur, nobody else hears anything. Then all ' +
    'name a living player: wolves the one they want to kill, who must not be a wolf (the most named dies; of several, chance decides); the seer learns ' +
    'whether the one they name is a wolf; what villagers name means nothing. Each day, the living talk in turn, for all to hear. Then each may whisper ' +
    'to one player: all see who whispers to whom, only the two know what. Then all vote at the same time to banish a player, or nobody; the most named is ' +
    'banished, of several nobody. The dead show what they were. The village wins when no wolf lives, the wolves when they are as many as the others.',
  seats: { min: 5, max: 12 },
  actions: {
    murmur: { description: 'Murmur `text` in the dark: if you are a wolf, the other wolves hear it.', data: { text }, label: ({ text }) => `Murmur: ${text}` },
    name: { description: 'Name a living `player` in the night, by number.', ...ask('Name') },
    say: { description: 'Say `text` to all.', data: { text }, label: ({ text }) => `Say: ${text}` },
    whisper: { description: 'Whisper `text` to `player`, by number.', data: { player: players, text },
      label: ({ player, text }, names) => `Whisper to ${names[player - 1]}: ${text}` },
    keep_silent: { description: 'Whisper to nobody.', label: () => 'Keep silent' },
    vote: { description: 'Vote to banish `player`, by number.', ...ask('Banish') },
    vote_for_nobody: { description: 'Vote to banish nobody.', label: () => 'Banish nobody' },
  },
};

const living = (state: State): Seat[] => state.alive.flatMap((alive, seat) => (alive ? [seat] : []));
const isPack = (state: State, seat: Seat | null): boolean => seat !== null && state.roles[seat] === 'wolf';
const together = (state: State): boolean => state.stage !== 'talk' && state.stage !== 'whisper';
const begin = (state: State, stage: State['stage']): State => ({ ...state, stage, turn: living(state)[0], chosen: state.roles.map(() => null) });
export const setup: Game<State>['setup'] = (options, seats, random) => {
  const wolves = Math.floor(seats / 4);
  const roles = random.shuffle(Array.from({ length: seats }, (_, i): Role => (i < wolves ? 'wolf' : i === wolves ? 'seer' : 'villager')));
  return begin({ roles, alive: roles.map(() => true), stage: 'murmur', day: 1, turn: 0, chosen: [], seen: [] }, 'murmur');
};

export const awaited: Game<State>['awaited'] = (state) => together(state) ? living(state).filter((seat) => state.chosen[seat] === null) : [state.turn];
export const actions: Game<State>['actions'] = (state, seat): Offer[] => {
  const player = living(state).flatMap((each) => (each === seat ? [] : [each + 1]));
  const prey = isPack(state, seat) ? player.filter((each) => !isPack(state, each - 1)) : player;
  return {
    murmur: [{ name: 'murmur', data: { text } }], night: [{ name: 'name', data: { player: prey } }], talk: [{ name: 'say', data: { text } }],
    whisper: [{ name: 'whisper', data: { player, text } }, { name: 'keep_silent' }], vote: [{ name: 'vote', data: { player } }, { name: 'vote_for_nobody' }],
  }[state.stage];
};

// The seats that were named most.
function mostNamed(state: State, by: Seat[]): Seat[] {
  const votes = state.roles.map((_, seat) => by.filter((each) => state.chosen[each]!.player === seat + 1).length);
  const most = Math.max(...votes);
  return most === 0 ? [] : votes.flatMap((count, seat) => (count === most ? [seat] : []));
}

// What the seer saw, their death takes along.
const die = (state: State, seat: Seat): State =>
  ({ ...state, alive: state.alive.map((alive, each) => alive && each !== seat), seen: state.roles[seat] === 'seer' ? [] : state.seen });

// All have chosen: what comes of it.
function resolve(state: State, random: Random, names: readonly string[]): { state: State; log: Line[] } {
  const all = living(state);
  const pack = all.filter((seat) => isPack(state, seat));
  const murmur = (seat: Seat): Line => ({ text: `${names[seat]} murmurs: ${state.chosen[seat]!.text}`, to: isPack(state, seat) ? pack : [seat] });
  if (state.stage === 'murmur') return { state: begin(state, 'night'), log: all.map(murmur) };
  const log: Line[] = [];
  if (state.stage === 'night') {
    const dead = random.pick(mostNamed(state, pack));
    const seers = all.filter((seat) => state.roles[seat] === 'seer');
    const seen = [...state.seen, ...seers.map((seer) => state.chosen[seer]!.player! - 1)];
    for (const to of seers) log.push({ text: `You see that ${names[seen.at(-1)!]} is ${isPack(state, seen.at(-1)!) ? 'a wolf' : 'no wolf'}.`, to });
    log.push(`In the morning, ${names[dead]} is dead: a ${state.roles[dead]}.`);
    return { state: begin(die({ ...state, seen }, dead), 'talk'), log };
  }
  for (const seat of all) log.push(`${names[seat]} votes for ${state.chosen[seat]!.player ? names[state.chosen[seat]!.player! - 1] : 'nobody'}.`);
  const named = mostNamed(state, all);
  const next = { ...state, day: state.day + 1 };
  if (named.length !== 1) return { state: begin(next, 'murmur'), log: [...log, 'Nobody is banished.'] };
  return { state: begin(die(next, named[0]), 'murmur'), log: [...log, `${names[named[0]]} is banished: a ${state.roles[named[0]]}.`] };
}

export const apply: Game<State>['apply'] = (state, seat, { name, data }, random, names) => {
  if (together(state)) {
    const next = { ...state, chosen: state.chosen.map((each, at) => (at === seat ? data : each)) };
    return awaited(next).length > 0 ? { state: next } : resolve(next, random, names);
  }
  const log: Line[] = name === 'say' ? [`${names[seat]} says: ${data.text}`] : [];
  if (name === 'whisper') {
    log.push(`${names[seat]} whispers to ${names[data.player - 1]}.`);
    log.push({ text: `${names[seat]} whispers to ${names[data.player - 1]}: ${data.text}`, to: [seat, data.player - 1] });
  }
  const after = living(state).find((each) => each > seat);
  return { state: after === undefined ? begin(state, state.stage === 'talk' ? 'whisper' : 'vote') : { ...state, turn: after }, log };
};

export const outcome: Game<State>['outcome'] = (state) => {
  const wolves = living(state).filter((seat) => isPack(state, seat)).length;
  if (wolves > 0 && wolves * 2 < living(state).length) return null;
  const winners = state.roles.flatMap((role, seat) => ((role === 'wolf') === wolves > 0 ? [seat] : []));
  return { winners, reason: wolves === 0 ? 'no wolf lives' : 'the wolves are as many as the others' };
};

// Whether the viewer knows what that player is.
const knows = (state: State, viewer: Seat | null, seat: Seat): boolean =>
  viewer === seat || !state.alive[seat] || outcome(state) !== null || (isPack(state, viewer) && isPack(state, seat));

export const observe: Game<State>['observe'] = (state, viewer, names) => ({
  day: state.day, stage: state.stage, ...(!together(state) && { turn: names[state.turn] }),
  players: state.roles.map((role, seat) => ({
    number: seat + 1, name: names[seat], alive: state.alive[seat],
    ...(knows(state, viewer, seat) && { role }), ...(state.chosen[seat] !== null && { chosen: true }),
    ...(viewer !== null && state.roles[viewer] === 'seer' && state.seen.includes(seat) && { seen: isPack(state, seat) ? 'a wolf' : 'no wolf' }),
  })),
});

// Others' roles, as far as the seat does not know them, what they have chosen, and what the seer saw.
export const redeal: Game<State>['redeal'] = (state, seat, random) => {
  const isSeer = state.roles[seat] === 'seer'; // whom they saw is what they are
  const open = state.roles.flatMap((_, each) => (knows(state, seat, each) || (isSeer && state.seen.includes(each)) ? [] : [each]));
  const mixed = random.shuffle(open.map((each) => state.roles[each]).sort());
  const roles = state.roles.map((role, each) => (open.includes(each) ? mixed[open.indexOf(each)] : role));
  const next = { ...state, roles };
  const seer = living(next).find((each) => roles[each] === 'seer');
  const chosen = state.chosen.map((choice, each): Choice | null => {
    if (each === seat || choice === null) return choice;
    return state.stage === 'murmur' ? { text: '…' } : { player: random.pick((actions(next, each, [])[0].data as { player: number[] }).player) };
  });
  if (isSeer || seer === undefined) return { ...next, chosen };
  const nights = state.day - (state.stage === 'murmur' || state.stage === 'night' ? 1 : 0);
  const others = roles.flatMap((_, each) => (each === seer ? [] : [each]));
  return { ...next, chosen, seen: Array.from({ length: nights }, () => random.pick(others)) };
};

const stages = { murmur: 'all murmur in the dark', night: 'all name a player', talk: 'the living talk', whisper: 'the living whisper', vote: 'all vote' };
export const view: Game<State>['view'] = (state, viewer, names) => ({
  parts: [
    { type: 'text', text: `${together(state) && state.stage !== 'vote' ? 'Night' : 'Day'} ${state.day}: ${stages[state.stage]}` },
    { type: 'track', label: 'Players', spaces: state.roles.map((role, seat): Place => {
      const isSeen = viewer !== null && state.roles[viewer] === 'seer' && state.seen.includes(seat);
      const what = [...(state.alive[seat] ? [] : ['dead']), ...(knows(state, viewer, seat) ? [role] : isSeen ? [isPack(state, seat) ? 'a wolf' : 'no wolf'] : [])];
      return { text: [names[seat], ...what].join(', '), color: state.alive[seat] ? seat : 'gray', ...(state.chosen[seat] && { mark: 'last' }),
        choice: ['name', 'vote'].map((name) => ({ name, data: { player: seat + 1 } })) };
    }) },
  ],
});

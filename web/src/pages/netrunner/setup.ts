// A game's setup: the person's side, the opponent, and both decks; and the match request built from it.
import { agents, playersOf } from '../../lib/agents.svelte';
import { createMatch } from '../../lib/api/console';
import { botOf, levelFor } from '../../lib/levels';
import { matchName } from '../../lib/match_name';
import { intendToJoin, player } from '../../lib/player.svelte';
import type { AgentKind, AgentSpec, JsonObject, MatchCreated, MatchRequest } from '../../lib/api/types';
import type { MatchTerms } from '../../lib/chimera/client';
import type { Deck } from './decks_api';
import { otherSide, sides, type Side } from './state';

export type Decks = 'system-gateway-beginner' | 'system-gateway-intermediate' | 'system-gateway';

export interface Setup {
  side: Side; // the person's
  opponent: string; // a kind of agent, or "friend"
  level: number; // search: how well it plays (lib/levels.ts); 0: as this person has reached
  model: string; // llm: its name on the server
  url: string; // webhook, neuro
  key: string; // webhook
  decks: Decks;
  own: string; // deck ids, if custom decks are used
  theirs: string;
}

export const firstSetup: Setup = { side: 'runner', opponent: 'search', level: 0, model: '', url: '', key: '', decks: 'system-gateway-beginner', own: '', theirs: '' };

// Kinds for which this form asks options; other kinds are offered only if they need none.
const asked = ['llm', 'webhook', 'neuro'];
const needsNothing = ({ bare, options_schema }: AgentKind): boolean => !bare && Object.values((options_schema.properties ?? {}) as Record<string, JsonObject>).every((option) => option.type !== undefined);
export function opponents(kinds: AgentKind[]): { value: string; label: string; about: string }[] {
  const able = playersOf('netrunner', kinds).filter((each) => asked.includes(each.kind) || needsNothing(each));
  const own = able.filter((each) => each.game === 'netrunner');
  return [
    ...[...own, ...able.filter((each) => !own.includes(each))].map((each) => ({ value: each.kind, label: each.title, about: each.description })),
    { value: 'friend', label: 'A friend', about: 'The first person to open the link' },
  ];
}

export const formats: { value: Decks; label: string; about: string }[] = [
  { value: 'system-gateway-beginner', label: 'First games', about: 'The teaching decks, to 6 points' },
  { value: 'system-gateway-intermediate', label: 'Bigger decks', about: 'The teaching decks with more cards, to 7 points' },
  { value: 'system-gateway', label: 'Your decks', about: 'From your collection, to 7 points' },
];

export const levelOf = (setup: Setup): number => setup.level || levelFor('netrunner');

export function agentSpec(setup: Setup): AgentSpec | undefined {
  switch (setup.opponent) {
    case 'friend':
      return undefined;
    case 'search':
      return botOf(levelOf(setup));
    case 'llm':
      return { kind: 'llm', model: setup.model };
    case 'neuro':
      return { kind: 'neuro', url: setup.url.trim() };
    case 'webhook':
      return { kind: 'webhook', url: setup.url.trim(), ...(setup.key.trim() ? { key: setup.key.trim() } : {}) };
    default:
      return { kind: setup.opponent };
  }
}

// Why the match cannot be requested yet; undefined if it can.
export function setupProblem(setup: Setup, decks: Deck[]): string | undefined {
  if (setup.opponent === 'llm' && !setup.model) return 'The server has no model that can play';
  if (setup.opponent === 'webhook') {
    if (!/^https?:\/\/.+/.test(setup.url.trim())) return 'Enter the webhook URL; it begins with https://';
  }
  if (setup.opponent === 'neuro' && !/^wss?:\/\/.+/.test(setup.url.trim())) return 'Enter the backend URL; it begins with ws://';
  if (setup.decks !== 'system-gateway') return undefined;
  for (const [id, side, whose] of [
    [setup.own, setup.side, 'your'],
    [setup.theirs, otherSide(setup.side), 'your opponent’s'],
  ] as const) {
    const deck = decks.find((each) => each.id === id && each.side === side);
    if (!deck) return `Choose ${whose} deck`;
    if (deck.problems.length > 0) return `“${deck.name}” is not legal yet: ${deck.problems[0]?.message ?? ''}`;
  }
  return undefined;
}

// A deck in the format of the game's options.
function deckOption(deck: Deck | undefined): JsonObject {
  const cards = Object.entries(deck?.cards ?? {}).flatMap(([code, copies]) => Array.from({ length: copies }, () => code));
  return { name: deck?.name ?? '', identity: deck?.identity ?? '', cards };
}

// REQUIRES setupProblem to find nothing. The person's seat is open: this browser joins it. Decks are copied as they
// are now, so the game's record keeps them even if the collection changes.
export function matchRequest(setup: Setup, decks: Deck[], terms: MatchTerms = {}): MatchRequest {
  const agent = agentSpec(setup);
  const options: JsonObject = { format: setup.decks };
  if (setup.decks === 'system-gateway') {
    const named = (id: string) => deckOption(decks.find((deck) => deck.id === id));
    options.decks = Object.fromEntries(sides.map((side) => [side, named(side === setup.side ? setup.own : setup.theirs)]));
  }
  return { game: 'netrunner', options, ...(Object.keys(terms).length > 0 ? { terms } : {}), seats: sides.map((side) => ({ role: side, ...(side !== setup.side && agent ? { agent, name: agents.name(agent) } : {}) })) };
}

// A first game: the shorter teaching decks, against a bot.
export const firstGame = (side: Side): Setup => ({ ...firstSetup, side });

// Creates the match; this browser takes the person's seat when it opens its page, whose name is returned.
export async function startGame(setup: Setup, decks: Deck[], terms: MatchTerms = {}): Promise<{ made: MatchCreated; id: string }> {
  await agents.load(); // by whose titles they are called
  const made = await createMatch(matchRequest(setup, decks, terms));
  const id = matchName(made['match-id'], made.invite);
  intendToJoin(id, player.name);
  return { made, id };
}

const kKey = 'openseat.netrunner.setup';
// The last setup, without secrets.
export function rememberedSetup(): Setup {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(kKey) ?? '{}');
    return { ...firstSetup, ...(typeof kept === 'object' && kept !== null ? kept : {}), key: '' } as Setup;
  } catch {
    return { ...firstSetup };
  }
}
export function rememberSetup(setup: Setup): void {
  localStorage.setItem(kKey, JSON.stringify({ ...setup, key: '' }));
}

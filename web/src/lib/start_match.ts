// Starts a match over the console API and goes to it. This browser takes a seat "you" as soon as the page opens.
import { agents } from './agents.svelte';
import { createMatch, forkTable } from './api/console';
import type { AgentSpec, JsonObject, MatchCreated, MatchRequest } from './api/types';
import type { MatchTerms } from './chimera/client';
import { botOf, levelFor } from './levels';
import { matchName } from './match_name';
import { intendToJoin, player } from './player.svelte';
import { href, router } from './router.svelte';

export type SeatChoice = { kind: 'you' } | { kind: 'open' } | { kind: 'agent'; agent: AgentSpec };

// Repeated agents are numbered.
function seatName(seats: SeatChoice[], index: number): string | undefined {
  const nameOf = (seat: SeatChoice | undefined): string | undefined => (seat?.kind === 'agent' ? agents.name(seat.agent) : undefined);
  const name = nameOf(seats[index]);
  if (!name || seats.every((seat, i) => i === index || nameOf(seat) !== name)) return name;
  return `${name} ${seats.slice(0, index + 1).filter((seat) => nameOf(seat) === name).length}`;
}

export interface MatchWishes {
  options?: JsonObject;
  joinAs?: string;
  terms?: MatchTerms; // clocks and absence
  isPrivate?: boolean; // only people with the link can find it; default: the server's, depending on where this browser is
}

// Creates the match without going to it.
export async function makeMatch(game: string, seats: SeatChoice[], { options, joinAs = player.name, isPrivate, terms }: MatchWishes = {}): Promise<MatchCreated> {
  await agents.load(); // by whose titles they are called
  const made = await createMatch({
    game,
    ...(isPrivate === undefined ? {} : { private: isPrivate }),
    ...(terms && Object.keys(terms).length > 0 ? { terms } : {}),
    ...(options && Object.keys(options).length > 0 ? { options } : {}),
    seats: seatsOf(seats),
  });
  if (seats.some((seat) => seat.kind === 'you')) intendToJoin(nameOf(made), joinAs);
  return made;
}

// A match that goes on from a recorded one, after this event of it.
export async function forkMatch(id: string, event: number, seats: SeatChoice[]): Promise<MatchCreated> {
  await agents.load();
  const made = await forkTable(id, { event, seats: seatsOf(seats) });
  if (seats.some((seat) => seat.kind === 'you')) intendToJoin(nameOf(made), player.name);
  return made;
}

const seatsOf = (seats: SeatChoice[]): NonNullable<MatchRequest['seats']> =>
  seats.map((seat, i) => {
    const called = seatName(seats, i);
    return seat.kind === 'agent' ? { agent: seat.agent, ...(called ? { name: called } : {}) } : {};
  });

const nameOf = (made: MatchCreated): string => matchName(made['match-id'], made.invite);

export function goToMatch(made: MatchCreated): void {
  router.go(href('/match/:game/:id', { game: made.game, id: nameOf(made) }));
}

export async function startMatch(game: string, seats: SeatChoice[], wishes: MatchWishes = {}): Promise<void> {
  goToMatch(await makeMatch(game, seats, wishes));
}

// A bot of the level that this person has reached.
export const againstABot = (game: string): SeatChoice[] => [{ kind: 'you' }, { kind: 'agent', agent: botOf(levelFor(game)) }];
export const againstAFriend: SeatChoice[] = [{ kind: 'you' }, { kind: 'open' }];

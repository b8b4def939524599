// Starts a match over the console API and goes to it. A seat "you" is taken by this browser as soon as the page is there.
import { createMatch } from './api/console';
import type { AgentSpec, JsonObject, MatchCreated } from './api/types';
import { intendToJoin, player } from './player.svelte';
import { href, router } from './router.svelte';

export type SeatChoice = { kind: 'you' } | { kind: 'open' } | { kind: 'agent'; agent: AgentSpec };

const agentNames: Record<string, string> = { random: 'Random bot', bot: 'Bot', script: 'Script', neuro: 'Neuro backend', external: 'Agent', webhook: 'Agent' };
// What an agent is called at the table: a model by its own name.
export const agentName = ({ kind, model }: AgentSpec): string | undefined => (kind === 'llm' && typeof model === 'string' ? model : agentNames[kind]);
// Who is there several times is counted.
function seatName(seats: SeatChoice[], index: number): string | undefined {
  const nameOf = (seat: SeatChoice | undefined): string | undefined => (seat?.kind === 'agent' ? agentName(seat.agent) : undefined);
  const name = nameOf(seats[index]);
  if (!name || seats.every((seat, i) => i === index || nameOf(seat) !== name)) return name;
  return `${name} ${seats.slice(0, index + 1).filter((seat) => nameOf(seat) === name).length}`;
}

// Makes it, and goes nowhere yet.
export async function makeMatch(game: string, seats: SeatChoice[], options?: JsonObject, joinAs = player.name): Promise<MatchCreated> {
  const made = await createMatch({
    game,
    ...(options && Object.keys(options).length > 0 ? { options } : {}),
    seats: seats.map((seat, i) => {
      const called = seatName(seats, i);
      return seat.kind === 'agent' ? { agent: seat.agent, ...(called ? { name: called } : {}) } : {};
    }),
  });
  if (seats.some((seat) => seat.kind === 'you')) intendToJoin(made['match-id'], joinAs);
  return made;
}

export function goToMatch(made: MatchCreated): void {
  router.go(href('/match/:game/:id', { game: made.game, id: made['match-id'] }));
}

export async function startMatch(game: string, seats: SeatChoice[], options?: JsonObject, joinAs?: string): Promise<void> {
  goToMatch(await makeMatch(game, seats, options, joinAs));
}

export const againstRandom: SeatChoice[] = [{ kind: 'you' }, { kind: 'agent', agent: { kind: 'random' } }];
export const againstAFriend: SeatChoice[] = [{ kind: 'you' }, { kind: 'open' }];

// Test helpers: playing on a page, and matches that play themselves.
import type { Page } from 'playwright-core';
import { matchName } from '../src/lib/match_name';
import { Child, program, type Openseat } from './harness';

async function answer<T>(response: Response): Promise<T> {
  if (!response.ok) throw new Error(`${response.url} answered ${response.status}: ${await response.text()}`);
  return (await response.json()) as T;
}

// The match's name: with the invitation, if it is private.
export async function createMatch(server: Openseat, match: unknown): Promise<string> {
  const made = await answer<{ 'match-id': string; invite?: string }>(
    await fetch(`${server.url}/api/v1/matches`, { method: 'POST', body: JSON.stringify(match) }),
  );
  return matchName(made['match-id'], made.invite);
}

const kPauseMs = 50;
const kPatienceMs = 60_000;

// Polls until there is an answer; fails after a minute, naming `what` was missing.
async function waitFor<T>(what: string, ask: () => Promise<T | undefined>): Promise<T> {
  for (const end = Date.now() + kPatienceMs; Date.now() < end; ) {
    const found = await ask();
    if (found !== undefined) return found;
    await new Promise((done) => setTimeout(done, kPauseMs));
  }
  throw new Error(`there is no ${what} after a minute`);
}

// Resolves when the match is over.
export async function waitForTheEnd(server: Openseat, id: string): Promise<void> {
  await waitFor(`end of the match ${id}`, async () => {
    const table = await answer<{ status: string }>(await fetch(`${server.url}/api/v1/tables/${id}`));
    return table.status === 'done' ? table : undefined;
  });
}

// A match of two random bots, played to the end.
export async function finishedTicTacToe(server: Openseat): Promise<string> {
  const id = await createMatch(server, {
    game: 'tictactoe',
    seats: [
      { name: 'Alex', agent: { kind: 'random', seed: 3 } },
      { name: 'Sam', agent: { kind: 'random', seed: 4 } },
    ],
  });
  await waitForTheEnd(server, id);
  return id;
}

// A whole Netrunner match of two bots, whose replay has several pages. Some matches are too short: then another is played.
export async function longNetrunner(server: Openseat): Promise<string> {
  for (;;) {
    const id = await createMatch(server, { game: 'netrunner', options: { format: 'system-gateway-beginner' }, seats: [{ agent: { kind: 'bot' } }, { agent: { kind: 'bot' } }] });
    await waitForTheEnd(server, id);
    const { pages } = await answer<{ pages: number }>(await fetch(`${server.url}/api/v1/tables/${id}/replay`));
    if (pages > 1) return id;
  }
}

// A model playing tic-tac-toe: its first answer is wrapped, the second violates the schema, then it takes the first
// offered cell. Hosted games ask for the number of a choice, a game elsewhere for its data.
export function stumblingModel(prompt: string, call: number): string {
  if (prompt.includes('Your choices:')) {
    if (call === 0) return 'The corner is mine. Here is my move:\n```json\n{"choice": "1",}\n```';
    return call === 1 ? '{"choice": "77"}' : '{"choice": "1"}';
  }
  const offered = /"enum":\s*(\[\[.*?\]\])/.exec(prompt.slice(prompt.lastIndexOf('"enum"')))?.[1];
  const cells = JSON.parse(offered ?? '[[0,0]]') as number[][];
  return JSON.stringify({ position: cells[0] });
}

// A match of the model "tiny", which the server was started with, against a random bot, played to the end.
export async function matchOfModel(server: Openseat): Promise<string> {
  const id = await createMatch(server, {
    game: 'tictactoe',
    seats: [
      { name: 'Tiny', agent: { kind: 'llm', model: 'tiny' } },
      { name: 'Sam', agent: { kind: 'random', seed: 4 } },
    ],
  });
  await waitForTheEnd(server, id);
  return id;
}

// The player whose turn it is, or that the game is over: waits while the opponent chooses.
export async function myTurn(page: Page): Promise<boolean> {
  const status = page.locator('.standing').filter({ hasText: /Your turn|won|draw/ });
  await status.waitFor();
  return (await status.textContent())?.includes('Your turn') ?? false;
}

// The demo game, which plays this many games (0: endlessly) at the server, as fast as it gets answers.
export function playDemo(server: Openseat, games: number): Child {
  return new Child(program, ['demo', 'tictactoe', '--url', server.ws, '--games', String(games), '--pace', '0', '--seed', '3']);
}

// The id of the connected game's table; waits for it.
export function remoteTable(server: Openseat): Promise<string> {
  return waitFor('game that is connected', async () => {
    const { tables } = await answer<{ tables: { id: string; kind: string; status: string }[] }>(await fetch(`${server.url}/api/v1/tables`));
    return tables.find((each) => each.kind === 'remote' && each.status === 'connected')?.id;
  });
}

export interface AgentSpec {
  kind: string;
  [option: string]: unknown;
}

export async function seatAgent(server: Openseat, table: string, agent: AgentSpec): Promise<void> {
  await answer(await fetch(`${server.url}/api/v1/tables/${table}/seats/0/agent`, { method: 'POST', body: JSON.stringify(agent) }));
}

const demos = new WeakMap<Openseat, Child>();

// The demo game at a watchable pace, as long as the server lives, with `agent` in its seat; nobody answers
// unless one is given.
export async function remoteTicTacToe(server: Openseat, agent: AgentSpec = { kind: 'external' }): Promise<void> {
  if (!demos.has(server)) demos.set(server, new Child(program, ['demo', 'tictactoe', '--url', server.ws, '--games', '0', '--pace', '20', '--seed', '3', '--quiet']));
  await seatAgent(server, await remoteTable(server), agent);
}

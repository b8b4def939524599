// Moves of the tests: playing from a page, and matches that play themselves.
import type { Page } from 'playwright-core';
import { Child, program, type Openseat } from './harness';

async function answer<T>(response: Response): Promise<T> {
  if (!response.ok) throw new Error(`${response.url} answered ${response.status}: ${await response.text()}`);
  return (await response.json()) as T;
}

export async function createMatch(server: Openseat, match: unknown): Promise<string> {
  const made = await answer<{ 'match-id': string }>(
    await fetch(`${server.url}/api/v1/matches`, { method: 'POST', body: JSON.stringify(match) }),
  );
  return made['match-id'];
}

// Resolves when the match is over.
export async function waitForTheEnd(server: Openseat, id: string): Promise<void> {
  for (;;) {
    const table = await answer<{ status: string }>(await fetch(`${server.url}/api/v1/tables/${id}`));
    if (table.status === 'done') return;
  }
}

// A match of two random bots, played to its end.
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

// A model at tic-tac-toe: its first answer is wrapped, the second breaks the schema, then it takes the first cell that is
// offered.
export function stumblingModel(prompt: string, call: number): string {
  const offered = /"enum":\s*(\[\[.*?\]\])/.exec(prompt.slice(prompt.lastIndexOf('"enum"')))?.[1];
  const cells = JSON.parse(offered ?? '[[0,0]]') as number[][];
  if (call === 0) return `The corner is mine. Here is my move:\n\`\`\`json\n{"position": ${JSON.stringify(cells[0])},}\n\`\`\``;
  if (call === 1) return '{"position": [7, 7]}';
  return JSON.stringify({ position: cells[0] });
}

// A match of the model "tiny", which the server was started with, against a random bot, played to its end.
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

// Whose turn it is, or that it is over: waits while the other one chooses.
export async function myTurn(page: Page): Promise<boolean> {
  const status = page.locator('.standing').filter({ hasText: /Your turn|won|draw/ });
  await status.waitFor();
  return (await status.textContent())?.includes('Your turn') ?? false;
}

const demos = new WeakMap<Openseat, Child>();

// The demo game, which plays as long as the server lives, with `agent` at its seat; nobody answers unless one is given.
// The table's id.
export async function remoteTicTacToe(server: Openseat, agent: { kind: string; [option: string]: unknown } = { kind: 'external' }): Promise<string> {
  if (!demos.has(server)) demos.set(server, new Child(program, ['demo', 'tictactoe', '--url', server.ws, '--games', '0', '--pace', '20', '--seed', '3', '--quiet']));
  for (;;) {
    const { tables } = await answer<{ tables: { id: string; kind: string; status: string }[] }>(await fetch(`${server.url}/api/v1/tables`));
    const table = tables.find((each) => each.kind === 'remote' && each.status === 'connected');
    if (!table) continue;
    await answer(await fetch(`${server.url}/api/v1/tables/${table.id}/seats/0/agent`, { method: 'POST', body: JSON.stringify(agent) }));
    return table.id;
  }
}

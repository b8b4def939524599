// Stories for tests, started and played over the API.
import type { Openseat } from './harness';

async function post<T>(server: Openseat, path: string, body: unknown): Promise<T> {
  const response = await fetch(`${server.url}${path}`, { method: 'POST', body: JSON.stringify(body) });
  const answer = (await response.json()) as { ok: boolean; data: T };
  if (!answer.ok) throw new Error(`${path} answered ${JSON.stringify(answer)}`);
  return answer.data;
}

export async function beginStory(server: Openseat, story: unknown): Promise<string> {
  return (await post<{ id: string }>(server, '/api/games', story)).id;
}

// A story of a few turns, in the Whispering Woods.
export async function storyUnderWay(server: Openseat): Promise<string> {
  const narrator = { kind: 'storyteller', seed: 5 };
  const begun = await post<{ id: string; turn: { choices: { id: string }[] } }>(server, '/api/games', { scenario: 'whispering-woods', player: 'Ana', narrator });
  await post(server, `/api/games/${begun.id}/turns`, { choiceId: begun.turn.choices[1]?.id });
  await post(server, `/api/games/${begun.id}/turns`, { text: 'I hold the lantern up and hum the oldest song that I know.' });
  return begun.id;
}

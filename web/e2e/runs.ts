// A tournament as the arena shows it, played by the real program while the server runs.
import { join } from 'node:path';
import { Child, program, startModel, type Openseat } from './harness';

export const kAgents = ['llm:tiny', 'random', 'random:seed=7'];

// Takes the first of the listed choices. Some answers need a repair, and some games are lost by forfeit: which ones depends on the order of the
// calls, so one game is played at a time.
function answerLikeTiny(_prompt: string, call: number): string {
  if (call >= 10 && call < 20) return '{"position": "somewhere"}';
  const answer = JSON.stringify({ reasoning: 'It is the first one.', choice: '1' });
  return call % 5 === 1 ? `Sure: ${answer.replace(/}$/, ',}')}` : answer;
}

const played = new WeakMap<Openseat, Promise<void>>();

// The run "cup" in the server's data directory: played once.
export function cup(server: Openseat): Promise<void> {
  const known = played.get(server) ?? play(server);
  played.set(server, known);
  return known;
}

async function play(server: Openseat): Promise<void> {
  const model = await startModel(answerLikeTiny);
  try {
    const child = new Child(program, [
      ...['tournament', 'tictactoe,rps', '--agents', kAgents.join(','), '--pairs', '2', '--seed', '7', '--jobs', '1'],
      ...['--model', `tiny=openai:stand-in@${model.url}`, '--out', join(server.dataDir, 'arena', 'cup')],
    ]);
    if ((await child.done()) !== 0) throw new Error(`the tournament failed:\n${child.output}`);
  } finally {
    await model.close();
  }
}

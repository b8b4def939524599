// Recorded runs of `openseat play`, made by the real program while the server runs.
import { Child, program, startModel, type Openseat } from './harness';

export async function recordRun(server: Openseat, name: string, args: string[]): Promise<string> {
  const child = new Child(program, ['play', ...args, '--record', name, '--data-dir', server.dataDir]);
  const id = await child.says(/kept in \S*\/(\S+)/);
  await child.end();
  return id;
}

// A run of a model that mostly takes the first free cell, and one of two bots: ids.
export async function twoRuns(server: Openseat): Promise<[string, string]> {
  const model = await startModel((prompt, call) => {
    const offered = /"enum":\s*(\[\[.*?\]\])/.exec(prompt.slice(prompt.lastIndexOf('"enum"')))?.[1];
    const cell = (JSON.parse(offered ?? '[[0,0]]') as number[][])[0];
    if (call % 7 === 3) return '{"position": [7, 7]}';
    return call % 5 === 1 ? `Sure: {"position": ${JSON.stringify(cell)},}` : JSON.stringify({ position: cell });
  });
  try {
    return [
      await recordRun(server, 'first cell first', ['tictactoe', '--seats', 'llm:tiny,random', '-n', '20', '--seed', '7', '--model', `tiny=openai:stand-in@${model.url}`]),
      await recordRun(server, 'dice', ['tictactoe', '-n', '50', '--seed', '8']),
    ];
  } finally {
    await model.close();
  }
}

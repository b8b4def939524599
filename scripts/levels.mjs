// node levels.mjs OPENSEAT RUN…: writes docs/levels.md, the ratings of the levels of `search`, from runs of
//   openseat tournament GAME --agents search:level=1,…,search:level=8,random --out RUN
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '..');
const [openseat, ...runs] = process.argv.slice(2);
if (!openseat || runs.length === 0) {
  console.error('usage: levels.mjs OPENSEAT RUN…');
  process.exit(2);
}
const names = /levelNames = \[(.*)\]/.exec(readFileSync(join(root, 'web/src/lib/levels.ts'), 'utf8'))[1].split(', ').map((name) => name.slice(1, -1));
const rounded = Math.round;
function section(run) {
  const spec = JSON.parse(readFileSync(join(run, 'run.json'), 'utf8'));
  const agents = JSON.parse(execFileSync(openseat, ['ratings', run, '--anchor', 'random', '--json'], { encoding: 'utf8' })).agents;
  const rows = names.map((name, i) => {
    const rated = agents.find((agent) => agent.agent === `search:level=${i + 1}`);
    return `| ${i + 1} | ${name} | ${rounded(rated.rating)} | ${rounded(rated.low)} to ${rounded(rated.high)} | ${rated.wins} | ${rated.draws} | ${rated.losses} | ${rated.latency_ms} |`;
  });
  const played = agents.reduce((sum, agent) => sum + agent.games, 0) / 2;
  const planned = agents.length * (agents.length - 1) * spec.schedule.pairs;
  return `## ${spec.games[0].title}

${played} games${played < planned ? ` of ${planned}` : ''}.

| level | | rating | 95 % interval | won | drawn | lost | ms per choice |
|---|---|---|---|---|---|---|---|
${rows.join('\n')}
`;
}

writeFileSync(
  join(root, 'docs/levels.md'),
  `# Levels

How well \`search:level=1\` to \`8\` play ([minds.md](minds.md#levels)): ratings in Elo, game by game, with \`random\` at 1500. Anchor your own
tournaments with them: add \`search:level=4\` to the agents, and \`--anchor search:level=4=RATING\` to \`openseat ratings\`.

Everyone met everyone, in both seats: \`openseat tournament GAME --agents search:level=1,…,search:level=8,random --seed 1 --out RUN\`,
with \`--pairs 20\`. A run that was ended early says how many games it has. \`node scripts/levels.mjs build/openseat RUN…\` writes this page from such runs.

${runs.map(section).join('\n')}`,
);

// node levels.mjs OPENSEAT RUN[,RUN…]…: writes docs/levels.md, the ratings of the levels of `search`, from runs of
//   openseat tournament GAME --agents search:level=1,…,search:level=8,random --out RUN
// Several runs of one game, some of which may have fewer of the levels, make one table.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '..');
const [openseat, ...games] = process.argv.slice(2);
if (!openseat || games.length === 0) {
  console.error('usage: levels.mjs OPENSEAT RUN[,RUN…]…');
  process.exit(2);
}
const names = /levelNames = \[(.*)\]/.exec(readFileSync(join(root, 'web/src/lib/levels.ts'), 'utf8'))[1].split(', ').map((name) => name.slice(1, -1));
const rounded = Math.round;
const levelOf = (i) => `search:level=${i + 1}`;
const linesOf = (run, file) =>
  readFileSync(join(run, file), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));

// "31.5 of 40": what `agent` got in the games against `other`.
function score(lines, agent, other) {
  const met = lines.filter(({ seats }) => seats.includes(agent) && seats.includes(other));
  const points = met.reduce((sum, { result, winners, seats }) => sum + (result === 'draw' ? 0.5 : seats[winners[0]] === agent ? 1 : 0), 0);
  return met.length === 0 ? '' : `${points} of ${met.length}`;
}

function section(runs) {
  const specs = runs.map((run) => JSON.parse(readFileSync(join(run, 'run.json'), 'utf8')));
  const lines = runs.flatMap((run) => linesOf(run, 'games.jsonl')).filter(({ result }) => result !== 'void');
  const agents = JSON.parse(execFileSync(openseat, ['ratings', ...runs, '--anchor', 'random', '--json'], { encoding: 'utf8' })).agents;
  const rows = names.map((name, i) => {
    const rated = agents.find(({ agent }) => agent === levelOf(i));
    if (!rated) return `| ${i + 1} | ${name} | not rated yet | | | | | | |`;
    const below = score(lines, levelOf(i), i === 0 ? 'random' : levelOf(i - 1));
    return `| ${i + 1} | ${name} | ${rounded(rated.rating)} | ${rounded(rated.low)} to ${rounded(rated.high)} | ${rated.wins} | ${rated.draws} | ${rated.losses} | ${below} | ${rated.latency_ms} |`;
  });
  const planned = specs.reduce((sum, { agents: all, schedule }) => sum + all.length * (all.length - 1) * schedule.pairs, 0);
  const who = specs
    .map(({ agents: all, schedule }) => `${all.map((agent) => agent.replace('search:level=', 'level ')).join(', ')} (\`--pairs ${schedule.pairs}\`)`)
    .join('; ');
  return `## ${specs[0].games[0].title}

${lines.length} games${lines.length < planned ? ` of ${planned}` : ''} between ${who}.

| level | | rating | 95 % interval | won | drawn | lost | points against the level below | ms per choice |
|---|---|---|---|---|---|---|---|---|
${rows.join('\n')}
`;
}

writeFileSync(
  join(root, 'docs/levels.md'),
  `# Levels

How well \`search:level=1\` to \`8\` play ([minds.md](minds.md#levels)): ratings in Elo, game by game, with \`random\` at 1500. Anchor your own
tournaments with them: add \`search:level=4\` to the agents, and \`--anchor search:level=4=RATING\` to \`openseat ratings\`.

Those whom a section names met each other in both seats: \`openseat tournament GAME --agents search:level=1,…,random --pairs N --seed 1 --out RUN\`,
with the agents and the pairs of the section. A run that was ended early says how many games it has. \`node scripts/levels.mjs build/openseat RUN…\` writes this page from such runs.
The level below the first is \`random\`.

${games.map((runs) => section(runs.split(','))).join('\n')}`,
);

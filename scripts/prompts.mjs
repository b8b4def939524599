// node prompts.mjs OPENSEAT MODEL_STAND_IN [--check]: writes docs/prompts, the prompts of whole games, which language models
// play whose provider is a stand-in. --check compares them with what is written there instead, and fails where they differ.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, request } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '..');
const folder = join(root, 'docs/prompts');
const [openseat, standIn, mode] = process.argv.slice(2);
if (!openseat || !standIn || (mode !== undefined && mode !== '--check')) {
  console.error('usage: prompts.mjs OPENSEAT MODEL_STAND_IN [--check]');
  process.exit(2);
}

// Each game, its options, how many games are played (1), its seats if their prompts differ, and which of them narrates.
const GAMES = [
  { id: 'tictactoe', title: 'Tic-Tac-Toe' },
  { id: 'connectm', title: 'Connect-M' },
  { id: 'rps', title: 'Rock-Paper-Scissors', options: { rounds: 9 } },
  { id: 'chicken', title: 'Chicken' },
  { id: 'netrunner', title: 'Netrunner', games: 6, seats: ['Corp', 'Runner'] },
  { id: 'narrative', title: 'Narrative', options: { scenario: 'last-tram', turns: 6 }, seats: ['narrator', 'player'], narrator: 0 },
];
// What a narrator tells: texts at random would be hard to read.
const NARRATION = {
  narrative: 'The tram hums through streets without a light. Mrs Halloran lifts a corner of the cloth and whispers to her birdcage.',
  emotion: 'neutral',
  choices: [
    { id: '6f9619ff-8b86-4d11-a42d-00cf4fc964ff', label: 'Ask her who is in the cage' },
    { id: '2f1d0a3e-5b7c-4c1d-9e8f-0a1b2c3d4e5f', label: 'Walk to the conductor' },
  ],
};
const KEY = 'sk-stand-in';

// The content of a message, whole or in parts.
const textOf = (content) => (typeof content === 'string' ? content : content.map(({ text }) => text).join('\n\n'));

// A model: a stand-in for its provider, and in front of it a server that keeps what is asked.
class Model {
  prompts = []; // of each request: [{role, content}, …]

  // The stand-in draws its answers from one sequence; the second model takes it up one answer later.
  async begin(skipped, script) {
    this.skipped = skipped;
    this.provider = spawn(standIn, [KEY, script], { stdio: ['pipe', 'pipe', 'inherit'] });
    const [port] = await once(this.provider.stdout, 'data');
    this.port = Number(port);
    this.server = createServer(async (asked, answer) => {
      const parts = [];
      for await (const part of asked) parts.push(part);
      const body = Buffer.concat(parts);
      this.prompts.push(JSON.parse(body).messages.map(({ role, content }) => ({ role, content: textOf(content) })));
      for (; this.skipped > 0; this.skipped -= 1) (await this.pass(asked, body)).resume();
      const reply = await this.pass(asked, body);
      answer.writeHead(reply.statusCode, reply.headers);
      reply.pipe(answer);
    });
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
    return this;
  }
  async pass({ method, url, headers }, body) {
    const passed = request({ port: this.port, method, path: url, headers });
    passed.end(body);
    const [reply] = await once(passed, 'response');
    return reply;
  }
  get url() {
    return `http://127.0.0.1:${this.server.address().port}/openai`;
  }
  end() {
    this.server.closeAllConnections();
    this.server.close();
    this.provider.stdin.end();
  }
}

// The prompts of the games, by seat.
async function play({ id, options, games = 1, narrator }) {
  const tells = Array(20).fill(`say:${narration}`).join();
  const models = await Promise.all([0, 1].map((seat) => new Model().begin(seat, seat === narrator ? tells : '')));
  const flags = ['play', id, '-n', String(games), '--fixed-roles', '--seats', 'llm:first,llm:second', '--seed', '7', '--json'];
  for (const [at, model] of models.entries()) flags.push('--model', `${['first', 'second'][at]}=openai:some-model@${model.url}`);
  if (options) flags.push('--options', JSON.stringify(options));
  const env = { ...process.env, OPENAI_API_KEY: KEY, no_proxy: '127.0.0.1' };
  const game = spawn(openseat, flags, { stdio: ['ignore', 'pipe', 'inherit'], env });
  let said = '';
  game.stdout.on('data', (part) => (said += part));
  const [code] = await once(game, 'close');
  models.forEach((model) => model.end());
  if (code !== 0) throw new Error(`openseat play ${id} ended with ${code}: ${said}`);
  return models.map((model) => model.prompts);
}

const sizeOf = (prompt) => prompt.reduce((sum, { content }) => sum + Buffer.byteLength(content), 0);
const kilobytes = (bytes) => `${(bytes / 1000).toFixed(1)} kB`;
function sizesOf(prompts) {
  const sorted = prompts.map(sizeOf).sort((a, b) => a - b);
  const part = (share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
  return { requests: sorted.length, median: part(0.5), most: part(0.95), largest: sorted.at(-1) };
}

// The first prompt from the middle of the game on that is not shorter than half of them.
function exampleOf(prompts) {
  const { median } = sizesOf(prompts);
  for (let at = Math.floor(prompts.length / 2); at < prompts.length; at += 1) {
    if (sizeOf(prompts[at]) >= median) return at;
  }
  return prompts.length - 1;
}

const NOTE = '<!-- Written by scripts/prompts.mjs; a test compares. -->';
const rowOf = (name, { requests, median, most, largest }) =>
  `| ${name} | ${requests} | ${kilobytes(median)} | ${kilobytes(most)} | ${kilobytes(largest)} |`;
const COLUMNS = '| prompts | half of them up to | 95 % up to | the largest |\n|---|---|---|---|---|';
const quoted = (text) => `~~~~text\n${text.trimEnd()}\n~~~~`;

function pageOf({ id, title, seats }, played) {
  const names = seats ?? ['the first seat', 'the second seat'];
  const lines = [`# Prompts: ${title}`, '', NOTE, '', `| seat ${COLUMNS}`];
  for (const [seat, prompts] of played.entries()) lines.push(rowOf(names[seat], sizesOf(prompts)));
  for (const [seat, prompts] of played.entries()) {
    if (!seats && seat > 0) break;
    const at = exampleOf(prompts);
    const [system, ...messages] = prompts[at];
    lines.push('', `## ${names[seat][0].toUpperCase()}${names[seat].slice(1)}`, '', 'The system prompt:', '', quoted(system.content));
    lines.push('', `Request ${at + 1} of ${prompts.length}: what happened, how things stand, what may be chosen.`);
    for (const { role, content } of messages) lines.push('', ...(messages.length > 1 ? [`${role}:`, ''] : []), quoted(content));
  }
  return { path: `${id}.md`, text: lines.join('\n') + '\n' };
}

const temporary = mkdtempSync(join(tmpdir(), 'openseat-prompts-'));
const narration = join(temporary, 'narration.json');
writeFileSync(narration, JSON.stringify(NARRATION));
const pages = [];
const rows = [];
for (const game of GAMES) {
  const played = await play(game);
  pages.push(pageOf(game, played));
  rows.push(rowOf(`[${game.title}](${game.id}.md)`, sizesOf(played.flat())));
}
rmSync(temporary, { recursive: true });
const intro = `# Prompts

${NOTE}

What language models are asked, game by game: a page has the system prompt and a request from the middle of a game. Two models play
each game once (Netrunner six times); their provider is a stand-in that chooses at random. \`node scripts/prompts.mjs OPENSEAT MODEL_STAND_IN\` writes
the pages, and a test fails when they are out of date.

A request has three parts: the **system prompt** (who the model is, the rules, its instructions), the **history** (what happened, in
sentences; the oldest is forgotten first) and the **question** (how things stand, what may be chosen, the form of the answer). How
things stand is said once, in the question; nothing of an earlier question stays.

| game ${COLUMNS}
${rows.join('\n')}

Sizes are bytes of all messages of a request, without the schema that goes with it.
`;
pages.push({ path: 'README.md', text: intro });

let stale = 0;
mkdirSync(folder, { recursive: true });
for (const { path, text } of pages) {
  const file = join(folder, path);
  if (mode !== '--check') {
    writeFileSync(file, text);
    continue;
  }
  const kept = existsSync(file) ? readFileSync(file, 'utf8').split('\n') : [];
  const now = text.split('\n');
  const differs = now.findIndex((line, at) => line !== kept[at]);
  if (differs < 0 && now.length === kept.length) continue;
  const at = differs < 0 ? now.length : differs;
  console.error(`docs/prompts/${path}:${at + 1} was ${JSON.stringify(kept[at])}, is ${JSON.stringify(now[at])}; scripts/prompts.mjs writes it again`);
  stale += 1;
}
process.exit(stale > 0 ? 1 : 0);

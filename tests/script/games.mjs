// Games written as scripts, at the real program: every shipped game is killed (-9) in its middle and goes on; the folder is
// read again while matches go on; games are uploaded, checked and deleted; what is whispered stays private; search plays.
// usage: node games.mjs OPENSEAT
import { spawn, spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const openseat = process.argv[2];
const dir = mkdtempSync(join(tmpdir(), 'openseat-games-'));
const folder = join(dir, 'games');
cpSync(join(dirname(fileURLToPath(import.meta.url)), '../../games'), folder, { recursive: true });
const nim = readFileSync(join(folder, 'nim.js'), 'utf8');
let server, url;
let logged = '';

function expect(holds, what) {
  if (!holds) throw new Error(what);
}
function start() {
  return new Promise((resolve, reject) => {
    server = spawn(openseat, ['serve', '--listen', '127.0.0.1:0', '--chimera-listen', 'none', '--data-dir', join(dir, 'data'), '--games', folder,
      '--agent-rate', '0', '--log-level', 'warn'], { stdio: ['ignore', 'pipe', 'pipe'] });
    server.stderr.on('data', (bytes) => {
      logged += bytes;
      process.stderr.write(bytes);
    });
    let out = '';
    server.stdout.on('data', (bytes) => {
      out += bytes;
      url = /listens on (\S+)\n/.exec(out)?.[1];
      if (url) resolve();
    });
    server.on('exit', () => reject(new Error('the server did not start')));
  });
}
function end(signal) {
  return new Promise((resolve) => {
    server.removeAllListeners('exit');
    server.on('exit', resolve);
    server.kill(signal);
  });
}
async function ask(method, path, body, headers = {}) {
  const answer = await fetch(url + path, { method, headers, body: body === undefined ? undefined : JSON.stringify(body) });
  return { status: answer.status, body: await answer.json() };
}
async function good(method, path, body, headers) {
  const answer = await ask(method, path, body, headers);
  expect(answer.status < 300, `${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
  return answer.body;
}
// Asks again until it holds: the folder is looked at once a second.
async function eventually(what, holds) {
  for (const begin = Date.now(); !(await holds()); await new Promise((resolve) => setTimeout(resolve, 50))) {
    expect(Date.now() - begin < 60_000, what);
  }
}
const names = ['Ana', 'Bo', 'Cem', 'Dee', 'Eli'];

async function makeMatch(game, seats, options) {
  const made = await good('POST', '/api/v1/matches',
    { game, options, seats: Array.from({ length: seats }, (_, i) => ({ name: names[i], agent: { kind: 'external' } })) });
  return { id: made['match-id'], keys: made.seats.map((seat) => seat['api-key']) };
}
const stateOf = (key, query = '') => good('GET', `/game/state${query}`, undefined, { 'X-JNet-API': key });

// One of the commands that an answer offers, with data that its schema lists.
function choiceOf(commands, turn, text) {
  const { command, schema } = commands[turn % commands.length];
  if (!schema) return { command };
  if (schema.enum) return { command, args: schema.enum[turn % schema.enum.length] };
  const args = {};
  for (const [name, member] of Object.entries(schema.properties)) args[name] = member.enum ? member.enum[turn % member.enum.length] : text;
  return { command, args };
}
// Plays up to `most` choices of the seats that are asked; returns how many there were.
async function play(match, most, textOf = () => 'Hello.') {
  let made = 0;
  for (let idle = 0; made < most && idle < match.keys.length;) {
    const key = match.keys[(made + idle) % match.keys.length];
    const { 'available-actions': actions } = await stateOf(key);
    if (actions['action-type'] === 'game-over') return made;
    if (!actions['can-act'] || actions['action-type'] === 'voluntary') {
      ++idle;
      continue;
    }
    const choice = choiceOf(actions['available-commands'], made, textOf(made));
    match.said?.(match.keys.indexOf(key), choice, made);
    await good('POST', '/game/action', choice, { 'X-JNet-API': key });
    idle = 0;
    ++made;
  }
  return made;
}
const tableOf = (match) => good('GET', `/api/v1/tables/${match.id}`);

async function killEveryGame() {
  const { games } = await good('GET', '/api/v1/games');
  const { games: hosted } = await good('GET', '/api/v1/hosted-games');
  const scripts = games.filter(({ from }) => from === 'folder');
  expect(scripts.length >= 14, `${scripts.length} games come from the folder`);
  const matches = [];
  for (const { id, version } of scripts) {
    const match = await makeMatch(id, hosted.find((game) => game.id === id).min_seats);
    Object.assign(match, { game: id, version, played: await play(match, 2) });
    expect(match.played === 2, `${id}: ${match.played} choices`);
    match.before = await Promise.all(match.keys.map((key) => stateOf(key)));
    matches.push(match);
  }
  await end('SIGKILL');
  await start();
  for (const match of matches) {
    const after = await Promise.all(match.keys.map((key) => stateOf(key)));
    for (const [seat, state] of after.entries()) {
      const shown = ({ 'agent-state': own, 'available-actions': { eid, ...actions } }) => JSON.stringify([own, actions]);
      expect(shown(state) === shown(match.before[seat]), `${match.game} after the kill: ${shown(state)} instead of ${shown(match.before[seat])}`);
    }
    expect((await play(match, 1)) === 1, `${match.game} does not go on`);
    for (const seat of match.keys.keys()) await good('POST', `/api/v1/tables/${match.id}/seats/${seat}/agent`, { kind: 'random' });
  }
  for (const match of matches) {
    await eventually(`${match.game} is not played to its end`, async () => (await tableOf(match)).status === 'done');
    const { reason } = await tableOf(match);
    expect(!/script|answer|nothing happened/.test(reason), `${match.game} ended: ${reason}`);
  }
  return matches;
}

async function reloadWhileMatchesGoOn() {
  const listed = async (id) => (await good('GET', '/api/v1/games')).games.find((game) => game.id === id);
  const before = await listed('nim');
  const old = await makeMatch('nim', 2);
  await play(old, 1);
  writeFileSync(join(folder, 'nim.js'), nim.replace("title: 'Nim'", "title: 'Nim, changed'"));
  await eventually('nim.js is not read again', async () => (await listed('nim')).title === 'Nim, changed');
  const after = await listed('nim');
  expect(after.version !== before.version, 'the version is the same');
  const fresh = await makeMatch('nim', 2);
  writeFileSync(join(folder, 'nim.js'), `${nim}\n}`);
  writeFileSync(join(folder, 'broken.ts'), 'const a: = 5;');
  await eventually('the broken file is not told', async () => /^nim\.js:\d+:\d+: /.test((await listed('nim')).problem));
  expect((await listed('nim')).version === after.version, 'the broken file is offered');
  const { problems } = await good('GET', '/api/v1/games');
  expect(problems.length === 1 && problems[0].problem.startsWith('broken.ts:1:10: this is not TypeScript'), JSON.stringify(problems));
  for (const [match, { version }] of [[old, before], [fresh, after]]) {
    const { events } = await good('GET', `/api/v1/tables/${match.id}/transcript?viewer=all&limit=1`);
    expect(events[0].payload.rules_version === version, `a match of another version: ${JSON.stringify(events[0].payload)}`);
  }
  rmSync(join(folder, 'nim.js'));
  rmSync(join(folder, 'broken.ts'));
  await eventually('nim is still offered', async () => !(await listed('nim')));
  expect((await ask('POST', '/api/v1/matches', { game: 'nim' })).status === 404, 'a match of a game that is gone');
  await end('SIGKILL');
  await start();
  for (const match of [old, fresh]) {
    await play(match, 100);
    expect((await tableOf(match)).status === 'done', 'a match of a game that is gone does not go on');
  }
  writeFileSync(join(folder, 'nim.js'), nim);
  await eventually('nim is not offered again', async () => (await listed('nim'))?.version === before.version);
  return old;
}

async function uploadAndDelete() {
  const textOf = (change) => nim.replace("id: 'nim'", "id: 'my-nim'") + change;
  const files = (text, name = 'my-nim.js') => ({ files: [{ name, text }], games: 3 });
  const report = await good('POST', '/api/v1/games/check', files(textOf('')));
  expect(report.ok && report.game === 'my-nim' && report.complaints.length === 0 && report.games === 3, JSON.stringify(report));
  const wrong = await good('POST', '/api/v1/games/check', files(textOf('\n;oops();')));
  expect(!wrong.ok && wrong.complaints[0].startsWith(`my-nim.js:${nim.split('\n').length + 1}:`) && wrong.version === undefined, JSON.stringify(wrong));
  // What is wrong with a game that is only checked is no news of this server.
  const spoiled = textOf('').replace('export const view =', 'export const view = () => { throw new Error("only checked"); };\nconst old =');
  const failing = await good('POST', '/api/v1/games/check', files(spoiled));
  expect(!failing.ok && failing.complaints.some((each) => each.includes('only checked')), JSON.stringify(failing));
  const typed = await good('POST', '/api/v1/games/check', files(textOf('\nlet x: number = "5" as any as number;'), 'my-nim.ts'));
  expect(typed.ok && typed.version !== report.version, JSON.stringify(typed));
  expect((await ask('POST', '/api/v1/games', files(textOf('\nexport const outcome = () => null;').replace('export function outcome', 'function old')))).status === 422, 'a game without an end is taken');
  expect((await ask('POST', '/api/v1/games', files(nim))).status === 409, 'a game of the folder is replaced');
  expect((await ask('POST', '/api/v1/games', { files: [{ name: '../x.js', text: '' }] })).status === 400, 'a name outside of the folder');
  const made = await ask('POST', '/api/v1/games', files(textOf('')));
  expect(made.status === 201 && made.body.version === report.version, JSON.stringify(made));
  expect((await ask('POST', '/api/v1/games', files(textOf('// again\n')))).status === 200, 'a new version');
  await end('SIGKILL');
  await start();
  const source = await good('GET', '/api/v1/games/my-nim/source');
  expect(source.from === 'upload' && source.files[0].text === textOf('// again\n'), JSON.stringify(source));
  const match = await makeMatch('my-nim', 2);
  expect((await ask('DELETE', '/api/v1/games/my-nim')).status === 409, 'deleted in the middle of a match');
  await play(match, 100);
  await makeMatch('nim', 2); // is being played
  const kept = await ask('DELETE', '/api/v1/games/nim');
  expect(kept.status === 409 && JSON.stringify(kept.body).includes('folder'), `a game of the folder is deleted: ${JSON.stringify(kept)}`);
  expect((await ask('DELETE', '/api/v1/games/tictactoe')).status === 404, 'a game of the program is deleted');
  await good('DELETE', '/api/v1/games/my-nim');
  expect((await ask('GET', '/api/v1/games/my-nim/source')).status === 404, 'it is still there');
  expect((await good('GET', `/api/v1/tables/${match.id}/replay`)).steps.length > 2, 'its match can no longer be replayed');
}

// Each text is made once; the seats that may know it are kept.
async function whisper() {
  const match = await makeMatch('wolves', 5);
  const secrets = [];
  match.said = (seat, { command, args }, made) => {
    if (command === 'murmur') secrets.push([`secret-${made}-`, [seat]]); // there is one wolf
    if (command === 'whisper') secrets.push([`secret-${made}-`, [seat, args.player - 1]]);
  };
  await play(match, 40, (made) => `secret-${made}-`);
  expect(secrets.length > 5, 'little was said');
  for (const viewer of ['spectator', 0, 1, 2, 3, 4]) {
    const record = await good('GET', `/api/v1/tables/${match.id}/transcript?viewer=${viewer}&limit=10000`);
    const seen = [record, await good('GET', `/api/v1/tables/${match.id}/replay?viewer=${viewer}`), await tableOf(match)];
    if (viewer !== 'spectator') seen.push(await stateOf(match.keys[viewer]));
    const printed = spawnSync(openseat, ['replay', match.id, '--data-dir', join(dir, 'data'), '--as', String(viewer)], { encoding: 'utf8' });
    expect(printed.status === 0, printed.stderr);
    const text = JSON.stringify(seen) + printed.stdout;
    for (const [secret, ears] of secrets) expect(ears.includes(viewer) || !text.includes(secret), `${viewer} knows ${secret}`);
    if (viewer !== 'spectator') expect(secrets.some(([secret, ears]) => ears.includes(viewer) && text.includes(secret)), `${viewer} knows nothing`);
  }
}

async function searchPlays() {
  const matches = [];
  for (const [game, options] of [['nim'], ['leduc'], ['hex', { size: 4 }], ['goofspiel'], ['thorns'], ['wolves']]) {
    const { games } = await good('GET', '/api/v1/hosted-games');
    const seats = games.find(({ id }) => id === game).min_seats;
    const agents = Array.from({ length: seats }, (_, i) => ({ name: names[i], agent: i === 0 ? { kind: 'search', iterations: 8 } : { kind: 'random' } }));
    matches.push({ game, id: (await good('POST', '/api/v1/matches', { game, options, seats: agents }))['match-id'] });
  }
  for (const match of matches) {
    await eventually(`search does not end ${match.game}`, async () => (await tableOf(match)).status === 'done');
    const { reason } = await tableOf(match);
    expect(!/script|answer/.test(reason), `${match.game} ended: ${reason}`);
  }
}

try {
  await start();
  for (const step of [killEveryGame, reloadWhileMatchesGoOn, uploadAndDelete, whisper, searchPlays]) {
    await step();
    console.log(`${step.name}: passed`);
  }
  await end('SIGTERM');
  expect(!logged.includes('only checked'), `a check filled the log: ${logged}`);
} catch (error) {
  console.error(`FAILED: ${error.stack}`);
  process.exitCode = 1;
  await end('SIGKILL');
} finally {
  rmSync(dir, { recursive: true, force: true });
}

// node run.mjs OPENSEAT PACKAGES: runs action.yml the way GitHub's runner does, with the real program and real games.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import test from 'node:test';
import { fileURLToPath } from 'node:url';

import { runAction } from './runner.mjs';

const [openseat, packages] = process.argv.slice(2).map((path) => resolve(path));
const here = dirname(fileURLToPath(import.meta.url));
const root = resolve(here, '../..');
const { parse } = createRequire(join(packages, 'package.json'))('yaml');
const project = readFileSync(join(root, 'CMakeLists.txt'), 'utf8');
const [, version] = /^project\(openseat VERSION (\S+) /m.exec(project);
const [, repository] = /HOMEPAGE_URL "https:\/\/github\.com\/([^"]+)"/.exec(project);
const action = parse(readFileSync(join(root, 'action.yml'), 'utf8'));

const folder = mkdtempSync(join(tmpdir(), 'openseat-action-test-'));
test.after(() => rmSync(folder, { recursive: true, force: true }));
function file(name, content) {
  writeFileSync(join(folder, name), typeof content === 'string' ? content : JSON.stringify(content));
  return join(folder, name);
}
const demo = (...options) => `'${openseat}' demo tictactoe --quiet --pace 0 --seed 1 --url "$NEURO_SDK_WS_URL" ${options.join(' ')}`;
const run = (inputs, more = {}) =>
  runAction({ action, path: root, temp: folder, inputs: { openseat, listen: '127.0.0.1:0', quiet: '0.3', ...inputs }, ...more });
const named = (commands, name) => commands.filter((command) => command.name === name);

// Whether a process has ended, or is a zombie.
function ended(pid) {
  try {
    return /\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return true;
  }
}

// Checks what must exist no matter how the check ends.
function assertFiles({ outputs, work }) {
  assert.match(basename(outputs.logfile), /^vicky_\d\d-\d\d-\d{4}_\d\d-\d\d-\d\d_4711\.log$/);
  assert.equal(dirname(outputs.logfile), work);
  for (const line of readFileSync(outputs.logfile, 'utf8').trimEnd().split('\n')) {
    assert.match(line, /^\[\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z\] (debug|info|warn|error|critical): ./);
  }
  assert.ok(Array.isArray(JSON.parse(readFileSync(outputs['actions-store'], 'utf8'))));
  assert.ok(Array.isArray(JSON.parse(readFileSync(outputs['context-store'], 'utf8'))));
  execFileSync('xmllint', ['--noout', '--schema', join(here, 'junit.xsd'), outputs.junit], { stdio: 'pipe' });
}
const junitOf = ({ outputs }) => readFileSync(outputs.junit, 'utf8');

test('the example workflow uses only what exists', () => {
  const workflow = parse(readFileSync(join(root, 'examples/neuro_check/workflow.yml'), 'utf8'));
  const { container, steps } = workflow.jobs.check;
  assert.equal(container, undefined, 'any Linux runner works');
  const step = steps.find(({ uses }) => uses === `${repository}@v${version}`);
  assert.ok(step.with.actions && step.with.game);
  for (const name of Object.keys(step.with)) assert.ok(name in action.inputs, name);
  const used = [...JSON.stringify(steps).matchAll(/steps\.(\w+)\.outputs\.([\w-]+)/g)];
  assert.ok(used.length >= 4);
  for (const [, id, output] of used) assert.ok(id === step.id && output in action.outputs, output);
});

test('the example script plays the demo', async () => {
  const done = await run({ actions: join(root, 'examples/neuro_check/script.json'), game: demo('--games 1') });
  assert.equal(done.code, 0, done.stdout);
  assert.deepEqual(named(done.commands, 'warning'), []);
});

test('every input, output and step has a description', () => {
  for (const [name, { description }] of [...Object.entries(action.inputs), ...Object.entries(action.outputs)]) {
    assert.ok(description?.endsWith('.'), name);
  }
  assert.deepEqual(Object.keys(action.outputs), ['logfile', 'actions-store', 'context-store', 'junit', 'grade', 'game-log', 'result']);
  for (const step of action.runs.steps) assert.ok(step.name);
});

// Fails when an option is added to the program but not to the action.
test('every option that the program takes from the environment is an input', () => {
  const help = execFileSync(openseat, ['check', '--help'], { encoding: 'utf8' });
  const options = [...help.matchAll(/--([a-z-]+)[^\n]*\(Env:(INPUT_[A-Z_]+)\)/g)];
  assert.ok(options.length >= 11);
  const { env } = action.runs.steps.find((step) => step.id === 'check');
  for (const [, option, variable] of options) {
    assert.ok(option in action.inputs, option);
    assert.equal(env[variable], `\${{ inputs.${option} }}`);
  }
  const named = new Set(options.map(([, option]) => option));
  for (const name of Object.keys(action.inputs)) assert.ok(named.has(name) || ['game', 'openseat', 'version', 'sha256', 'releases', 'build'].includes(name), name);
});

test('the hyphens that the runner leaves in the names of inputs are accepted', () => {
  const logs = join(folder, 'hyphens');
  const none = file('none.json', {});
  const checked = () =>
    execFileSync(openseat, ['check', '--actions', none, '--listen', '127.0.0.1:0', '--connect-timeout', '0.2'], {
      env: { ...process.env, 'INPUT_LOG-DIR': logs, 'INPUT_RUN-ID': 'hyphen', INPUT_RUN_ID: '' },
      stdio: 'pipe',
    });
  assert.throws(checked, { status: 1 });
  assert.ok(readdirSync(logs).some((name) => name.endsWith('_hyphen.log')));
});

test('other machines are let in on request', async () => {
  const inputs = { actions: file('none.json', {}), game: demo('--games 1'), listen: '0.0.0.0:0' };
  assert.equal((await run(inputs)).code, 2);
  const done = await run({ ...inputs, insecure: 'true' });
  assert.equal(done.code, 0, done.stdout);
  assert.equal((await run({ ...inputs, insecure: 'false' })).code, 2);
});

test('a game that does everything right passes', async () => {
  const done = await run({
    actions: file('move.json', { move: { position: [1, 1] } }),
    game: demo('--games 2'),
  });
  assert.equal(done.code, 0, done.stdout);
  assert.equal(done.outputs.result, 'passed');
  assert.equal(done.outputs.grade, 'A');
  assertFiles(done);
  assert.match(done.summary, /^## ✅ /);
  assert.match(done.summary, /Tic-Tac-Toe/);
  assert.match(readFileSync(done.outputs['context-store'], 'utf8'), /"Now playing \(Tic-Tac-Toe\)"/);
  assert.doesNotMatch(readFileSync(done.outputs['actions-store'], 'utf8'), /Now playing/);
  assert.deepEqual(named(done.commands, 'error').concat(named(done.commands, 'warning')), []);
  assert.match(done.stdout, /debug: Sent action: id \S+, name move, data \{"position":\[1,1\]\}/);
  assert.match(readFileSync(done.outputs['game-log'], 'utf8'), /2 games: /);
  assert.match(junitOf(done), / failures="0" /);
  assert.deepEqual(readdirSync(done.work).filter((name) => name.startsWith('console')), []);
});

test('data that does not match is a warning, and fails on request', async () => {
  const actions = file('misfit.json', { move: { position: 'the middle' } });
  const lenient = await run({ actions, game: demo('--games 1') });
  assert.equal(lenient.code, 0, lenient.stdout);
  assert.equal(lenient.outputs.result, 'passed');
  assert.equal(named(lenient.commands, 'warning').length, 1);
  assert.match(named(lenient.commands, 'warning')[0].properties, /^title=openseat check%3A script\/data$/);
  assertFiles(lenient);

  const strict = await run({ actions, game: demo('--games 1'), 'fail-on': 'warn' });
  assert.equal(strict.code, 1, strict.stdout);
  assert.equal(strict.outputs.result, 'failed');
  assert.match(strict.summary, /^## ❌ /);
  assert.match(junitOf(strict), /<failure type="script\/data"/);
  assertFiles(strict);
});

test('a script that cannot be finished fails, with everything written', async () => {
  const done = await run({ actions: file('fly.json', { fly: {} }), game: demo('--games 1'), timeout: '3' });
  assert.equal(done.code, 1, done.stdout);
  assert.equal(done.outputs.result, 'failed');
  assert.ok(named(done.commands, 'error').length >= 1);
  assert.match(done.summary, /<code>fly<\/code>.*not sent/);
  assertFiles(done);
});

test('a game that fails to start is not waited for', async () => {
  const began = Date.now();
  const done = await run({ actions: file('none.json', {}), game: 'echo no display >&2; exit 3', timeout: '300' });
  assert.equal(done.code, 1, done.stdout);
  assert.ok(Date.now() - began < 60_000);
  assert.equal(done.outputs.result, 'failed');
  assert.match(done.stdout, /no display\nThe command of the game ended with exit code 3/);
  assert.match(done.stdout, /critical: The command of the game ended with exit code 3, and no game had connected \[game\/not-started\]/);
  assertFiles(done);
});

test('a game that another program started is checked as well', async () => {
  // The free port is known only once the checker has it, so the game learns it from the log.
  const logs = join(folder, 'logs');
  mkdirSync(logs);
  const started = (child) => {
    let text = '';
    child.stdout.on('data', (part) => {
      const before = text;
      text += part;
      const waiting = /Waiting for a game at (\S+)/;
      if (waiting.test(text) && !waiting.test(before)) {
        execFileSync('bash', ['-c', `(${demo('--games 1')}) >/dev/null 2>&1 &`], { env: { ...process.env, NEURO_SDK_WS_URL: waiting.exec(text)[1] }, stdio: 'ignore' });
      }
    });
  };
  const done = await run({ actions: file('none.json', {}), 'log-dir': logs, 'run-id': 'a/b' }, { started });
  assert.equal(done.code, 0, done.stdout);
  assert.equal(done.outputs['game-log'], '');
  assert.equal(dirname(done.outputs.logfile), logs);
  assert.match(done.outputs.logfile, /_a-b\.log$/);
});

test('a game that keeps running is ended with the check', async () => {
  const done = await run({
    actions: file('none.json', {}),
    // The sleeper is named first: the check may end as soon as the demo does.
    game: `sleep 600 & echo "sleeper $!"; ${demo('--games 1')}; wait`,
  });
  assert.equal(done.code, 0, done.stdout);
  const [, pid] = /sleeper (\d+)/.exec(readFileSync(done.outputs['game-log'], 'utf8'));
  assert.ok(ended(pid), `process ${pid} still runs`);
});

test('a step that is canceled leaves complete files', async () => {
  const started = (child) => child.stdout.on('data', (text) => /A game connected/.test(text) && child.kill('SIGTERM'));
  const done = await run({ actions: file('fly.json', { fly: {} }), game: demo('--games 0'), timeout: '30' }, { started });
  assert.equal(done.code, 1, done.stdout);
  assert.equal(done.outputs.result, 'failed');
  assert.match(done.stdout, /run\/interrupted/);
  assertFiles(done);
});

test('a text of the game is never a command to the runner', async () => {
  const done = await run({
    actions: file('none.json', {}),
    game: `'${process.execPath}' '${join(here, 'evil_game.mjs')}' '${packages}'`,
  });
  assert.equal(done.code, 1, done.stdout);
  assert.equal(done.outputs.result, 'failed');
  assertFiles(done);
  const names = new Set(done.commands.map((command) => command.name));
  for (const name of names) assert.ok(['error', 'warning', 'group', 'endgroup'].includes(name), name);
  for (const { properties } of [...named(done.commands, 'error'), ...named(done.commands, 'warning')]) {
    assert.match(properties, /^title=openseat check/);
  }
  assert.ok(named(done.commands, 'error').length >= 2);
  assert.doesNotMatch(done.summary, /^::|##\[|<b>/m);
  assert.match(junitOf(done), /<failure type="prot\/result\/unexpected"/);
});

test('wrong usage is reported, and is not a verdict on the game', async () => {
  const missing = await run({ actions: join(folder, 'nowhere.json') });
  assert.equal(missing.code, 2, missing.stdout);
  assert.equal(missing.outputs.result, 'error');
  assert.match(missing.stdout, /nowhere\.json/);
  assert.equal(named(missing.commands, 'error').length, 1);

  const program = await run({ actions: file('none.json', {}), openseat: join(folder, 'no such program') });
  assert.equal(program.code, 2);
  assert.match(named(program.commands, 'error')[0].text, /no such program/);
});

// A release page that has one archive with the program, and records the requests that it gets.
async function releasePage({ archive = `openseat-${version}-linux-x86_64`, spoil = false, sums = true } = {}) {
  const tree = mkdtempSync(join(folder, 'release-'));
  mkdirSync(join(tree, archive, 'bin'), { recursive: true });
  writeFileSync(join(tree, archive, 'bin/openseat'), `#!/bin/sh\nexec '${openseat}' "$@"\n`, { mode: 0o755 });
  execFileSync('tar', ['-C', tree, '-czf', join(tree, 'archive'), archive]);
  const bytes = readFileSync(join(tree, 'archive'));
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const files = { [`/v${version}/${archive}.tar.gz`]: spoil ? Buffer.concat([bytes, Buffer.from('x')]) : bytes };
  if (sums) files[`/v${version}/SHA256SUMS`] = Buffer.from(`${sha256}  ${archive}.tar.gz\n${'0'.repeat(64)}  other.deb\n`);
  const asked = [];
  const server = createServer((request, response) => {
    asked.push(request.url);
    response.writeHead(files[request.url] ? 200 : 404);
    response.end(files[request.url]);
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  server.unref();
  return { releases: `http://127.0.0.1:${server.address().port}`, asked, sha256, close: () => server.close() };
}
const tools = () => mkdtempSync(join(folder, 'tools-'));
const linux = (cache) => ({ RUNNER_OS: 'Linux', RUNNER_ARCH: 'X64', RUNNER_TOOL_CACHE: cache });
const none = () => file('none.json', {});

test('the program of this version is downloaded once, checked each time, and played with', async () => {
  const page = await releasePage();
  const cache = tools();
  const inputs = { openseat: '', actions: none(), game: demo('--games 1'), releases: page.releases };
  const done = await run(inputs, { env: linux(cache) });
  assert.equal(done.code, 0, done.stdout);
  assert.equal(done.outputs.result, 'passed');
  const archive = `openseat-${version}-linux-x86_64`;
  assert.deepEqual(page.asked, [`/v${version}/${archive}.tar.gz`, `/v${version}/SHA256SUMS`]);
  assert.equal(done.uses.length, 1);
  assert.match(done.uses[0].uses, /^actions\/cache@/);
  assert.deepEqual(done.uses[0].with, { path: join(cache, 'openseat', version, 'download'), key: archive });

  // From the cache, without the page.
  page.close();
  rmSync(join(cache, 'openseat', version, archive), { recursive: true });
  const again = await run(inputs, { env: linux(cache) });
  assert.equal(again.code, 0, again.stdout);

  // A program that was changed in the cache is neither run nor kept.
  const kept = join(cache, 'openseat', version, 'download', `${archive}.tar.gz`);
  writeFileSync(kept, 'x');
  const spoilt = await run(inputs, { env: linux(cache) });
  assert.equal(spoilt.code, 2, spoilt.stdout);
  assert.match(named(spoilt.commands, 'error')[0].text, /not what was released/);
  assert.ok(!existsSync(kept));
});

test('an archive that differs from the release is not run', async () => {
  for (const [options, inputs, said] of [
    [{ spoil: true }, {}, /its SHA-256 is [0-9a-f]{64}, expected [0-9a-f]{64}/],
    [{}, { sha256: 'a'.repeat(64) }, /expected a{64}/],
    [{}, { sha256: 'none' }, /64 hexadecimal digits/],
    [{ sums: false }, {}, /SHA256SUMS could not be downloaded/],
    [{ archive: 'something-else' }, {}, /x86_64\.tar\.gz could not be downloaded/],
    [{}, { version: '../../evil' }, /version must be a version such as/],
    [{}, { build: 'maybe' }, /build is true or false/],
  ]) {
    const page = await releasePage(options);
    const done = await run({ openseat: '', actions: none(), releases: page.releases, ...inputs }, { env: linux(tools()) });
    page.close();
    assert.equal(done.code, 2, done.stdout);
    assert.match(named(done.commands, 'error')[0].text, said);
  }
});

test('a hash that the workflow names needs no list', async () => {
  const page = await releasePage({ sums: false });
  const inputs = { openseat: '', actions: none(), game: demo('--games 1'), releases: page.releases, sha256: page.sha256 };
  const done = await run(inputs, { env: linux(tools()) });
  page.close();
  assert.equal(done.code, 0, done.stdout);
  assert.match(done.uses[0].with.key, new RegExp(`-${page.sha256}$`));
});

test('on an unsupported runner, one sentence says what to do', async () => {
  for (const [env, said] of [
    [{ RUNNER_OS: 'Windows', RUNNER_ARCH: 'X64' }, /this runner is Windows: .*runs-on: ubuntu-latest/],
    [{ RUNNER_OS: 'macOS', RUNNER_ARCH: 'ARM64' }, /this runner is macOS: .*runs-on: ubuntu-latest/],
    [{ RUNNER_OS: 'Linux', RUNNER_ARCH: 'ARM64' }, /this runner is ARM64: .*build: true/],
  ]) {
    const done = await run({ openseat: '', actions: none() }, { env });
    assert.equal(done.code, 2, done.stdout);
    assert.equal(named(done.commands, 'error').length, 1);
    assert.match(named(done.commands, 'error')[0].text, said);
  }
});

test('on request, the action builds the program once, and not where it cannot be built', async () => {
  const checkout = join(folder, 'checkout');
  mkdirSync(join(checkout, 'build'), { recursive: true });
  for (const name of ['CMakeLists.txt', 'CMakePresets.json', 'cmake', 'schemas', 'scripts', 'src', 'web']) {
    const filter = (from) => !from.endsWith('node_modules');
    cpSync(join(root, name), join(checkout, name), { recursive: true, filter });
  }
  const elsewhere = file('os-release', 'ID=ubuntu\nVERSION_ID="24.04"\n');
  const inputs = { actions: file('none.json', {}), game: demo('--games 1'), openseat: '', build: 'true' };
  const more = { path: checkout, env: { OPENSEAT_OS_RELEASE: elsewhere } };

  const refused = await run(inputs, more);
  assert.equal(refused.code, 2, refused.stdout);
  assert.match(named(refused.commands, 'error')[0].text, /container: debian:12/);

  symlinkSync(openseat, join(checkout, 'build', 'openseat'));
  const done = await run(inputs, more);
  assert.equal(done.code, 0, done.stdout);
  assert.equal(done.uses.length, 1);
  assert.match(done.uses[0].uses, /^actions\/cache@/);
  assert.equal(done.uses[0].with.path, join(checkout, 'build', 'openseat'));
  assert.match(done.uses[0].with.key, /^openseat-built-Linux-\w+-[0-9a-f]{64}$/);
  assert.equal(done.uses[0].with.key, refused.uses[0].with.key);

  // A different source gives a different program.
  writeFileSync(join(checkout, 'src', 'base', 'new.cc'), '');
  const changed = await run(inputs, more);
  assert.notEqual(changed.uses[0].with.key, done.uses[0].with.key);
});

// node run.mjs OPENSEAT MODEL_STAND_IN: runs the command lines of README and docs.
//
// A block of commands is fenced as `sh`, or as `console` if it also contains output ("$ command"). Its lines are run one
// after the other, and each must succeed; `openseat serve` keeps running until the next `openseat serve`. Addresses that a
// reader would use (port 8000; 9000 for another server; 11434 for a model) lead to servers of the test. A block that cannot
// be run says so in its first line: `# not run: why`. In those blocks, and in commands within text, only the flags are
// checked.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import test from 'node:test';
import { fileURLToPath } from 'node:url';

const [openseat, standIn] = process.argv.slice(2).map((path) => resolve(path));
const root = resolve(dirname(fileURLToPath(import.meta.url)), '../..');
const pages = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '*.md'], { cwd: root, encoding: 'utf8' }).trim().split('\n');
const commandLine = JSON.parse(execFileSync(openseat, ['describe'], { encoding: 'utf8' }));
const KEY = 'sk-test-documents';
const LOOKS_LIKE_ONE = /^ *(\$ )?(sudo |[A-Z_]+=\S+ )*((build\/)?openseat (?!listens)[a-z-]|npx |curl |docker |git clone|\.\/dev |python3 |npm |journalctl |systemctl )/;

const folder = mkdtempSync(join(tmpdir(), 'openseat-docs-test-'));
test.after(() => rmSync(folder, { recursive: true, force: true }));

// The fenced blocks of a page: {name, language, lines}.
function blocksOf(page) {
  const blocks = [];
  let open;
  for (const [at, line] of readFileSync(join(root, page), 'utf8').split('\n').entries()) {
    const fence = /^ *(```|~~~)[`~]*(\w*)/.exec(line);
    if (fence && !open) {
      open = { name: `${page}:${at + 1}`, mark: fence[1], language: fence[2], lines: [] };
    } else if (fence && fence[1] === open.mark) {
      blocks.push(open);
      open = undefined;
    } else {
      open?.lines.push(line);
    }
  }
  assert.equal(open, undefined, `${page}: a block does not end`);
  return blocks;
}
const withoutComment = (line) => line.replace(/(^|\s)#\s.*$/, '').trimEnd();
function commandsOf({ language, lines }) {
  const written = language === 'console' ? lines.filter((line) => line.startsWith('$ ')).map((line) => line.slice(2)) : lines;
  return written.map(withoutComment).filter((line) => line.trim() !== '');
}
const reasonOf = ({ lines }) => /^# not run: (\S.*)$/.exec(lines[0])?.[1];

// Checks that the command has every flag that follows `openseat COMMAND` in `text`.
function checkFlags(text, where) {
  for (const [, rest] of text.matchAll(/(?:^|[\s`(])(?:build\/|\S+\/bin\/)?openseat((?: +(?:'[^']*'|"[^"]*"|[^\s|&;>`)]+))+)/g)) {
    let command = commandLine;
    for (const word of rest.match(/'[^']*'|"[^"]*"|\S+/g)) {
      const below = command.commands.find(({ name }) => name === word);
      if (below) {
        command = below;
        continue;
      }
      if (command === commandLine && !word.startsWith('--')) break; // "journalctl -u openseat -n 5", a sentence
      const flag = /^(--[a-z][a-z-]*|-[a-z])(?==|$|[.,:]$)/.exec(word)?.[1];
      if (!flag || ['--help', '-h', ...(command === commandLine ? ['--version'] : [])].includes(flag)) continue;
      assert.ok(command.options.some(({ names }) => names.includes(flag)), `${where}: openseat ${command.name} has no ${flag}`);
    }
  }
}

// A process that prints the port on which it listens.
class Listener {
  constructor(command, options, said) {
    this.output = '';
    this.child = spawn('bash', ['-c', command.replace(/([^\n]*)$/, 'exec $1')], { stdio: ['pipe', 'pipe', 'pipe'], ...options });
    this.ended = new Promise((done) => this.child.on('close', (code, signal) => done(code ?? signal)));
    this.port = new Promise((found, failed) => {
      const hear = (part) => {
        this.output += part;
        const port = said.exec(this.output)?.[1];
        if (port) found(port);
      };
      this.child.stdout.on('data', hear);
      this.child.stderr.on('data', hear);
      this.ended.then((code) => failed(new Error(`${command} ended with ${code}: ${this.output}`)));
    });
    this.port.catch(() => {});
  }
  async stop() {
    this.child.kill('SIGKILL');
    await this.ended;
  }
}

function run(command, options) {
  return new Promise((done) => {
    const child = spawn('bash', ['-e', '-o', 'pipefail', '-c', command], { stdio: ['ignore', 'pipe', 'pipe'], timeout: 600_000, ...options });
    let output = '';
    child.stdout.on('data', (part) => (output += part));
    child.stderr.on('data', (part) => (output += part));
    child.on('close', (code, signal) => done({ code: code ?? signal, output }));
  });
}

async function runBlock(block) {
  const home = mkdtempSync(join(folder, 'block-'));
  for (const name of ['work/build', 'bin']) mkdirSync(join(home, name), { recursive: true });
  const script = (name, text) => writeFileSync(join(home, name), `#!/bin/bash\n${text}\n`, { mode: 0o755 });
  // With a sanitizer (./dev asan, ./dev tsan), 40 games of Netrunner take half an hour.
  const fewer = process.env.OPENSEAT_NETRUNNER_GAMES === undefined ? '' : '[[ "$1 $2" != "play netrunner" ]] || set -- "${@/#40/4}"\n';
  // No environment variable sets the demo's address.
  script('bin/openseat', `${fewer}[[ $1 != demo || " $* " == *" --url "* ]] || set -- "$@" --url "ws://127.0.0.1:$TEST_PORT"\nexec '${openseat}' "$@"`);
  script('bin/npx', '[[ $1 == openseat ]] && exec "$@"');
  symlinkSync(join(home, 'bin/openseat'), join(home, 'work/build/openseat'));
  symlinkSync(join(root, 'examples'), join(home, 'work/examples'));
  writeFileSync(join(home, '.curlrc'), 'fail\nmax-time = 60\n');

  const env = {
    PATH: `${join(home, 'bin')}:${process.env.PATH}`, HOME: home, LANG: 'C.UTF-8', OPENSEAT_LISTEN: '127.0.0.1:0', INPUT_LISTEN: '127.0.0.1:0',
    OPENSEAT_CHIMERA_LISTEN: 'none', INPUT_QUIET: '0.3', TEST_PORT: '0',
  };
  const options = { cwd: join(home, 'work'), env };
  const listeners = [];
  const listen = async (command, said) => {
    listeners.push(new Listener(command, { ...options, env: { ...env } }, said));
    return [listeners.at(-1), await listeners.at(-1).port];
  };
  const SERVES = /listens on http:\/\/127\.0\.0\.1:(\d+)/;
  const text = commandsOf(block).join('\n');
  const ports = {};
  let server;
  const background = [];
  let exported = '';
  try {
    if (text.includes(':11434')) [, ports.model] = await listen(`'${standIn}' ${KEY}`, /^(\d+)$/m);
    if (text.includes(':9000')) [, ports.other] = await listen(`openseat serve --data-dir '${join(home, 'other')}'`, SERVES);
    for (const line of commandsOf(block)) {
      const needs = /(127\.0\.0\.1|localhost):8000|openseat demo|agent\.py/.test(line);
      const serves = /^(npx )?(build\/)?openseat serve\b/.test(line);
      if (needs && !serves && !server && background.length === 0) [server, env.TEST_PORT] = await listen('openseat serve', SERVES);
      const command = exported + line
        .replaceAll('sk-…', KEY)
        .replaceAll('http://127.0.0.1:11434/v1', `http://127.0.0.1:${ports.model}/openai`)
        .replaceAll('127.0.0.1:9000', `127.0.0.1:${ports.other}`)
        .replace(/(127\.0\.0\.1|localhost):8000/g, `127.0.0.1:${env.TEST_PORT}`)
        .replace('agent.py', `agent.py --server http://127.0.0.1:${env.TEST_PORT}`);
      if (/^export /.test(line)) {
        exported = `${command}\n`;
      } else if (serves) {
        await server?.stop();
        [server, env.TEST_PORT] = await listen(command, SERVES);
      } else if (/&$/.test(line)) {
        background.push([line, ...(await listen(command.replace(/&$/, ''), /Waiting for a game at ws:\/\/127\.0\.0\.1:(\d+)/))]);
        env.TEST_PORT = background.at(-1)[2];
      } else {
        const done = await run(command, { ...options, env: { ...env } });
        assert.equal(done.code, 0, `${line}\n${done.output}`);
      }
    }
    for (const [line, process] of background) assert.equal(await process.ended, 0, `${line}\n${process.output}`);
  } finally {
    for (const each of listeners) await each.stop();
  }
}

test('blocks that look like commands are marked as such', () => {
  for (const block of pages.flatMap(blocksOf)) {
    if (['sh', 'console'].includes(block.language)) {
      assert.ok(commandsOf(block).length > 0, `${block.name}: no command`);
      if (/^#\s*not run/i.test(block.lines[0])) assert.ok(reasonOf(block), `${block.name}: not run, and no reason`);
    } else {
      for (const line of block.lines) assert.doesNotMatch(line, LOOKS_LIKE_ONE, `${block.name}: fence it as sh, or as console`);
    }
  }
});

test('every flag that a page names exists', () => {
  for (const page of pages) {
    for (const block of blocksOf(page)) {
      if (['sh', 'console'].includes(block.language)) for (const line of commandsOf(block)) checkFlags(line, block.name);
    }
    const text = readFileSync(join(root, page), 'utf8');
    for (const [, code] of text.matchAll(/`((?:npx |build\/)?openseat [^`\n]+)`/g)) checkFlags(code, page);
  }
});

for (const block of pages.flatMap(blocksOf)) {
  if (!['sh', 'console'].includes(block.language) || reasonOf(block)) continue;
  test(`the commands at ${block.name}`, () => runBlock(block));
}

// node run.mjs OPENSEAT: tests the launcher of the npm package, the manual pages, completions and configuration file in the
// packages, the service's unit, and that all of them name the same version and repository.
import assert from 'node:assert/strict';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import test from 'node:test';
import { fileURLToPath } from 'node:url';

const openseat = resolve(process.argv[2]);
const root = resolve(dirname(fileURLToPath(import.meta.url)), '../..');
const read = (name) => readFileSync(join(root, name), 'utf8');
const project = read('CMakeLists.txt');
const [, version] = /^project\(openseat VERSION (\S+) /m.exec(project);
const [, homepage] = /HOMEPAGE_URL "([^"]+)"/.exec(project);
const [, repository] = /^https:\/\/github\.com\/([\w-]+\/[\w-]+)$/.exec(homepage);

const folder = mkdtempSync(join(tmpdir(), 'openseat-packaging-test-'));
test.after(() => rmSync(folder, { recursive: true, force: true }));
const described = execFileSync(openseat, ['describe'], { encoding: 'utf8' });
const commandLine = JSON.parse(described);
const commandsOf = (command) => [command, ...command.commands.flatMap(commandsOf)];
const has = (program) => spawnSync('sh', ['-c', `command -v ${program}`]).status === 0;

function made(kind) {
  const into = join(folder, kind);
  execFileSync(process.execPath, [join(root, 'scripts/command_line.mjs'), kind, into], {
    input: described, env: { ...process.env, OPENSEAT_VERSION: version },
  });
  return into;
}

// Installs a launcher, with a platform package whose program is `script`, or without one.
function install(script) {
  const modules = join(mkdtempSync(join(folder, 'npm-')), 'node_modules');
  const at = (name) => join(modules, name);
  for (const name of ['openseat/bin', `@openseat/${process.platform}-${process.arch}/bin`]) mkdirSync(at(name), { recursive: true });
  cpSync(join(root, 'packaging/npm/openseat.js'), at('openseat/bin/openseat.js'));
  execFileSync(process.execPath, [join(root, 'scripts/npm_packages.mjs'), prepared(), version, homepage, 'x64']);
  cpSync(join(prepared(), 'openseat/package.json'), at('openseat/package.json'));
  const platform = at(`@openseat/${process.platform}-${process.arch}`);
  if (script === undefined) {
    rmSync(platform, { recursive: true });
  } else {
    writeFileSync(join(platform, 'package.json'), '{}');
    writeFileSync(join(platform, 'bin/openseat'), script, { mode: 0o755 });
  }
  return at('openseat/bin/openseat.js');
}
function prepared() {
  for (const name of ['openseat', 'platform']) mkdirSync(join(folder, 'prepared', name), { recursive: true });
  return join(folder, 'prepared');
}
const launch = (launcher, more = [], node = []) => spawnSync(process.execPath, [...node, launcher, ...more], { encoding: 'utf8' });

test('the program prints the version of the project', () => {
  assert.equal(execFileSync(openseat, ['--version'], { encoding: 'utf8' }).trim(), version);
});

test('the launcher passes on arguments, output and the exit code', () => {
  const done = launch(install('#!/bin/sh\nprintf "[%s]" "$@"; echo err >&2; exit 7\n'), ['check', 'a b', '--x=*']);
  assert.deepEqual([done.stdout, done.stderr, done.status], ['[check][a b][--x=*]', 'err\n', 7]);
});

test('the launcher runs the real program', () => {
  const done = launch(install(`#!/bin/sh\nexec '${openseat}' "$@"\n`), ['--version']);
  assert.deepEqual([done.stdout.trim(), done.status], [version, 0]);
});

test('the launcher passes signals on and ends as the program does', async () => {
  const launcher = install('#!/bin/sh\ntrap "echo heard; exit 3" TERM\necho ready\nwhile :; do sleep 0.05; done\n');
  const child = spawn(process.execPath, [launcher], { stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  child.stdout.on('data', (text) => {
    output += text;
    if (output === 'ready\n') child.kill('SIGTERM');
  });
  const code = await new Promise((done) => child.on('close', done));
  assert.deepEqual([output, code], ['ready\nheard\n', 3]);

  const killed = launch(install('#!/bin/sh\nkill -KILL $$\n'));
  assert.equal(killed.status, 128 + 9);
});

test('without a program, the launcher says in one sentence what to do', () => {
  const launcher = install(undefined);
  const told = (platform, arch) => {
    const preload = join(folder, `${platform}-${arch}.cjs`);
    writeFileSync(preload, `for (const [name, value] of Object.entries(${JSON.stringify({ platform, arch })})) Object.defineProperty(process, name, { value });\n`);
    const done = launch(launcher, ['serve'], ['--require', preload]);
    assert.equal(done.status, 1, done.stderr);
    assert.equal(done.stderr.trimEnd().split('\n').length, 1, done.stderr);
    return done.stderr;
  };
  assert.match(told('win32', 'x64'), /WSL 2/);
  assert.match(told('darwin', 'arm64'), /container image/);
  assert.match(told('linux', 'riscv64'), /linux-riscv64, only for linux-x64/);
  assert.match(told('linux', 'x64'), /--omit=optional|needs glibc/);
});

test('the npm packages have what npm needs to choose one', () => {
  execFileSync(process.execPath, [join(root, 'scripts/npm_packages.mjs'), prepared(), version, homepage, 'x64']);
  const json = (name) => JSON.parse(readFileSync(join(prepared(), name, 'package.json'), 'utf8'));
  const launcher = json('openseat');
  const platform = json('platform');
  assert.deepEqual(launcher.optionalDependencies, { [platform.name]: version });
  assert.deepEqual([platform.os, platform.cpu, platform.libc], [['linux'], ['x64'], ['glibc']]);
  for (const each of [launcher, platform]) {
    assert.equal(each.version, version);
    assert.equal(each.scripts, undefined, 'nothing is run or downloaded at installation');
  }
});

test('every command has a manual page, with every option of its help', () => {
  const pages = made('man');
  const names = readdirSync(pages);
  assert.equal(names.length, commandsOf(commandLine).length);
  assert.ok(names.includes('openseat.1') && names.includes('openseat-serve.1') && names.includes('openseat-journal-prune.1'), names.join());
  const serve = readFileSync(join(pages, 'openseat-serve.1'), 'utf8').replaceAll('\\-', '-');
  const help = execFileSync(openseat, ['serve', '--help'], { encoding: 'utf8' });
  const options = [...help.matchAll(/^ +(?:-\w,)?(--[a-z-]+)/gm)].map(([, name]) => name);
  assert.ok(options.length > 15);
  for (const option of options) assert.ok(serve.includes(`\\fB${option}\\fR`), option);
  if (!has('man') || !has('groff')) return;
  for (const name of names) {
    const done = spawnSync('man', ['--warnings', '-l', '-Tutf8', '-Z', join(pages, name)], { encoding: 'utf8', env: { ...process.env, LC_ALL: 'C.UTF-8' } });
    assert.deepEqual([done.status, done.stderr], [0, ''], name);
  }
});

test('the completions name commands, options and values', () => {
  const script = join(made('bash'), 'openseat');
  const complete = (...words) =>
    execFileSync('bash', ['-c', `source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _openseat; printf '%s\\n' "\${COMPREPLY[@]}"`, 'bash', script, 'openseat', ...words], { encoding: 'utf8' }).trim().split('\n');
  assert.deepEqual(complete('che'), ['check']);
  assert.deepEqual(complete('check', '--strict'), ['--strictness']);
  assert.deepEqual(complete('check', '--strictness', ''), ['letter', 'default', 'lenient']);
  assert.ok(complete('journal', '').includes('prune'));
  assert.ok(complete('serve', '--listen', '127.0.0.1:1', '--').includes('--agent'));
  assert.deepEqual(complete('serve', '--agent', ''), ['']);
  for (const [shell, kind, name] of [['zsh', 'zsh', '_openseat'], ['fish', 'fish', 'openseat.fish']]) {
    const file = join(made(kind), name);
    for (const command of commandsOf(commandLine).slice(1)) assert.ok(readFileSync(file, 'utf8').includes(command.name), command.name);
    if (has(shell)) execFileSync(shell, ['-n', file]);
  }
});

test('the configuration file has every section, all of it commented out', () => {
  const text = execFileSync('awk', ['-v', `homepage=${homepage}`, '-f', join(root, 'scripts/config_file.awk'), join(root, 'docs/configuration.md')], { encoding: 'utf8' });
  for (const line of text.split('\n')) assert.match(line, /^(#.*)?$/);
  for (const section of ['server', 'access', 'limits', 'journal', 'log', 'neuro', 'match', 'agent_api', 'narrative', 'agent']) {
    assert.match(text, new RegExp(`^# \\[${section}\\]`, 'm'));
  }
  // Unchanged, and with one line activated. The address is not on this machine, so the server reads the file and
  // refuses.
  const file = join(folder, 'openseat.toml');
  const said = (content) => {
    writeFileSync(file, content);
    return spawnSync(openseat, ['serve', '--config', file, '--data-dir', join(folder, 'data'), '--listen', '192.0.2.1:1'], { encoding: 'utf8' }).stderr;
  };
  assert.match(said(text), /needs TLS/);
  assert.match(said(text.replace('# [log]', '[log]').replace(/^# level = .*/m, 'level = "loud"')), /openseat\.toml:\d+: log\.level/);
});

test('systemd accepts the unit', () => {
  const unit = read('packaging/openseat.service');
  for (const line of ['Type=notify', 'NoNewPrivileges=yes', 'ProtectSystem=strict', 'StateDirectory=openseat', 'User=openseat']) {
    assert.match(unit, new RegExp(`^${line}$`, 'm'));
  }
  assert.match(unit, /^WatchdogSec=\d+$/m);
  if (!has('systemd-analyze')) return;
  // The unit must name a program that exists.
  const here = join(folder, 'openseat.service');
  writeFileSync(here, unit.replace('/usr/bin/openseat', openseat).replace(/^(User|Group)=.*$/gm, '$1=root').replace(/ man:\S+/g, '').replace(/^Documentation=man.*$/m, ''));
  const done = spawnSync('systemd-analyze', ['verify', here], { encoding: 'utf8' });
  const about = `${done.stdout}${done.stderr}`.split('\n').filter((line) => line.includes('openseat.service'));
  assert.deepEqual(about, []);
});

test('dash can parse the maintainer scripts', () => {
  for (const name of ['postinst', 'prerm', 'postrm']) execFileSync('sh', ['-n', join(root, 'packaging/debian', name)]);
});

test('all files name the same version and repository', () => {
  const files = execFileSync('git', ['ls-files', '*.md', '*.yml', '*.json', '*.mjs', '*.sh', 'packaging', 'examples'], { cwd: root, encoding: 'utf8' }).trim().split('\n');
  for (const name of files.filter((each) => existsSync(join(root, each)) && !each.endsWith('package-lock.json'))) {
    const text = read(name);
    assert.doesNotMatch(text, /\bOWNER\//, name);
    for (const [whole, named] of text.matchAll(/(?:github\.com|ghcr\.io)\/([\w-]+\/openseat)\b/g)) assert.equal(named, repository, `${name}: ${whole}`);
    for (const [whole, named, of] of text.matchAll(/\buses: ([\w-]+\/openseat)@v(\S+)/g)) assert.deepEqual([named, of], [repository, version], `${name}: ${whole}`);
    for (const [whole, of] of text.matchAll(/\bopenseat[_-](\d+\.\d+\.\d+)(?=[_-])/g)) assert.equal(of, version, `${name}: ${whole}`);
  }
  const [, newest] = /^## (\S+)/m.exec(read('CHANGELOG.md'));
  assert.ok([version, 'Unreleased'].includes(newest), `CHANGELOG.md begins with ${newest}, the version is ${version}`);
});

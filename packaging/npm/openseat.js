#!/usr/bin/env node
// Runs the program that the package of this platform brings. Nothing is downloaded: npm has installed that package with
// this one, as an optional dependency that fits the machine.
'use strict';

const { spawn } = require('node:child_process');
const os = require('node:os');
const path = require('node:path');

const name = `@openseat/${process.platform}-${process.arch}`;

// Where the program is, or undefined.
function find() {
  try {
    return path.join(path.dirname(require.resolve(`${name}/package.json`)), 'bin', 'openseat');
  } catch {
    return undefined;
  }
}

// One sentence for a machine without it.
function why() {
  if (process.platform === 'win32') return 'openseat runs on Linux: on Windows, run it in WSL 2 (https://aka.ms/wsl), or use the container image.';
  if (process.platform === 'darwin') return 'openseat runs on Linux: on macOS, use the container image (docker run -p 8000:8000 …, see the README).';
  const { optionalDependencies } = require('../package.json');
  if (process.platform !== 'linux' || !(name in optionalDependencies)) {
    const made = Object.keys(optionalDependencies).map((each) => each.replace('@openseat/', '')).join(', ');
    return `openseat has no package for ${process.platform}-${process.arch}, only for ${made}; build it from source (see the README).`;
  }
  const { header } = process.report.getReport();
  if (!header.glibcVersionRuntime) return 'openseat needs glibc, which this Linux does not have (musl?): use the container image, or an image with glibc such as node:22-slim.';
  return `The package ${name} is not installed: npm leaves it out with --omit=optional or --no-optional. Install openseat again without that option.`;
}

const program = find();
if (program === undefined) {
  console.error(why());
  process.exit(1);
}

// Before the program starts: a signal that comes at once must not end the launcher alone. At a terminal Ctrl-C reaches the
// program by itself; twice would end it at once.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.on(signal, () => (signal === 'SIGINT' && process.stdin.isTTY) || child.kill(signal));
}
const child = spawn(program, process.argv.slice(2), { stdio: 'inherit' });
child.on('error', (error) => {
  console.error(`openseat could not be started: ${error.message}`);
  process.exit(1);
});
child.on('exit', (code, signal) => process.exit(signal ? 128 + os.constants.signals[signal] : code));

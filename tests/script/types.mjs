// Checks games/openseat-game.d.ts with the compiler of web's packages: all shipped games fit it, so does what `openseat
// games new` writes, and a wrong game does not.
// usage: node types.mjs OPENSEAT
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '../..');
const dir = mkdtempSync(join(tmpdir(), 'openseat-types-'));
const options = ['--noEmit', '--strict', '--noImplicitAny', 'false', '--allowJs', '--target', 'es2023', '--module', 'esnext',
  '--moduleResolution', 'bundler', '--allowImportingTsExtensions'];

function run(command, args) {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd: dir, encoding: 'utf8' });
  return { status, text: stdout + stderr };
}
// The compiler's complaints about scripts of these names, each used as a Game.
function complaintsAbout(names) {
  const uses = names.map((name, i) => `import * as game${i} from './${name}';\nuse(game${i});\n`).join('');
  writeFileSync(join(dir, 'uses.ts'), `import type { Game } from './openseat-game.d.ts';\nfunction use(game: Game<any>): void { void game; }\n${uses}`);
  return run(process.execPath, [join(root, 'web/node_modules/typescript/bin/tsc'), ...options, 'uses.ts']).text;
}
function expect(holds, what) {
  if (holds) return;
  console.error(`FAILED: ${what}`);
  process.exitCode = 1;
}

try {
  const made = ['fresh', 'typed'].map((name) => run(process.argv[2], ['games', 'new', name, ...(name === 'typed' ? ['--ts'] : [])]));
  for (const { status, text } of made) expect(status === 0, text);
  const shipped = readdirSync(join(root, 'games')).filter((name) => /\.[jt]s$/.test(name) && name !== 'openseat-game.d.ts');
  for (const name of shipped) copyFileSync(join(root, 'games', name), join(dir, name));
  expect(shipped.length >= 14, `${shipped.length} games are shipped`);
  const complaints = complaintsAbout([...shipped, 'fresh.js', 'typed.ts']);
  expect(complaints === '', complaints);
  for (const [what, change] of Object.entries({
    'no apply': 'export { info, setup, awaited, actions, observe, outcome } from "./typed.ts";',
    'an outcome without a reason': 'export * from "./typed.ts"; export const outcome = () => ({ winners: [0] });',
    'seats that are texts': 'export * from "./typed.ts"; export const awaited = () => ["A"];',
  })) {
    writeFileSync(join(dir, 'wrong.ts'), change);
    expect(complaintsAbout(['wrong.ts']).includes('error TS2345'), `${what} is accepted`);
  }
} finally {
  rmSync(dir, { recursive: true });
}

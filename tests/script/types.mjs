// Checks games/openseat-game.d.ts with the compiler of web's packages: all shipped games fit it with every view that they
// return, so does what `openseat games new` writes, and a wrong game does not.
// usage: node types.mjs OPENSEAT
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '../..');
const dir = mkdtempSync(join(tmpdir(), 'openseat-types-'));
const options = ['--noEmit', '--strict', '--noImplicitAny', 'false', '--allowJs', '--target', 'es2023', '--module', 'esnext',
  '--moduleResolution', 'bundler', '--allowImportingTsExtensions'];

function run(command, args) {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd: dir, encoding: 'utf8' });
  return { status, text: stdout + stderr };
}
function compile(name, text) {
  writeFileSync(join(dir, name), `import type { Game, View } from './openseat-game.d.ts';\n${text}`);
  return run(process.execPath, [join(root, 'web/node_modules/typescript/bin/tsc'), ...options, name]).text;
}
// The compiler's complaints about scripts of these names, each used as a Game. In JavaScript, words such as 'grid' are any text to it.
function complaintsAbout(names) {
  const uses = names.map((name, i) => `import * as game${i} from './${name}';\nuse${name.endsWith('.js') ? 'Plain' : ''}(game${i});\n`).join('');
  return compile('uses.ts', `function use(game: Game<any>): void { void game; }\nfunction usePlain(game: Omit<Game<any>, 'view'>): void { void game; }\n${uses}`);
}

// A generator as scripts get it, always the same.
function makeRandom() {
  let last = 1;
  const int = (n) => (last = (last * 48271) % 2147483647) % n;
  return {
    int,
    die: (n = 6) => int(n) + 1,
    pick: (list) => list[int(list.length)],
    shuffle: (list) => list.map((value) => ({ value, at: int(1e9) })).sort((a, b) => a.at - b.at).map(({ value }) => value),
  };
}
// Some views of a game that is played at random, with the fewest seats.
function viewsOf(game) {
  const seats = game.info.seats.min;
  const names = Array.from({ length: seats }, (_, seat) => `Player${seat + 1}`);
  const options = Object.fromEntries(Object.entries(game.info.options ?? {}).map(([name, schema]) => [name, schema.default]));
  const random = makeRandom();
  const views = [];
  let state = game.setup(options, seats, random);
  for (let played = 0; played < 60; ++played) {
    const isOver = game.outcome(state) !== null;
    if (played % 7 === 0 || isOver) for (const viewer of [null, ...names.keys()]) views.push(game.view(structuredClone(state), viewer, names));
    if (isOver) break;
    const seat = random.pick(game.awaited(state));
    const choices = game.actions(state, seat, names).flatMap(({ name, data = {} }) =>
      Object.entries(data).reduce((all, [member, values]) => all.flatMap((choice) => values.map((value) => ({ ...choice, [member]: value }))), [{}])
        .map((values) => ({ name, data: values })));
    const legal = game.validate ? choices.filter((choice) => game.validate(state, seat, choice) == null) : choices;
    state = game.apply(state, seat, random.pick(legal), random, names).state;
  }
  return views;
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
  writeFileSync(join(dir, 'package.json'), '{"type": "module"}');
  const views = [];
  for (const name of shipped.filter((each) => each.endsWith('.js'))) {
    const game = await import(pathToFileURL(join(dir, name)).href);
    if (game.view) views.push(...viewsOf(game));
  }
  expect(views.length > 100, `${views.length} views are checked`);
  const misfits = compile('views.ts', `export const views: View[] = [\n${views.map((view) => JSON.stringify(view)).join(',\n')}];\n`);
  expect(misfits === '', misfits);
  const wrong = ['{ type: "grid" }', '{ type: "pile", count: 1, cards: [] }', '{ type: "tokens", tokens: [{ color: "pink" }] }', '{ type: "board", cells: [] }',
    '{ type: "track", spaces: [{ mark: "new" }] }', '{ type: "buttons", buttons: [{ text: "Go" }] }', '{ type: "score", points: 1 }'];
  const accepted = compile('views.ts', wrong.map((part, i) => `// @ts-expect-error\nexport const view${i}: View = { parts: [${part}] };\n`).join(''));
  expect(accepted === '', `one of these is accepted: ${accepted}`);
  const listed = "export * from './typed.ts'; export const actions = () => [{ name: 'move', data: [{ from: 'a1', to: 2 }, { from: 'b1', to: 3 }] }];";
  writeFileSync(join(dir, 'listed.ts'), listed);
  const refused = complaintsAbout(['listed.ts']);
  expect(refused === '', `a list of data is refused: ${refused}`);
  for (const [what, change] of Object.entries({
    'data that is neither': 'export * from "./typed.ts"; export const actions = () => [{ name: "move", data: [7] }];',
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

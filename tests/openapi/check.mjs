// Checks the OpenAPI description with published tools: Redocly's linter and ajv.
// usage: node check.mjs lint|examples|responses OPENSEAT
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import Ajv2020 from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

const [what, openseat] = process.argv.slice(2);
const text = execFileSync(openseat, ['openapi'], { encoding: 'utf8', maxBuffer: 64 << 20 });
const api = JSON.parse(text);
const problems = [];
const methods = ['get', 'put', 'post', 'patch', 'delete'];

// Every schema is compiled as a location in the document, so that references can be resolved.
const ajv = new Ajv2020({ strict: false, allErrors: true });
addFormats(ajv);
ajv.addSchema({ $id: 'https://openseat.invalid/openapi', ...api });
const compiled = new Map();
function validator(pointer) {
  if (!compiled.has(pointer)) compiled.set(pointer, ajv.compile({ $ref: `https://openseat.invalid/openapi${pointer}` }));
  return compiled.get(pointer);
}
const escaped = (name) => encodeURIComponent(name.replaceAll('~', '~0').replaceAll('/', '~1'));
function check(where, pointer, value) {
  const valid = validator(pointer);
  if (!valid(value)) problems.push(`${where}: ${ajv.errorsText(valid.errors)} in ${JSON.stringify(value)?.slice(0, 300)}`);
}
function operations() {
  return Object.entries(api.paths).flatMap(([path, item]) =>
    methods.filter((method) => item[method]).map((method) => ({ path, method, operation: item[method] })),
  );
}

async function lint() {
  const config = await createConfig({
    extends: ['recommended'],
    rules: {
      // Requests about the server itself have no answers for client errors.
      'operation-4xx-response': 'off',
      'no-server-example.com': 'off',
      'tag-description': 'off',
      // Signing in answers with redirections.
      'operation-2xx-response': 'off',
      'no-invalid-media-type-examples': { severity: 'error', allowAdditionalProperties: true },
      // No path parameter may have the value of a literal segment, since the server matches literals first.
      'no-ambiguous-paths': 'off',
    },
  });
  for (const found of await lintFromString({ source: text, absoluteRef: 'openapi.json', config })) {
    // A WebSocket's answer is 101.
    if (found.ruleId === 'operation-2xx-response' && found.location[0]?.pointer.includes('~1live/')) continue;
    problems.push(`${found.severity} ${found.ruleId} at ${found.location[0]?.pointer}: ${found.message}`);
  }
}

function examples() {
  let count = 0;
  const media = (where, pointer, content) => {
    for (const [type, entry] of Object.entries(content ?? {})) {
      if (entry.schema === undefined) continue;
      // Compiling shows that every schema is valid.
      validator(`${pointer}/${escaped(type)}/schema`);
      if (entry.example === undefined) continue;
      count += 1;
      check(where, `${pointer}/${escaped(type)}/schema`, entry.example);
    }
  };
  for (const { path, method, operation } of operations()) {
    const where = `${method} ${path}`;
    const pointer = `#/paths/${escaped(path)}/${method}`;
    media(`${where} body`, `${pointer}/requestBody/content`, operation.requestBody?.content);
    for (const [status, response] of Object.entries(operation.responses)) {
      media(`${where} ${status}`, `${pointer}/responses/${status}/content`, response.content);
    }
    operation.parameters?.forEach((parameter, index) => {
      validator(`${pointer}/parameters/${index}/schema`);
      if (parameter.example === undefined) return;
      count += 1;
      check(`${where} ${parameter.name}`, `${pointer}/parameters/${index}/schema`, parameter.example);
    });
  }
  for (const name of Object.keys(api.components.schemas)) validator(`#/components/schemas/${escaped(name)}`);
  if (count < 10) problems.push(`only ${count} examples were found`);
}

// Checks that a running server's answers match the document.
async function responses() {
  const dir = mkdtempSync(join(tmpdir(), 'openseat-openapi-'));
  const server = spawn(openseat, ['serve', '--listen', '127.0.0.1:0', '--chimera-listen', 'none', '--data-dir', dir], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let log = '';
  server.stderr.on('data', (data) => (log += data));
  try {
    const url = await new Promise((resolve, reject) => {
      let said = '';
      server.stdout.on('data', (data) => {
        said += data;
        const found = said.match(/http:\/\/127\.0\.0\.1:\d+/);
        if (found) resolve(found[0]);
      });
      server.once('exit', () => reject(new Error(`the server did not start: ${log}`)));
    });
    const seen = new Set();
    const call = async (method, template, status, { body, ...parameters } = {}) => {
      const path = template.split('?')[0];
      const filled = template.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(parameters[name]));
      const where = `${method} ${filled}`;
      const answer = await fetch(url + filled, {
        method: method.toUpperCase(),
        body: body === undefined ? undefined : JSON.stringify(body),
      });
      const got = await answer.text();
      if (answer.status !== status) problems.push(`${where}: ${answer.status}, not ${status}: ${got.slice(0, 300)}`);
      const declared = api.paths[path]?.[method]?.responses[answer.status];
      if (!declared) {
        problems.push(`${where}: the status ${answer.status} is not in the document`);
        return undefined;
      }
      seen.add(`${method} ${path}`);
      const type = answer.headers.get('content-type')?.split(';')[0];
      if (!declared.content?.[type]) {
        problems.push(`${where}: the type ${type} is not in the document`);
        return undefined;
      }
      if (type !== 'application/json') return got;
      const value = JSON.parse(got);
      const pointer = `#/paths/${escaped(path)}/${method}/responses/${answer.status}/content/${escaped(type)}`;
      if (declared.content[type].schema) check(where, `${pointer}/schema`, value);
      return value;
    };

    const published = await call('get', '/openapi.json', 200);
    if (JSON.stringify(published) !== JSON.stringify(api)) problems.push('/openapi.json is not what `openseat openapi` prints');
    for (const path of ['/healthz', '/readyz', '/metrics']) await call('get', path, 200);

    execFileSync(openseat, ['play', 'tictactoe', '--seats', 'random,random:seed=1', '-n', '4', '--record', '--data-dir', dir]);
    const run = (await call('get', '/api/v1/arena', 200))?.runs[0]?.id;
    const ofRun = { id: run, game: 3 };
    await call('get', '/api/v1/arena?limit=0', 400);
    await call('get', '/api/v1/arena/{id}', 200, ofRun);
    await call('get', '/api/v1/arena/{id}', 404, { id: 'none' });
    await call('get', '/api/v1/arena/{id}/standings?equal_games=true', 200, ofRun);
    await call('get', '/api/v1/arena/{id}/standings?anchor=nobody', 400, ofRun);
    await call('get', '/api/v1/arena/{id}/games?agent=random&sort=turns', 200, ofRun);
    await call('get', '/api/v1/arena/{id}/games?result=lost', 400, ofRun);
    await call('get', '/api/v1/arena/{id}/games/{game}', 200, ofRun);
    await call('get', '/api/v1/arena/{id}/games/{game}/decisions', 200, ofRun);
    await call('get', '/api/v1/arena/{id}/games/{game}/transcript?viewer=0', 200, ofRun);
    await call('get', '/api/v1/arena/{id}/games/{game}/replay?decision=1&said=true', 200, ofRun);
    await call('get', '/api/v1/arena/{id}/games/{game}', 404, { id: run, game: 4 });

    const account = await call('post', '/api/v1/accounts', 201, { body: { name: 'Alex' } });
    await call('post', '/api/v1/accounts', 409, { body: { name: 'Alex' } });
    await call('post', '/api/v1/accounts', 400, { body: { name: '' } });
    await call('get', '/api/v1/accounts', 200);
    const key = await call('post', '/api/v1/keys', 201, { body: { label: 'bot', account: 'Alex' } });
    await call('post', '/api/v1/keys', 404, { body: { account: 'Bo' } });
    await call('get', '/api/v1/keys', 200);
    await call('get', '/api/v1/keys?minted=maybe', 400);
    await call('delete', '/api/v1/keys/{id}', 200, { id: key?.key.id });
    await call('delete', '/api/v1/keys/{id}', 404, { id: 'k-none' });
    const cards = 'Precision\nHaas-Bioroid: Precision Design\n3x Hedge Fund';
    const deck = await call('post', '/api/v1/decks', 201, { body: { text: cards, account: account?.id } });
    await call('post', '/api/v1/decks', 400, { body: { text: 'nothing' } });
    await call('post', '/api/v1/decks/validate', 200, { body: { cards: { 'Sure Gamble': 3 }, notes: 'n' } });
    await call('get', '/api/v1/decks', 200);
    await call('get', '/api/v1/decks?account=Bo', 404);
    await call('get', '/api/v1/decks/{id}', 200, { id: deck?.id });
    await call('put', '/api/v1/decks/{id}', 200, { id: deck?.id, body: { name: 'Other', cards: {} } });
    await call('get', '/api/v1/decks/{id}/text', 200, { id: deck?.id });
    await call('delete', '/api/v1/decks/{id}', 200, { id: deck?.id });
    await call('get', '/api/v1/decks/{id}', 404, { id: deck?.id });
    await call('delete', '/api/v1/accounts/{id}', 200, { id: account?.id });
    await call('get', '/api/v1/hosted-games/{id}/cards', 200, { id: 'netrunner' });
    await call('get', '/api/v1/hosted-games/{id}/cards', 404, { id: 'chess' });

    await call('get', '/api/v1/hosted-games', 200);
    const match = await call('post', '/api/v1/matches', 201, {
      body: { game: 'tictactoe', seats: [{ name: 'Ana', agent: { kind: 'external' } }, { agent: { kind: 'random' } }] },
    });
    await call('post', '/api/v1/matches', 404, { body: { game: 'chess' } });
    await call('post', '/api/v1/matches', 400, { body: {} });
    const id = match?.['match-id'];
    await call('get', '/api/v1/tables', 200);
    await call('get', '/api/v1/tables?recorded=true', 200);
    await call('get', '/api/v1/tables/{id}', 200, { id });
    await call('get', '/api/v1/tables/{id}', 404, { id: 'none' });
    await call('get', '/api/v1/tables/{id}/diagnostics', 200, { id });
    await call('get', '/api/v1/tables/{id}/transcript', 200, { id });
    await call('get', '/api/v1/tables/{id}/transcript?viewer=all', 200, { id });
    await call('get', '/api/v1/tables/{id}/transcript?after=x', 400, { id });
    await call('get', '/api/v1/tables/{id}/replay', 200, { id });
    await call('get', '/api/v1/tables/{id}/replay?page=0', 400, { id });
    await call('post', '/api/v1/tables/{id}/seats/{seat}/choose', 422, { id, seat: 0, body: { action: 'fly' } });
    await call('post', '/api/v1/tables/{id}/seats/{seat}/choose', 400, { id, seat: 0, body: {} });
    await call('post', '/api/v1/tables/{id}/seats/{seat}/skip', 404, { id, seat: 9 });
    await call('post', '/api/v1/tables/{id}/seats/{seat}/agent', 200, { id, seat: 0, body: { kind: 'random' } });
    await call('post', '/api/v1/tables/{id}/seats/{seat}/agent', 404, { id, seat: 0, body: { kind: 'robot' } });
    await call('post', '/api/v1/tables/{id}/control', 501, { id, body: { command: 'fly' } });
    // A decision that waits for a player from outside is skipped, and then the list is empty.
    const waiting = await call('post', '/api/v1/matches', 201, {
      body: { game: 'rps', seats: [{ agent: { kind: 'external' } }, { agent: { kind: 'external' } }] },
    });
    const skip = { id: waiting?.['match-id'], seat: 0 };
    const begun = await call('get', '/api/v1/tables/{id}', 200, { id: skip.id });
    if (begun?.status !== 'in-progress') problems.push(`a match of agents is ${begun?.status} when its 201 arrives`);
    await call('post', '/api/v1/tables/{id}/seats/{seat}/skip', 409, { ...skip, body: { decision: 99 } });
    await call('post', '/api/v1/tables/{id}/seats/{seat}/skip', 400, { ...skip, body: { decision: 'x' } });
    await call('post', '/api/v1/tables/{id}/seats/{seat}/skip', 200, skip);
    console.log(`${seen.size} of ${operations().length} operations were called`);
  } finally {
    server.kill('SIGKILL');
    rmSync(dir, { recursive: true, force: true });
  }
}

const tasks = { lint, examples, responses };
if (!tasks[what] || !openseat) {
  console.error('usage: node check.mjs lint|examples|responses OPENSEAT');
  process.exit(2);
}
await tasks[what]();
for (const problem of problems) console.error(problem);
if (problems.length > 0) {
  console.error(`${problems.length} problems`);
  process.exit(1);
}

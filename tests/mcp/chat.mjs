// The board in the chat, in a real Chromium: chat.mjs PORT WEB CHROMIUM [PICTURES]
// A script is the model, a person clicks on the board, and the published bridge stands between them.
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

const [, , port, web, chromiumPath, pictures] = process.argv;
const here = dirname(fileURLToPath(import.meta.url));
const fromWeb = createRequire(join(web, 'package.json'));
const { chromium } = fromWeb('playwright-core');
const esbuild = createRequire(fromWeb.resolve('vite'))('esbuild');

// --- The model's side ---

const kUi = 'io.modelcontextprotocol/ui';
const client = new Client(
  { name: 'chat', version: '1' },
  { capabilities: { extensions: { [kUi]: { mimeTypes: ['text/html;profile=mcp-app'] } } }, versionNegotiation: { mode: { pin: '2026-07-28' } } },
);
await client.connect(new StreamableHTTPClientTransport(new URL(`http://127.0.0.1:${port}/mcp`)));
const call = (name, args) => client.callTool({ name, arguments: args });
const must = async (name, args) => {
  const result = await call(name, args);
  assert.ok(!result.isError, JSON.stringify(result));
  return result;
};

const { tools } = await client.listTools();
const board = tools.find((tool) => tool.name === 'create_match')._meta.ui.resourceUri;
assert.equal(board, 'ui://openseat/board');
for (const name of ['join_table', 'get_state', 'wait_for_turn', 'act']) assert.equal(tools.find((tool) => tool.name === name)._meta.ui.resourceUri, board, name);
for (const tool of tools.filter(({ name }) => name.startsWith('board_'))) assert.deepEqual(tool._meta.ui.visibility, ['app'], tool.name);
const { contents } = await client.readResource({ uri: board });
assert.equal(contents.length, 1);
assert.equal(contents[0].mimeType, 'text/html;profile=mcp-app');
const html = contents[0].text;
assert.match(html, /^<!doctype html>/);
assert.ok(Buffer.byteLength(html) <= 300_000);

// --- The chat's side ---

const bundle = await esbuild.build({ entryPoints: [join(here, 'chat_host.mjs')], bundle: true, format: 'iife', write: false, logLevel: 'silent' });
const serve = (files, headers = {}) =>
  new Promise((done) => {
    const server = createServer((request, response) => {
      const file = files[request.url.split('?')[0]];
      response.writeHead(file ? 200 : 404, { 'Content-Type': file?.type ?? 'text/plain', ...headers });
      response.end(file?.text ?? '');
    }).listen(0, '127.0.0.1', () => done(server));
  });
// What a host allows a view that declares nothing, without more.
const policy = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:; font-src 'none'; connect-src 'none'; frame-src 'self'; object-src 'none'";
const proxy = await serve({ '/': { type: 'text/html', text: readFileSync(join(here, 'chat_proxy.html'), 'utf8') } }, { 'Content-Security-Policy': policy });
const chat = await serve({
  '/': { type: 'text/html', text: '<!doctype html><meta charset="utf-8"><title>chat</title><link rel="icon" href="data:,"><body><script src="/host.js"></script>' },
  '/host.js': { type: 'text/javascript', text: bundle.outputFiles[0].text },
});
const proxyUrl = `http://127.0.0.1:${proxy.address().port}/`;

const browser = await chromium.launch({ executablePath: chromiumPath, args: ['--no-sandbox'] });
const page = await (await browser.newContext({ viewport: { width: 800, height: 1000 }, reducedMotion: 'reduce' })).newPage();
const troubles = [];
page.on('pageerror', (error) => troubles.push(String(error)));
page.on('console', (line) => line.type() === 'error' && troubles.push(line.text()));
const requests = [];
page.on('request', (request) => requests.push(request.url()));
let calls = 0;
await page.exposeFunction('callTool', async (params) => {
  calls += 1;
  return call(params.name, params.arguments ?? {});
});
await page.goto(`http://127.0.0.1:${chat.address().port}/`);

const everything = { serverTools: {}, serverResources: {}, message: { text: {} }, updateModelContext: { text: {} }, openLinks: {}, logging: {} };
const open = (capabilities, context) => page.evaluate(([...args]) => window.open_view(...args), [proxyUrl, html, capabilities, context]);
const frame = page.frameLocator('iframe').frameLocator('iframe');
const main = frame.locator('main');
const heard = () => page.evaluate(() => window.heard);
const picture = async (name) => {
  if (!pictures) return;
  mkdirSync(pictures, { recursive: true });
  await page.screenshot({ path: join(pictures, `${name}.png`) });
};
const show = async (args, result) => {
  await page.evaluate(([input, output]) => window.bridge.sendToolInput({ arguments: input }).then(() => output && window.bridge.sendToolResult(output)), [args, result]);
};
// Until the board has this status, or one of these.
const until = async (...statuses) => {
  await frame
    .locator(statuses.map((status) => `main[data-status="${status}"]`).join(', '))
    .waitFor()
    .catch(async (error) => {
      await picture('stuck');
      throw new Error(`${error.message}\nThe board says: ${await main.innerText()}\n${troubles.join('\n')}`);
    });
  return main.getAttribute('data-status');
};

// The model plays its turns, by the first choice that is listed, until the game is over. `answered` gets each answer.
async function play(token, answered = async () => {}) {
  let result = await must('get_state', { token });
  for (let view = result.structuredContent; view.status !== 'game_over'; view = result.structuredContent) {
    // A number is as good as a text.
    result =
      view.status === 'your_turn'
        ? await must('act', { token, decision: view.decision.id, choice: 1, timeout_s: 0 })
        : await must('wait_for_turn', { token, since: view.version, timeout_s: 50 });
    await answered(result);
  }
  return result.structuredContent;
}

// --- A person and a model, in turn, by clicks ---

async function create(args) {
  const result = await must('create_match', args);
  await show(args, result);
  return result.structuredContent.token;
}

await open(everything, { theme: 'light', availableDisplayModes: ['inline', 'fullscreen'], styles: { variables: { '--color-background-primary': '#fffff0', '--color-text-primary': '#102030' } } });
let token = await create({ game: 'tictactoe', name: 'Model', opponents: ['open'] });
await frame.getByLabel('Your name').fill('Pat');
await picture('seat');
await frame.getByRole('button', { name: 'Play as O' }).click();
let model = play(token);
while ((await until('your_turn', 'game_over')) === 'your_turn') {
  const looks = await main.getAttribute('data-looks');
  await frame.getByRole('button', { name: /: free$/ }).last().click();
  await frame.locator(`main:not([data-looks="${looks}"])`).waitFor();
}
const end = await model;
assert.equal(end.status, 'game_over');
await frame.getByRole('status').filter({ hasText: /won|draw/ }).waitFor();
await picture('tictactoe');
let told = await heard();
assert.ok(told.messages.some(({ content }) => /Call wait_for_turn to go on/.test(content[0].text)), JSON.stringify(told.messages));
assert.ok(told.contexts.some(({ content }) => /The person at the board/.test(content[0].text)), JSON.stringify(told.contexts));
assert.ok(told.sizes.length > 0);
assert.equal(await frame.locator('html').getAttribute('data-theme'), 'light');
const ink = () => main.evaluate((element) => getComputedStyle(element).color);
assert.equal(await ink(), 'rgb(16, 32, 48)');
await page.evaluate(() => window.bridge.setHostContext({ theme: 'dark' }));
await frame.locator('html[data-theme="dark"]').waitFor();
assert.equal(await ink(), 'rgb(236, 234, 228)');
await picture('dark');
await frame.getByRole('button', { name: 'Larger' }).click();
await frame.getByRole('button', { name: 'Smaller' }).waitFor();

// --- A person chooses for the model's seat, with the keyboard; the model is told ---

await open(everything, { theme: 'light' });
token = await create({ game: 'connectm', name: 'Model' });
await until('your_turn');
const drop = await main.getAttribute('data-looks');
await frame.getByLabel(/^Column 2/).focus();
await page.keyboard.press('Enter');
await frame.getByLabel(/^Column 2.*red/).waitFor();
assert.notEqual(await main.getAttribute('data-looks'), drop);
const next = await must('wait_for_turn', { token, timeout_s: 50 });
assert.match(next.content[0].text, /A person has chosen for your seat on the board in the chat:\n- drop \{"column":1\}/);
await picture('connectm');

// The host takes the view away: it answers, and calls nothing any more.
await page.evaluate(() => window.bridge.teardownResource({}));
const before = calls;
await page.evaluate(() => new Promise((done) => document.addEventListener('visibilitychange', done, { once: true }) || document.dispatchEvent(new Event('visibilitychange'))));
assert.equal(calls, before);

// --- Netrunner to its end: a person as the Runner, a model as the Corp ---

await open(everything, { theme: 'light' });
token = await create({ game: 'netrunner', name: 'Model', role: 'corp', opponents: ['open'], options: { format: 'system-gateway-beginner' } });
await frame.getByRole('button', { name: 'Play as Runner' }).click();
// The host shows each answer that the model gets, so the board need not wait until it looks again.
model = play(token, (result) => page.evaluate((output) => window.bridge.sendToolResult(output), result));
// The person steals what they find, and runs with every click: on each server of the Corp in turn.
let clicks = 0;
let runs = 0;
const servers = ['R&D', 'HQ', 'R&D', 'HQ', 'Archives'];
while ((await until('your_turn', 'game_over')) === 'your_turn') {
  const looks = await main.getAttribute('data-looks');
  const choices = frame.locator('.panel button:enabled:visible');
  await choices.first().waitFor();
  const words = (await choices.allInnerTexts()).map((text) => text.trim());
  const steal = words.findIndex((text) => text.startsWith('Steal'));
  const run = words.indexOf(servers[runs % servers.length]);
  runs += steal < 0 && run >= 0 ? 1 : 0;
  await choices.nth(Math.max(steal >= 0 ? steal : run, 0)).click();
  await frame.locator(`main:not([data-looks="${looks}"])`).waitFor();
  clicks += 1;
  if (clicks === 12) await picture('netrunner');
}
const played = await model;
assert.equal(played.status, 'game_over');
assert.match(played.outcome, /\S/);
await frame.getByRole('status').filter({ hasText: /won/ }).waitFor();
await picture('netrunner_end');
assert.ok(clicks > 10, `${clicks} clicks`);

// --- A host that offers nothing, and says anything ---

await open({}, {});
const alone = await must('create_match', { game: 'tictactoe', name: 'Model' });
const silent = calls;
await page.evaluate(() => {
  const inner = document.querySelector('iframe').contentWindow;
  for (const odd of [null, 7, 'text', [], {}, { jsonrpc: '2.0' }, { jsonrpc: '2.0', id: 99, result: 1 }, { jsonrpc: '2.0', method: 'ui/notifications/tool-result', params: { structuredContent: [], content: 'x' } },
    { jsonrpc: '2.0', method: 'ui/notifications/host-context-changed', params: { theme: {}, styles: { variables: { '--ink': 'red; } body { display: none', x: 1 } } } }, { jsonrpc: '2.0', method: 'ui/notifications/tool-input', params: { arguments: { token: { a: 1 } } } }]) {
    inner.postMessage(odd, '*');
  }
});
await show({}, alone);
await frame.locator('pre').filter({ hasText: /X|board/i }).waitFor();
assert.equal(calls, silent, 'the view called a tool that the host does not offer');
await picture('nothing');

// Nothing was loaded from anywhere else, and nothing went wrong.
assert.deepEqual(requests.filter((url) => !url.startsWith('http://127.0.0.1:') && !url.startsWith('about:')), []);
assert.deepEqual(requests.filter((url) => url.includes(`:${port}/`)), []);
assert.deepEqual(troubles, []);
await browser.close();
await client.close();
proxy.close();
chat.close();
console.log(`everything as expected: ${calls} calls, ${clicks} clicks at Netrunner`);

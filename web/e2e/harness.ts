// The base of browser tests: the real program on free ports with its own data folder, and Debian's Chromium.
// OPENSEAT_PROGRAM names the program, OPENSEAT_CHROMIUM the browser (default: found in PATH). With OPENSEAT_DEV_PAGES
// set, the pages are not the built-in ones but those of the working tree, from Vite's dev server. With
// OPENSEAT_SLOW_PAGES=4, they get a quarter of the CPU, which reveals missing waits.
import { spawn, type ChildProcess } from 'node:child_process';
import { accessSync, constants, mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server as HttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { networkInterfaces, tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { createServer as createViteServer } from 'vite';
import { chromium, type Browser, type BrowserContext, type BrowserContextOptions, type Page, type Request } from 'playwright-core';

export const program = resolve(process.env.OPENSEAT_PROGRAM ?? '../build/openseat');

export function findChromium(): string | undefined {
  if (process.env.OPENSEAT_CHROMIUM) return process.env.OPENSEAT_CHROMIUM;
  for (const folder of (process.env.PATH ?? '').split(delimiter)) {
    for (const name of ['chromium', 'chromium-browser', 'google-chrome']) {
      const file = join(folder, name);
      try {
        accessSync(file, constants.X_OK);
        return file;
      } catch {
        continue;
      }
    }
  }
  return undefined;
}

// A process that prints a line when it is ready.
export class Child {
  output = '';
  readonly process: ChildProcess;
  #ended: Promise<void>;
  #closed = false; // it has ended, and `output` is complete

  constructor(file: string, args: string[], env: Record<string, string> = {}) {
    this.process = spawn(file, args, { env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
    for (const stream of [this.process.stdout, this.process.stderr]) {
      stream?.on('data', (bytes: Buffer) => {
        this.output += bytes.toString();
      });
    }
    this.#ended = new Promise((done) =>
      this.process.once('close', () => {
        this.#closed = true;
        done();
      }),
    );
  }

  // The first group of `pattern` in its output; fails if it ends without a match.
  async says(pattern: RegExp): Promise<string> {
    for (;;) {
      const found = pattern.exec(this.output);
      if (found) return found[1] ?? found[0];
      if (this.#closed) throw new Error(`it ended without saying ${pattern}:\n${this.output}`);
      await new Promise<void>((next) => {
        const go = () => {
          this.process.stdout?.off('data', go);
          this.process.stderr?.off('data', go);
          this.process.off('close', go);
          next();
        };
        this.process.stdout?.once('data', go);
        this.process.stderr?.once('data', go);
        this.process.once('close', go);
      });
    }
  }

  // Waits until it ends by itself; returns its exit code.
  async done(): Promise<number | null> {
    await this.#ended;
    return this.process.exitCode;
  }

  async end(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    if (this.process.exitCode === null && this.process.signalCode === null) this.process.kill(signal);
    await this.#ended;
  }
}

export interface Openseat {
  url: string; // "http://127.0.0.1:40001"
  ws: string;
  dataDir: string;
  child: Child;
  // Kills it (SIGKILL, like a crash) and keeps its data for `again`.
  stop: (signal?: NodeJS.Signals) => Promise<void>;
  // Restarts it at the same address.
  again: () => Promise<void>;
  // Stops it and deletes its data.
  close: () => Promise<void>;
}

// The working tree's pages in front of the server at `url`.
async function startVite(url: string): Promise<{ url: string; close: () => Promise<void> }> {
  process.env.OPENSEAT_URL = url;
  delete process.env.VITEST; // vite.config.ts uses it to detect component tests
  const vite = await createViteServer({ configFile: resolve('vite.config.ts'), server: { port: 0, host: '127.0.0.1' }, logLevel: 'error' });
  await vite.listen();
  const { port } = vite.httpServer?.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, close: () => vite.close() };
}

// This machine's address as seen by others: a browser that uses it counts as another machine. undefined if
// the machine has none.
export const ownAddress = Object.values(networkInterfaces())
  .flat()
  .find((each) => each && each.family === 'IPv4' && !each.internal)?.address;

// `listen`: "0.0.0.0:0" can also be reached at ownAddress.
export async function startOpenseat(args: string[] = [], listen = '127.0.0.1:0'): Promise<Openseat> {
  const dataDir = mkdtempSync(join(tmpdir(), 'openseat-web-'));
  const start = async (listen: string): Promise<[Child, string]> => {
    const child = new Child(program, ['serve', '--listen', listen, '--chimera-listen', 'none', '--data-dir', dataDir, '--shards', '1', ...args]);
    return [child, (await child.says(/listens on (http:\S+)/)).replace('0.0.0.0', '127.0.0.1')];
  };
  const [child, address] = await start(listen);
  const vite = process.env.OPENSEAT_DEV_PAGES ? await startVite(address) : undefined;
  const server: Openseat = {
    url: vite?.url ?? address,
    ws: address.replace('http', 'ws'),
    dataDir,
    child,
    stop: (signal) => server.child.end(signal),
    again: async () => {
      [server.child] = await start(address.replace('http://', ''));
    },
    close: async () => {
      await server.child.end('SIGKILL');
      await vite?.close();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
  return server;
}

export async function launchBrowser(): Promise<Browser> {
  const executablePath = findChromium();
  if (!executablePath) throw new Error('there is no Chromium here: apt-get install chromium, or name one in OPENSEAT_CHROMIUM');
  // Chromium's sandbox does not start for root, and containers run as root.
  const args = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  return chromium.launch({ executablePath, args: [...args, '--disable-dev-shm-usage'] });
}

// A page and its problems: console errors, and requests to other hosts.
export interface Visitor {
  page: Page;
  context: BrowserContext;
  troubles: string[];
  // Console errors that the test expects, such as a lost server. Set this before it happens: the browser may report
  // it later than the page shows it.
  expected: RegExp | undefined;
}

const kSlowdown = Number(process.env.OPENSEAT_SLOW_PAGES ?? 1);

export async function visit(browser: Browser, url: string, options: BrowserContextOptions = {}, expected?: RegExp): Promise<Visitor> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 860 }, reducedMotion: 'reduce', ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(30_000);
  if (kSlowdown > 1) await (await context.newCDPSession(page)).send('Emulation.setCPUThrottlingRate', { rate: kSlowdown });
  const troubles: string[] = [];
  const visitor: Visitor = { page, context, troubles, expected };
  page.on('pageerror', (error) => troubles.push(`an exception: ${error.message}`));
  page.on('console', (message) => {
    if (message.type() === 'error' && !visitor.expected?.test(message.text())) troubles.push(`the browser's console: ${message.text()}`);
  });
  const own = new URL(url).host;
  page.on('request', (request) => {
    const asked = new URL(request.url());
    if (asked.protocol !== 'data:' && asked.protocol !== 'blob:' && asked.host !== own) troubles.push(`a request to ${asked.host}`);
  });
  try {
    await page.goto(url);
  } catch (error) {
    await context.close();
    throw error;
  }
  return visitor;
}

// The page as on a later visit: with the pages' own typeface.
export async function comeAgain(page: Page): Promise<void> {
  await page.waitForFunction(() => localStorage.getItem('openseat.typeface') !== null);
  await page.reload();
  await page.waitForFunction(() => [...document.fonts].some((face) => face.status === 'loaded'));
}

// A page's requests, and its incoming WebSocket messages, from the time of construction.
export class Traffic {
  readonly asked: string[] = []; // paths, "/api/v1/tables"
  readonly told: string[] = []; // texts
  readonly #page: Page;
  readonly #underWay = new Set<Request>();

  constructor(page: Page) {
    this.#page = page;
    page.on('request', (request) => {
      this.asked.push(new URL(request.url()).pathname);
      this.#underWay.add(request);
    });
    page.on('requestfinished', (request) => this.#underWay.delete(request));
    page.on('requestfailed', (request) => this.#underWay.delete(request));
    page.on('websocket', (socket) => socket.on('framereceived', ({ payload }) => this.told.push(String(payload))));
  }

  // Waits until the page has all its responses and half a second of its own time passes without another request:
  // everything that follows from an answer has then been done. Then `asked` starts over.
  async quiet(): Promise<void> {
    for (let before = -1; before !== this.asked.length || this.#underWay.size > 0; ) {
      before = this.asked.length;
      await this.#page.evaluate(() => new Promise((done) => setTimeout(done, 500)));
    }
    this.asked.length = 0;
  }
}

// A language model whose answers the test sets: a stand-in for OpenAI's chat completions API.
export async function startModel(answer: (prompt: string, call: number) => string): Promise<{ url: string; close: () => Promise<void> }> {
  let calls = 0;
  const server: HttpServer = createServer((request, response) => {
    let body = '';
    request.on('data', (bytes: Buffer) => {
      body += bytes.toString();
    });
    request.on('end', () => {
      const messages = (JSON.parse(body) as { messages: { content: string }[] }).messages;
      const content = answer(messages.map((message) => message.content).join('\n'), calls);
      calls += 1;
      response.setHeader('Content-Type', 'application/json');
      response.end(
        JSON.stringify({
          id: `chat-${calls}`,
          object: 'chat.completion',
          created: 0,
          model: 'stand-in',
          choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
          usage: { prompt_tokens: 120, completion_tokens: 9, total_tokens: 129 },
        }),
      );
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/v1`,
    close: () => new Promise((done) => {
      server.closeAllConnections();
      server.close(() => done());
    }),
  };
}

// The program with models that all answer with `answer`: NAME=PROVIDER:MODEL each.
export async function startWithModels(
  answer: (prompt: string, call: number) => string,
  names: string[] = ['tiny=openai:stand-in'],
  args: string[] = [],
): Promise<Openseat> {
  const model = await startModel(answer);
  try {
    const server = await startOpenseat([...names.flatMap((name) => ['--model', `${name}@${model.url}`]), ...args]);
    const { close } = server;
    server.close = async () => {
      await close();
      await model.close();
    };
    return server;
  } catch (error) {
    await model.close();
    throw error;
  }
}

// The name of the focused control; '' while focus is on the page or a table, whose texts contain all names.
export const focusedControl = (page: Page): Promise<string> =>
  page.evaluate(() => {
    const control = document.activeElement?.matches('a, button, input, select') ? document.activeElement : undefined;
    return control?.getAttribute('aria-label') ?? control?.textContent ?? '';
  });

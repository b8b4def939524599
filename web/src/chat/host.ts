// The chat's host, by the MCP Apps extension (docs/protocols/mcp.md, "The board in the chat"): JSON-RPC 2.0 by
// postMessage with the window around this one. Only what that window sends is heard; whatever has another form is ignored.
import type { Json, JsonObject } from '../lib/api/types';
import { isObject } from '../lib/schema/shape';

export interface ToolAnswer {
  text: string;
  structured: JsonObject;
  failed: boolean;
}

// What it calls back.
export interface Told {
  // The arguments of the call that opened the view, and its answer. Both once, the answer later or never.
  input: (args: JsonObject) => void;
  answer: (answer: ToolAnswer) => void;
  canceled: () => void;
  // The members of the host's context that changed; at first all.
  context: (changed: JsonObject) => void;
  // The view is about to be removed.
  closing: () => void;
}

const kVersion = '2026-01-26';

export function readAnswer(result: Json | undefined): ToolAnswer {
  const answer = isObject(result) ? result : {};
  const content = Array.isArray(answer.content) ? answer.content : [];
  const text = content.flatMap((block) => (isObject(block) && block.type === 'text' && typeof block.text === 'string' ? [block.text] : [])).join('\n');
  return { text, structured: isObject(answer.structuredContent) ? answer.structuredContent : {}, failed: answer.isError === true };
}

interface Port {
  post: (message: JsonObject) => void;
  hear: (heard: (message: unknown) => void) => void;
}

// The window around this one.
export function parentPort(): Port {
  return {
    post: (message) => window.parent.postMessage(message, '*'),
    hear: (heard) =>
      window.addEventListener('message', (event) => {
        if (event.source === window.parent) heard(event.data);
      }),
  };
}

export class Host {
  #last = 0;
  #asked = new Map<number, { done: (result: Json | undefined) => void; failed: (error: Error) => void }>();
  #can: JsonObject = {};

  constructor(
    private readonly port: Port,
    private readonly told: Told,
  ) {
    port.hear((message) => this.#hear(message));
  }

  // Errors: the host's.
  async connect(): Promise<void> {
    const answer = await this.#ask('ui/initialize', {
      protocolVersion: kVersion,
      appInfo: { name: 'openseat-board', title: 'Openseat', version: '1' },
      appCapabilities: { availableDisplayModes: ['inline', 'fullscreen'] },
    });
    if (isObject(answer)) {
      if (isObject(answer.hostCapabilities)) this.#can = answer.hostCapabilities;
      if (isObject(answer.hostContext)) this.told.context(answer.hostContext);
    }
    this.#tell('ui/notifications/initialized', {});
  }

  // Whether the host offers that: "serverTools", "message", "updateModelContext" …
  can(what: string): boolean {
    return isObject(this.#can[what]);
  }

  // A tool of the server. Errors: the host's, or that it offers none.
  async callTool(name: string, args: JsonObject): Promise<ToolAnswer> {
    return readAnswer(await this.#ask('tools/call', { name, arguments: args }));
  }
  // Tells the model with its next turn; the last one that was told counts. Hosts may refuse.
  async informModel(text: string): Promise<void> {
    if (this.can('updateModelContext')) await this.#ask('ui/update-model-context', { content: [{ type: 'text', text }] }).catch(() => undefined);
  }
  // Says something in the chat, for the person, which the model answers. Hosts may refuse.
  async say(text: string): Promise<void> {
    if (this.can('message')) await this.#ask('ui/message', { role: 'user', content: [{ type: 'text', text }] }).catch(() => undefined);
  }
  // The mode that it is in now.
  async show(mode: string): Promise<void> {
    const answer = await this.#ask('ui/request-display-mode', { mode }).catch(() => undefined);
    if (isObject(answer) && typeof answer.mode === 'string') this.told.context({ displayMode: answer.mode });
  }
  resized(width: number, height: number): void {
    this.#tell('ui/notifications/size-changed', { width: Math.ceil(width), height: Math.ceil(height) });
  }

  #tell(method: string, params: JsonObject): void {
    this.port.post({ jsonrpc: '2.0', method, params });
  }
  #ask(method: string, params: JsonObject): Promise<Json | undefined> {
    const id = ++this.#last;
    return new Promise((done, failed) => {
      this.#asked.set(id, { done, failed });
      this.port.post({ jsonrpc: '2.0', id, method, params });
    });
  }

  #hear(message: unknown): void {
    if (!isObject(message) || message.jsonrpc !== '2.0') return;
    if (typeof message.method === 'string') {
      const params = isObject(message.params) ? message.params : {};
      // The first request of a host has the id 0.
      if (message.id === undefined) this.#notified(message.method, params);
      else this.#requested(message.method, message.id);
      return;
    }
    const waiting = typeof message.id === 'number' ? this.#asked.get(message.id) : undefined;
    if (!waiting) return;
    this.#asked.delete(message.id as number);
    if (isObject(message.error)) waiting.failed(new Error(typeof message.error.message === 'string' ? message.error.message : 'the host refused'));
    else waiting.done(message.result);
  }

  #notified(method: string, params: JsonObject): void {
    if (method === 'ui/notifications/tool-input') this.told.input(isObject(params.arguments) ? params.arguments : {});
    if (method === 'ui/notifications/tool-result') this.told.answer(readAnswer(params));
    if (method === 'ui/notifications/tool-cancelled') this.told.canceled();
    if (method === 'ui/notifications/host-context-changed') this.told.context(params);
  }

  #requested(method: string, id: Json): void {
    if (method === 'ping' || method === 'ui/resource-teardown') {
      if (method !== 'ping') this.told.closing();
      this.port.post({ jsonrpc: '2.0', id, result: {} });
    } else {
      this.port.post({ jsonrpc: '2.0', id, error: { code: -32601, message: `Method not found: ${method}` } });
    }
  }
}

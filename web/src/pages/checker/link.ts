// A report as a link: the files, compressed, in the URL fragment ('#'), which is never sent to a server. And
// reports on this server, by path; nothing is fetched from anywhere else.
import type { Files } from './report';

const kMostPacked = 300_000; // characters in a link
const kMostBytes = 32 << 20; // per report

async function through(bytes: Uint8Array, transform: TransformStream<BufferSource, Uint8Array>, most: number): Promise<Uint8Array> {
  const body = new Response(bytes as BufferSource).body;
  if (!body) throw new Error('This browser does not support streams');
  const reader = body.pipeThrough(transform as unknown as ReadableWritablePair<Uint8Array, Uint8Array>).getReader();
  const parts: Uint8Array[] = [];
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    size += value.length;
    if (size > most) {
      await reader.cancel();
      throw new Error('The report in this link is too large');
    }
    parts.push(value);
  }
  const all = new Uint8Array(size);
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

export async function packReport(files: Files): Promise<string> {
  if (typeof CompressionStream === 'undefined') throw new Error('This browser cannot compress. Send the files instead.');
  const bytes = await through(new TextEncoder().encode(JSON.stringify(files)), new CompressionStream('deflate') as never, kMostBytes);
  let text = '';
  for (let i = 0; i < bytes.length; i += 0x8000) text += String.fromCharCode(...bytes.subarray(i, i + 0x8000));
  const packed = btoa(text).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
  if (packed.length > kMostPacked) throw new Error('The report is too large for a link. Send the files instead.');
  return packed;
}

export async function unpackReport(packed: string): Promise<Files> {
  if (packed.length > kMostPacked) throw new Error('The link is too long');
  let value: unknown;
  try {
    const text = atob(packed.replaceAll('-', '+').replaceAll('_', '/'));
    const bytes = await through(Uint8Array.from(text, (each) => each.charCodeAt(0)), new DecompressionStream('deflate') as never, kMostBytes);
    value = JSON.parse(new TextDecoder().decode(bytes));
  } catch (error) {
    if (error instanceof Error && error.message.includes('too large')) throw error;
    throw new Error('The link is damaged or incomplete.');
  }
  const given = (typeof value === 'object' && value !== null ? value : {}) as Record<string, unknown>;
  const text = (name: string): string | undefined => (typeof given[name] === 'string' ? (given[name] as string) : undefined);
  return { name: text('name') ?? 'report', log: text('log'), actions: text('actions'), context: text('context'), junit: text('junit') };
}

// The text at a path on this server.
export async function fetchHere(path: string): Promise<string> {
  const url = new URL(path, location.href);
  if (url.origin !== location.origin) throw new Error(`Reports are read only from this server, not from ${url.origin}`);
  const response = await fetch(url, { credentials: 'omit' });
  if (!response.ok) throw new Error(`${url.pathname}: the server answered ${response.status}`);
  const type = response.headers.get('content-type') ?? '';
  if (type.startsWith('text/html')) throw new Error(`${url.pathname}: this is a web page, not a report`);
  return response.text();
}

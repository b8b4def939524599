// A session as a file: everything the server knows about a table.
import { readTranscript } from '../../lib/api/console';
import { getDiagnostics } from '../../lib/api/remote';
import type { TableInfo } from '../../lib/api/types';
import { logOf, rawText } from './session';

export type ExportKind = 'json' | 'messages' | 'text';

export async function makeExport(table: TableInfo, kind: ExportKind): Promise<{ name: string; type: string; text: string }> {
  const { events } = await readTranscript(table.id, table.kind === 'hosted' ? 'all' : '');
  const base = `openseat_${table.id}`;
  if (kind === 'messages') {
    const lines = events
      .filter((event) => event.kind === 'received' || event.kind === 'sent')
      .map((event) => JSON.stringify({ seq: event.seq, time: event.time, from: event.kind === 'received' ? 'game' : 'server', message: rawText(event.payload) }));
    return { name: `${base}_messages.jsonl`, type: 'application/jsonl', text: lines.map((line) => `${line}\n`).join('') };
  }
  if (kind === 'text') {
    const entries = logOf(events).map((entry) => `[${entry.time}] ${entry.title}${entry.silent ? ' (silent)' : ''}${entry.text ? `\n${entry.text.replace(/^/gm, '    ')}` : ''}\n`);
    return { name: `${base}.txt`, type: 'text/plain', text: `${table.game ?? table.id}\n\n${entries.join('')}` };
  }
  const diagnostics = await getDiagnostics(table.id, { since: 0 });
  return { name: `${base}.json`, type: 'application/json', text: `${JSON.stringify({ exported: new Date().toISOString(), table, diagnostics, events }, null, 1)}\n` };
}

// Takes the seat of the only game that is connected over the Neuro API, and plays it to its end: remote.mjs PORT
import assert from 'node:assert/strict';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

const client = new Client({ name: 'openseat-test', version: '1' });
await client.connect(new StreamableHTTPClientTransport(new URL(`http://127.0.0.1:${process.argv[2]}/mcp`)));
const call = async (name, args) => {
  const result = await client.callTool({ name, arguments: args });
  assert.ok(!result.isError, JSON.stringify(result));
  return result.structuredContent;
};
let remote;
while (!remote) remote = (await call('list_tables', {})).tables.find((table) => table.kind === 'remote');
let view = await call('join_table', { table: remote.id });
const { token } = view;
let acts = 0;
while (acts < 2) {
  if (view.status !== 'your_turn') {
    view = await call('wait_for_turn', { token, since: view.version, timeout_s: 10 });
    continue;
  }
  const { id } = view.choices.at(-1);
  view = await call('act', { token, decision: view.decision.id, choice: id, timeout_s: 1 });
  acts += 1;
}
assert.equal((await client.callTool({ name: 'resign', arguments: { token } })).isError ?? false, false);
await client.close();
console.log(`played ${acts} moves of ${remote.id}`);

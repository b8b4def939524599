// Complete games with the official clients: play.mjs sdk|client http|stdio|bridge GAME OPENSEAT PORT DIR
// "sdk" is the 1.x line, which speaks the legacy revisions; "client" is the 2.x line, pinned to 2026-07-28.
import assert from 'node:assert/strict';

const [, , library, transport, game, openseat, port, dir] = process.argv;
const url = `http://127.0.0.1:${port}`;

async function connect() {
  const identity = { name: 'openseat-test', version: '1' };
  if (library === 'sdk') {
    const { Client } = await import('@modelcontextprotocol/sdk/client/index.js');
    const { StreamableHTTPClientTransport } = await import('@modelcontextprotocol/sdk/client/streamableHttp.js');
    const { StdioClientTransport } = await import('@modelcontextprotocol/sdk/client/stdio.js');
    const client = new Client(identity);
    await client.connect(open(StreamableHTTPClientTransport, StdioClientTransport));
    return client;
  }
  const { Client, StreamableHTTPClientTransport } = await import('@modelcontextprotocol/client');
  const { StdioClientTransport } = await import('@modelcontextprotocol/client/stdio');
  const client = new Client(identity, { versionNegotiation: { mode: { pin: '2026-07-28' } } });
  await client.connect(open(StreamableHTTPClientTransport, StdioClientTransport));
  return client;
}

function open(Http, Stdio) {
  if (transport === 'http') return new Http(new URL(`${url}/mcp`));
  const args = transport === 'bridge' ? ['mcp', '--url', url] : ['mcp', '--data-dir', `${dir}/stdio-${game}-${library}`];
  return new Stdio({ command: openseat, args, stderr: 'inherit' });
}

const client = await connect();
const call = async (name, args, wrong = false) => {
  const result = await client.callTool({ name, arguments: args });
  assert.equal(result.isError ?? false, wrong, JSON.stringify(result));
  assert.ok(result.content[0].text.length > 0);
  return wrong ? result.content[0].text : result.structuredContent;
};

const tools = (await client.listTools()).tools.map((tool) => tool.name);
for (const name of ['list_games', 'create_match', 'join_table', 'wait_for_turn', 'act', 'resign', 'say']) {
  assert.ok(tools.includes(name), name);
}
assert.ok((await call('list_games', {})).games.some((each) => each.id === game));
assert.match((await client.readResource({ uri: `openseat://games/${game}/rules` })).contents[0].text, /\w{3}/);
const prompt = await client.getPrompt({ name: `play_${game}`, arguments: { opponent: 'random' } });
assert.match(prompt.messages[0].content.text, /create_match/);

let view = await call('create_match', { game, name: 'Ada' });
const { token, table } = view;
assert.match(token, /^.+\.\d+\.[a-z2-7]{26}$/);
assert.match(await call('get_state', { token: 'nobody' }, true), /TABLE\.SEAT\.SECRET/);
assert.match(await call('get_state', { token: token.slice(0, -4) + 'aaaa' }, true), /not that of a seat/);
await call('say', { token, text: 'Have fun!' });

let acts = 0;
let repeated = false;
while (view.status !== 'game_over') {
  if (view.status !== 'your_turn') {
    view = await call('wait_for_turn', { token, since: view.version, timeout_s: 20 });
    continue;
  }
  assert.equal((await call('get_state', { token, detail: 'full' })).decision.id, view.decision.id);
  // Anything that is offered. Scattered, because a regular pick may begin and cancel the same thing forever.
  const { choices } = view;
  assert.ok(choices.length > 0, JSON.stringify(view));
  const choice = choices[(Math.imul(acts + 1, 0x9e3779b1) >>> 16) % choices.length].id;
  const decision = view.decision.id;
  if (acts === 0) {
    assert.match(await call('act', { token, decision, choice: '999999' }, true), /no choice/);
    assert.match(await call('act', { token, decision, action: 'fly' }, true), /refused|fly/);
    assert.match(await call('act', { token, decision: '77.none', choice }, true), /not the one that is open/);
  }
  view = await call('act', { token, decision, choice });
  acts += 1;
  if (!repeated && view.status === 'your_turn' && view.decision.id !== decision) {
    // Repeats the call, like a client whose answer was lost: nothing happens twice.
    const again = await call('act', { token, decision, choice, timeout_s: 0 });
    assert.equal(again.decision.id, view.decision.id);
    repeated = true;
  }
  assert.ok(acts < 5000, 'the game does not end');
}
assert.ok(repeated || acts < 3, 'an act was repeated');
assert.match(view.outcome, /won|draw/);
const transcript = (await client.readResource({ uri: `openseat://tables/${table}/transcript` })).contents[0].text;
const last = JSON.parse(transcript.trim().split('\n').at(-1));
assert.equal(last.payload.event, 'end', JSON.stringify(last).slice(0, 300));

// A match that a player gives up, and one that others join.
view = await call('create_match', { game: 'tictactoe', opponents: ['open'] });
const other = await call('join_table', { table: view.table, name: 'Bob' });
assert.equal(other.table, view.table);
await client.callTool({ name: 'resign', arguments: { token: view.token } });
const over = await call('wait_for_turn', { token: other.token });
assert.equal(over.status, 'game_over');
assert.match(over.outcome, /Bob won .*resigned/);
await client.close();
console.log(`${library} over ${transport}: ${game} in ${acts} acts, ${view.table}; ${table}`);

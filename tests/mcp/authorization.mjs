// Who may use /mcp: authorization.mjs jwt|introspection|open PORT [AUTH_PORT] [ADMIN_TOKEN]
// "open": no authorization server is configured.
import assert from 'node:assert/strict';
import { networkInterfaces } from 'node:os';

const [, , mode, port, authPort, adminToken] = process.argv;
const url = `http://127.0.0.1:${port}/mcp`;
const issuer = `http://127.0.0.1:${authPort}`;
const metadataUrl = `http://127.0.0.1:${port}/.well-known/oauth-protected-resource`;

const initialize = (protocolVersion = '2025-11-25') => ({
  jsonrpc: '2.0', id: 1, method: 'initialize',
  params: { protocolVersion, capabilities: {}, clientInfo: { name: 'test', version: '1' } },
});
async function post(message, headers = {}, to = url) {
  const response = await fetch(to, {
    method: 'POST', body: JSON.stringify(message),
    headers: { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream', ...headers },
  });
  const text = await response.text();
  return { status: response.status, challenge: response.headers.get('www-authenticate'), headers: response.headers,
    body: text === '' ? null : JSON.parse(text) };
}
const bearing = (token, to) => post(initialize(), { Authorization: `Bearer ${token}` }, to);
async function mint(wanted) {
  const response = await fetch(`${issuer}/mint`, { method: 'POST', body: JSON.stringify({ resource: url, ...wanted }) });
  return (await response.json()).token;
}
async function apiKey() {
  const response = await fetch(`http://127.0.0.1:${port}/api/v1/keys`, { method: 'POST', body: '{"label":"mcp"}' });
  assert.equal(response.status, 201);
  const made = await response.json();
  return { id: made.key?.id ?? made.id, secret: made.secret };
}

if (mode === 'open') {
  assert.equal((await post(initialize())).status, 200);
  assert.equal((await fetch(metadataUrl)).status, 404);

  // An older host: the server uses the revision that it names.
  const first = await post(initialize('2025-06-18'));
  assert.equal(first.body.result.protocolVersion, '2025-06-18');
  const session = { 'Mcp-Session-Id': first.headers.get('mcp-session-id'), 'MCP-Protocol-Version': '2025-06-18' };
  assert.match(session['Mcp-Session-Id'], /^[!-~]+$/);
  assert.equal((await post({ jsonrpc: '2.0', method: 'notifications/initialized' }, session)).status, 202);
  const tools = (await post({ jsonrpc: '2.0', id: 2, method: 'tools/list' }, session)).body.result.tools;
  assert.ok(tools.some((tool) => tool.name === 'act'));
  const call = { jsonrpc: '2.0', id: 3, method: 'tools/call', params: { name: 'list_games', arguments: {} } };
  assert.ok((await post(call, session)).body.result.structuredContent.games.length > 0);
  assert.equal((await post(call, { ...session, 'MCP-Protocol-Version': '1999-01-01' })).status, 400);
  assert.equal((await fetch(url, { method: 'DELETE', headers: session })).status, 204);
  assert.equal((await post(call, session)).status, 404);

  // From another address of this machine, which is not loopback, a token is needed.
  const other = Object.values(networkInterfaces()).flat().find((each) => !each.internal && each.family === 'IPv4');
  if (other === undefined) {
    console.log('this machine has only loopback addresses: skipping that part');
  } else {
    const far = `http://${other.address}:${port}/mcp`;
    const refused = await post(initialize(), {}, far);
    assert.equal(refused.status, 401);
    assert.equal(refused.challenge, 'Bearer');
    assert.equal((await bearing('wrong', far)).status, 401);
    assert.equal((await bearing(adminToken, far)).status, 200);
    const key = await apiKey();
    assert.equal((await bearing(key.secret, far)).status, 200);
    const revoked = await fetch(`http://127.0.0.1:${port}/api/v1/keys/${key.id}`, { method: 'DELETE' });
    assert.ok(revoked.ok, `${revoked.status}`);
    assert.equal((await bearing(key.secret, far)).status, 401);
  }
  console.log('open: as expected');
  process.exit(0);
}

// What a client is told.
const metadata = await (await fetch(metadataUrl)).json();
assert.deepEqual(metadata, {
  resource: url, authorization_servers: [issuer], scopes_supported: ['play'],
  bearer_methods_supported: ['header'], resource_name: 'Openseat',
});
assert.deepEqual(await (await fetch(`${metadataUrl}/mcp`)).json(), metadata);
const refused = await post(initialize());
assert.equal(refused.status, 401);
assert.equal(refused.challenge, `Bearer resource_metadata="${metadataUrl}/mcp", scope="play"`);
assert.equal((await fetch(`${url}?access_token=${await mint({})}`, { method: 'POST', body: '{}' })).status, 401);

// Which tokens are accepted, and which are not.
const opaque = mode === 'introspection';
assert.equal((await bearing(await mint({ opaque }))).status, 200);
const now = Math.floor(Date.now() / 1000);
const wrong = [
  { claims: { aud: 'http://127.0.0.1:1/mcp' } },
  { claims: { aud: null } },
  { claims: { exp: now - 120 } },
  { claims: { nbf: now + 600 } },
  { claims: { iss: 'http://127.0.0.1:1' } },
];
if (!opaque) {
  wrong.push({ by: 'stranger' }, { header: { alg: 'none' } }, { header: { alg: 'HS256' } }, { header: { kid: 'other' } },
    { claims: { exp: null } });
}
for (const wanted of wrong) {
  const got = await bearing(await mint({ opaque, ...wanted }));
  assert.equal(got.status, 401, JSON.stringify(wanted));
  assert.match(got.challenge, /error="invalid_token"/);
}
assert.equal((await bearing('neither.of.them')).status, 401);
const narrow = await bearing(await mint({ opaque, claims: { scope: 'watch' } }));
assert.equal(narrow.status, 403);
assert.match(narrow.challenge, /error="insufficient_scope".*/);
assert.match(narrow.challenge, /scope="play"/);
assert.equal((await post(initialize(), { Authorization: 'Bearer a b' })).status, 400);

// Only the client that started a session can use it.
const begun = await bearing(await mint({ opaque }));
const session = { 'Mcp-Session-Id': begun.headers.get('mcp-session-id') };
const list = { jsonrpc: '2.0', id: 2, method: 'tools/list' };
const as = async (claims) => ({ ...session, Authorization: `Bearer ${await mint({ opaque, claims })}` });
assert.equal((await post(list, await as({}))).status, 200, 'a fresh token of the same bearer');
assert.equal((await post(list, await as({ sub: 'eve' }))).status, 404);

// Openseat's own keys work as well.
assert.equal((await bearing(adminToken)).status, 200);
assert.equal((await bearing((await apiKey()).secret)).status, 200);

if (!opaque) {
  // The official client finds its way by itself, from the 401 to a token to a game.
  const { Client } = await import('@modelcontextprotocol/sdk/client/index.js');
  const { StreamableHTTPClientTransport } = await import('@modelcontextprotocol/sdk/client/streamableHttp.js');
  const { ClientCredentialsProvider } = await import('@modelcontextprotocol/sdk/client/auth-extensions.js');
  const authProvider = new ClientCredentialsProvider({ clientId: 'host', clientSecret: 'hush', expectedIssuer: issuer });
  const client = new Client({ name: 'openseat-test', version: '1' });
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { authProvider }));
  const call = async (name, args) => (await client.callTool({ name, arguments: args })).structuredContent;
  let view = await call('create_match', { game: 'tictactoe' });
  const { token } = view;
  for (let acts = 0; view.status !== 'game_over'; ++acts) {
    assert.ok(acts < 50);
    view = view.status === 'your_turn'
      ? await call('act', { token, decision: view.decision.id, choice: '1' })
      : await call('wait_for_turn', { token, since: view.version });
  }
  assert.match(view.outcome, /won|draw/);
  await client.close();
}
console.log(`${mode}: as expected`);

// node front.mjs PORT NODE_PORT…: a front for ./dev cluster. Takes connections at 127.0.0.1:PORT and passes each one's bytes to the
// node with the fewest connections of those whose /readyz answers 200.
import http from 'node:http';
import net from 'node:net';

const [port, ...nodePorts] = process.argv.slice(2).map(Number);
if (!nodePorts.length || [port, ...nodePorts].some((one) => !Number.isInteger(one) || one < 1 || one > 65535)) {
  console.error('usage: node front.mjs PORT NODE_PORT…');
  process.exit(2);
}
const nodes = nodePorts.map((nodePort) => ({ port: nodePort, ready: false, connections: 0 }));

function check(node) {
  const request = http.get({ host: '127.0.0.1', port: node.port, path: '/readyz', timeout: 1000, agent: false }, (response) => {
    node.ready = response.statusCode === 200;
    response.resume();
  });
  request.on('timeout', () => request.destroy(new Error('no answer')));
  request.on('error', () => (node.ready = false));
}
setInterval(() => nodes.forEach(check), 500);
nodes.forEach(check);

// Among nodes with as many connections, each has its turn.
let turn = 0;
const inTurn = () => [...nodes.slice(++turn % nodes.length), ...nodes.slice(0, turn % nodes.length)];

// A node that does not take the connection is left out, and the next one is tried.
function join(client, candidates) {
  const node = candidates.reduce((best, one) => (best && best.connections <= one.connections ? best : one), undefined);
  if (!node || client.destroyed) return client.destroy();
  const upstream = net.connect(node.port, '127.0.0.1');
  ++node.connections;
  upstream.once('connect', () => {
    client.pipe(upstream).pipe(client);
    client.on('error', () => upstream.destroy());
    client.on('close', () => upstream.destroy());
    upstream.on('close', () => client.destroy());
  });
  upstream.on('close', () => --node.connections);
  upstream.on('error', () => {
    if (!upstream.connecting && upstream.bytesRead + upstream.bytesWritten > 0) return client.destroy();
    node.ready = false;
    join(client, candidates.filter((one) => one !== node));
  });
}

net
  .createServer((client) => {
    client.on('error', () => client.destroy());
    join(client, inTurn().filter((node) => node.ready));
  })
  .on('error', (error) => {
    console.error(`the front cannot listen on port ${port}: ${error.message}`);
    process.exit(1);
  })
  .listen(port, '127.0.0.1');

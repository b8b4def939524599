// node evil_game.mjs PACKAGES: a game whose texts all try to be a command to GitHub's runner, or to end a table or an XML
// element.
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';

const { WebSocket } = createRequire(resolve(join(process.argv[2], 'package.json')))('ws');

const EVIL = [
  '::error::made up', '::set-output name=result::passed', '##[set-output name=result]passed', '##[add-path]/evil',
  '| ` <b> </code> &amp; ]]> -->', '\u001b[31m\u0000\u0007\ufffe\uffff', '%0A::warning::made up',
].join('\r\n');

console.log(EVIL); // also in its own output
const socket = new WebSocket(process.env.NEURO_SDK_WS_URL);
const send = (command, data) => socket.send(JSON.stringify({ command, game: EVIL, data }));
socket.on('open', () => {
  send('startup');
  send('context', { message: EVIL, silent: true });
  send('actions/register', {
    actions: [{ name: EVIL, description: EVIL, schema: { type: 'object', properties: { [EVIL]: { type: 'string' } }, [EVIL]: 1 } }],
  });
  send('action/result', { id: EVIL, success: false, message: EVIL });
  send('actions/force', { query: EVIL, state: EVIL, ephemeral_context: true, action_names: [EVIL, `${EVIL}2`] });
});
socket.on('message', (text) => {
  const { command, data } = JSON.parse(text);
  if (command !== 'action') return;
  send('action/result', { id: data.id, success: true, message: EVIL });
  setTimeout(() => socket.close(), 300);
});

// A complete agent that plays on Openseat over MCP, from taking a seat to the end of the game.
//
//   npm ci && npm start -- [URL] [GAME] [ROLE]      (http://127.0.0.1:8000/mcp netrunner corp)
//
// It prefers choices that make progress, and otherwise chooses at random. Replace `choose` with a model: the text of each
// answer contains everything that it needs to know.
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

interface Choice {
  id: string;
  label: string; // "Play Hedge Fund (1 click, 5 credits)"
}
interface View {
  status: 'your_turn' | 'may_act' | 'waiting' | 'game_over';
  version: number;
  token?: string;
  table: string;
  decision?: { id: string; query: string };
  choices?: Choice[];
  outcome?: string;
}

const [url = 'http://127.0.0.1:8000/mcp', game = 'netrunner', role = '0'] = process.argv.slice(2);

class Table {
  private readonly client: Client;
  private token = '';
  constructor(client: Client) {
    this.client = client;
  }

  // Calls a tool for this seat. The error for an illegal call explains what was wrong: this agent stops, but a model would
  // read it and choose again.
  private async call(name: string, args: Record<string, unknown>): Promise<View> {
    const result = await this.client.callTool({ name, arguments: args });
    if (result.isError) throw new Error(result.content.map((block) => (block.type === 'text' ? block.text : '')).join('\n'));
    return result.structuredContent as unknown as View;
  }

  async sit(): Promise<View> {
    const view = await this.call('create_match', { game, role, name: 'Example' });
    this.token = view.token ?? '';
    return view;
  }
  wait(view: View): Promise<View> {
    return this.call('wait_for_turn', { token: this.token, since: view.version });
  }
  act(decision: string, choice: string): Promise<View> {
    return this.call('act', { token: this.token, decision, choice });
  }
}

// What to prefer when it is possible.
const liked = /^(Score|Advance|Steal|Install|Play|Run|Rez)\b|: Break\b/;

function choose(choices: Choice[]): string {
  const better = choices.filter(({ label }) => liked.test(label));
  // Now and then any choice, so that no game goes on forever.
  const pool = better.length > 0 && Math.random() < 0.7 ? better : choices;
  const choice = pool[Math.floor(Math.random() * pool.length)];
  if (!choice) throw new Error('nothing can be chosen by id');
  return choice.id;
}

const client = new Client({ name: 'openseat-example', version: '1.0.0' });
await client.connect(new StreamableHTTPClientTransport(new URL(url)));
const table = new Table(client);
let view = await table.sit();
console.log(`playing ${game} at ${view.table}`);
let acts = 0;
while (view.status !== 'game_over') {
  if (view.status === 'your_turn' && view.decision) {
    view = await table.act(view.decision.id, choose(view.choices ?? []));
    acts += 1;
  } else {
    view = await table.wait(view);
  }
}
console.log(`over after ${acts} acts: ${view.outcome}`);
await client.close();

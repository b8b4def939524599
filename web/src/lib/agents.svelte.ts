// The kinds of agents that the server knows (GET /api/v1/agents), as the whole page has them.
import { listAgents } from './api/console';
import type { AgentKind, AgentSpec } from './api/types';
import { words } from './format';

let kinds = $state.raw<AgentKind[]>([]);

export const agents = {
  // Empty until the server has told them; for who may not ask, always.
  get kinds(): AgentKind[] {
    return kinds;
  },
  // For a page that offers them: may ask for the admin token, and fails where they cannot be had.
  async ask(signal?: AbortSignal): Promise<AgentKind[]> {
    kinds = await listAgents(signal);
    return kinds;
  },
  // For their names alone; those who may not ask read plainer ones.
  async load(): Promise<void> {
    if (kinds.length > 0) return;
    try {
      kinds = await listAgents(undefined, { askToken: false });
    } catch {
      // Nothing is offered here.
    }
  },
  // "Random bot".
  title(kind: string): string {
    return kinds.find((each) => each.kind === kind)?.title ?? words(kind).replace(/^./, (letter) => letter.toUpperCase());
  },
  // What an agent is called at the table: a model by its own name.
  name: ({ kind, model }: AgentSpec): string => (typeof model === 'string' ? model : agents.title(kind)),
};

// Those that play the game; of a game elsewhere (""), those that play any.
export const playersOf = (game: string, all: AgentKind[]): AgentKind[] => all.filter((each) => !each.game || each.game === game);
// Whether the seat's token is shown to who makes the match.
export const playsFromOutside = (kind: string, all: AgentKind[]): boolean => all.find((each) => each.kind === kind)?.plays_from === 'outside';

// The server's kinds of agents (GET /api/v1/agents), shared by the whole page.
import { listAgents } from './api/console';
import type { AgentKind, AgentSpec } from './api/types';
import { words } from './format';
import { botName } from './levels';

let kinds = $state.raw<AgentKind[]>([]);

export const agents = {
  // Empty until the server has answered; always empty without access.
  get kinds(): AgentKind[] {
    return kinds;
  },
  // For pages that offer agents: may ask for the admin token, and throws if the list is not available.
  async ask(signal?: AbortSignal): Promise<AgentKind[]> {
    kinds = await listAgents(signal);
    return kinds;
  },
  // For names only; without access, plainer names are shown.
  async load(): Promise<void> {
    if (kinds.length > 0) return;
    try {
      kinds = await listAgents(undefined, { askToken: false });
    } catch {
      // Only names are affected.
    }
  },
  // "Random bot".
  title(kind: string): string {
    return kinds.find((each) => each.kind === kind)?.title ?? words(kind).replace(/^./, (letter) => letter.toUpperCase());
  },
  // An agent's name at the table: a model has its own name, a bot that of its level.
  name: ({ kind, model, level }: AgentSpec): string => (typeof model === 'string' ? model : typeof level === 'number' ? botName(level) : agents.title(kind)),
};

// Kinds that play the game; for a remote game (""), those that play any game.
export const playersOf = (game: string, all: AgentKind[]): AgentKind[] => all.filter((each) => !each.game || each.game === game);
// Whether the seat's token is shown to the person who creates the match.
export const playsFromOutside = (kind: string, all: AgentKind[]): boolean => all.find((each) => each.kind === kind)?.plays_from === 'outside';

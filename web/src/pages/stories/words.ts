// A story in words: names, moods, changes, and the export.
import { plural } from '../../lib/format';
import type { Game, Scenario, Turn } from './api';

// "npc.kiera" as "Kiera", unless the scenario has a name; "faction.wardens" as "Wardens".
export function nameOf(id: string, scenario?: Scenario): string {
  const known = scenario?.characters.find((character) => character.id === id);
  if (known) return known.name;
  const last = id.split('.').at(-1) ?? id;
  const spaced = last.replace(/[-_]+/g, ' ').replace(/([a-z])([A-Z])/g, '$1 $2');
  return spaced.charAt(0).toUpperCase() + spaced.slice(1);
}

export const paragraphs = (narrative: string): string[] =>
  narrative
    .split(/\n\s*\n/)
    .map((paragraph) => paragraph.trim())
    .filter(Boolean);

// Narrators mark emphasis as *this*: splits a text into parts, each emphasized or not.
export function stretches(text: string): { text: string; stressed: boolean }[] {
  return text
    .split(/(\*[^*\s](?:[^*\n]*[^*\s])?\*)/)
    .filter(Boolean)
    .map((part) => (part.length > 2 && part.startsWith('*') && part.endsWith('*') ? { text: part.slice(1, -1), stressed: true } : { text: part, stressed: false }));
}

export const signed = (n: number): string => (n > 0 ? `+${n}` : n < 0 ? `−${-n}` : '0');

export interface Move {
  id: string;
  name: string;
  by: number;
}
export function movesOf(turn: Turn, scenario?: Scenario): Move[] {
  const { relationshipDeltas, factionDeltas } = turn.turn;
  return Object.entries({ ...relationshipDeltas, ...factionDeltas })
    .filter(([, by]) => by !== 0)
    .map(([id, by]) => ({ id, name: nameOf(id, scenario), by }));
}

// A scenario's length: when it ends is up to the narrator and the player.
export const lengthOf = (scenario: Pick<Scenario, 'turns'>): string => `up to ${plural(scenario.turns, 'turn')}`;

// Facts that are the narrator's notes, not the story's: where a built-in tale goes on.
const kNotes = ['ending', 'scene'];
export const factsOf = (world: Record<string, unknown>): [string, unknown][] => Object.entries(world).filter(([name]) => !kNotes.includes(name));

// A world fact's value, in words.
export function factText(value: unknown, depth = 0): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return value.toLocaleString('en');
  if (value === true) return 'yes';
  if (value === false) return 'no';
  if (value === null || value === undefined) return 'nothing';
  if (depth > 3) return '…';
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.map((each) => factText(each, depth + 1)).join(', ');
  const members = Object.entries(value);
  return members.length === 0 ? 'nothing' : members.map(([name, each]) => `${nameOf(name).toLowerCase()}: ${factText(each, depth + 1)}`).join('; ');
}

const quote = (text: string) =>
  text
    .split('\n')
    .map((line) => `> ${line}`)
    .join('\n');

export function toMarkdown(game: Game, turns: Turn[], scenario?: Scenario): string {
  const parts = [`# ${game.title}`, `*Played by ${game.player}, told by ${game.narrator.kind}; ${turns.length} of ${turns.at(-1)?.state.maxTurns ?? turns.length} turns.*`];
  for (const turn of turns) {
    if (turn.turnNumber > 1) parts.push('---');
    if (turn.input) parts.push(quote(`**${turn.input.by}:** ${turn.input.text}`));
    parts.push(...paragraphs(turn.turn.narrative));
    for (const said of turn.turn.npcResponses ?? []) parts.push(`**${nameOf(said.npcId, scenario)}** (${said.emotion}): ${said.response}`);
    const moves = movesOf(turn, scenario);
    if (moves.length > 0) parts.push(`*${moves.map((move) => `${move.name} ${signed(move.by)}`).join(', ')}*`);
  }
  const last = turns.at(-1);
  if (last?.state.over) parts.push('---', last.state.ending ? `**The end:** ${last.state.ending}` : '**The end.**');
  else if (last) parts.push('---', '**Possible next actions:**', last.turn.choices.map((choice) => `- ${choice.label}${choice.description ? `: ${choice.description}` : ''}`).join('\n'));
  return `${parts.join('\n\n')}\n`;
}

export const toJson = (game: Game, turns: Turn[]): string =>
  `${JSON.stringify({ format: 'openseat-story', version: 1, game: { ...game, turnNumber: turns.length }, turns }, null, 2)}\n`;

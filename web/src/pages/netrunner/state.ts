// The game's state from Netrunner's observation (docs/netrunner.md, src/games/netrunner/wire/observe.cc), typed, and
// what the page derives from it.
import type { JsonObject } from '../../lib/api/types';

export type Side = 'corp' | 'runner';
export const sides: readonly Side[] = ['corp', 'runner'];
export const sideNames: Record<Side, string> = { corp: 'Corp', runner: 'Runner' };
export const otherSide = (side: Side): Side => (side === 'corp' ? 'runner' : 'corp');

export interface Ability {
  label: string;
  'cost-label': string; // "1 [Click], 2 [Credits]"; empty if free
  playable: boolean; // by the viewer, now
}
export interface Subroutine {
  label: string;
  broken: boolean;
  fired: boolean;
}

// A card as the viewer sees it: without facts if it is facedown to them.
export interface Card {
  cid?: string;
  side: string; // "Corp", "Runner"
  zone?: string[];
  facedown?: boolean;
  code?: string;
  title?: string;
  type?: string; // "ICE", "Agenda" …
  subtypes?: string[];
  text?: string;
  cost?: number;
  trash?: number;
  memoryunits?: number;
  strength?: number;
  'current-strength'?: number;
  advancementcost?: number;
  agendapoints?: number;
  playable?: boolean;
  abilities?: Ability[];
  'runner-abilities'?: Ability[];
  subroutines?: Subroutine[];
  'auto-break'?: { label: string; 'cost-label': string }; // what it would do now
  // These three only for those who know the card.
  installed?: boolean | 'this-turn';
  rezzed?: boolean | 'this-turn';
  new?: boolean;
  'advance-counter'?: number;
  counter?: { virus: number; credit: number };
  host?: string;
  hosted?: { cid: string; title: string }[];
}

export interface Server {
  content: Card[];
  ices: Card[]; // the innermost first
}

export interface Player {
  user: string;
  identity: Card;
  credit: number;
  click: number;
  'hand-size': { base: number; total: number };
  'agenda-point': number;
  'agenda-point-req': number;
  hand: Card[];
  'hand-count': number;
  'deck-count': number;
  discard: Card[];
  scored: Card[];
  rfg: Card[];
  'play-area': Card[];
  decklist?: { code: string; title: string; type: string; qty: number }[]; // the viewer's own
}
export interface CorpPlayer extends Player {
  servers: Record<string, Server>;
  'bad-publicity': { base: number; additional: number };
}
export interface RunnerPlayer extends Player {
  rig: { hardware: Card[]; program: Card[]; resource: Card[]; facedown: Card[] };
  memory: { base: number; used: number; available: number };
  tag: { total: number; 'is-tagged': boolean };
  'brain-damage': number;
  'run-credit': number;
  'bad-pub-credit': number;
}

export interface Run {
  server: string;
  position: number; // ice not passed yet
  phase: string;
  'no-action': string | false;
}
export interface PromptChoice {
  idx: number;
  value: string;
  option?: string; // its name in the action, if another option has the same value
  label?: string; // what it does, if that says more
  danger?: boolean; // it can hurt the player
  card?: Card;
}
export interface Prompt {
  message: string;
  'prompt-type': 'waiting' | 'mulligan' | 'choice' | 'select';
  purpose?: string;
  choices?: PromptChoice[];
  selectable?: string[];
  selected?: string[];
  card?: { cid: string; title: string } | null;
  min?: number;
  max?: number;
}

export interface NetrunnerState {
  turn: number;
  'active-player': Side;
  phase: string;
  side: Side | null;
  corp: CorpPlayer;
  runner: RunnerPlayer;
  run: Run | null;
  encounters: { ice: Card } | null;
  prompt: Prompt | null;
  pass?: { label: string; danger?: boolean; idle?: boolean } | null; // what `continue` does now
  undo?: boolean; // the last click can be taken back
  log: string[];
  'log-count'?: number; // total number of lines; `log` has the latest
  winner?: Side | null;
  reason?: string;
}

export const read = (state: JsonObject): NetrunnerState => state as unknown as NetrunnerState;

// "remote2" is "Server 2" in actions and sentences.
export function serverName(key: string): string {
  if (key === 'hq') return 'HQ';
  if (key === 'rd') return 'R&D';
  if (key === 'archives') return 'Archives';
  return key.replace(/^remote/, 'Server ');
}

// The reverse.
export function serverKey(name: string): string {
  if (name === 'R&D') return 'rd';
  return name.startsWith('Server ') ? name.replace('Server ', 'remote') : name.toLowerCase();
}

const centrals = ['archives', 'rd', 'hq'];
// Archives, R&D, HQ, then the remotes by number.
export function serverKeys(servers: Record<string, Server>): string[] {
  const number = (key: string) => Number(key.replace('remote', ''));
  const remotes = Object.keys(servers)
    .filter((key) => key.startsWith('remote'))
    .sort((a, b) => number(a) - number(b));
  return [...centrals.filter((key) => key in servers), ...remotes];
}

// Every card that the viewer sees with a public number, by that number.
export function cardsById(state: NetrunnerState): Map<string, Card> {
  const found = new Map<string, Card>();
  const add = (cards: Card[]) => {
    for (const card of cards) if (card.cid) found.set(card.cid, card);
  };
  for (const player of [state.corp, state.runner]) {
    add([player.identity, ...player.hand, ...player.discard, ...player.scored, ...player.rfg, ...player['play-area']]);
  }
  for (const server of Object.values(state.corp.servers)) add([...server.content, ...server.ices]);
  const { rig } = state.runner;
  add([...rig.hardware, ...rig.program, ...rig.resource, ...rig.facedown]);
  for (const choice of state.prompt?.choices ?? []) if (choice.card?.cid && !found.has(choice.card.cid)) add([choice.card]);
  return found;
}

// A card's name if the viewer may not know it.
export function cardTitle(card: Card): string {
  if (card.title) return card.title;
  if (card.zone?.at(-1) === 'ices') return 'Unrezzed ice';
  return card.zone?.[0] === 'servers' ? 'Unrezzed card' : 'Facedown card';
}

export const isIce = (card: Card): boolean => card.type === 'ICE' || card.zone?.at(-1) === 'ices';
// Installed by the Corp, and not faceup yet.
export const isUnrezzed = (card: Card): boolean => card.side === 'Corp' && card.zone?.[0] === 'servers' && !card.rezzed;

// "Ice · Code Gate · AP"
export function typeLine(card: { type?: string; subtypes?: string[] }): string {
  if (!card.type) return '';
  const type = card.type === 'ICE' ? 'Ice' : card.type;
  return [type, ...(card.subtypes ?? [])].join(' · ');
}

export interface Piece {
  kind: 'text' | 'click' | 'credit';
  text: string;
}
// A sentence of the game, split at its symbols: "1 [Click]" is the text "1 " and a click.
export function pieces(sentence: string): Piece[] {
  return sentence
    .split(/(\[Click\]|\[Credits?\])/)
    .filter((part) => part !== '')
    .map((part) => {
      if (part === '[Click]') return { kind: 'click', text: 'click' };
      if (part.startsWith('[Credit')) return { kind: 'credit', text: 'credits' };
      return { kind: 'text', text: part };
    });
}
// "1 credit", "3 credits"
export const credits = (n: number): string => `${n} ${n === 1 ? 'credit' : 'credits'}`;
// The same in words only: "Gain 1 credit".
export function plain(sentence: string): string {
  return sentence
    .replace(/(\d+) \[Credits?\]/g, (_, n: string) => credits(Number(n)))
    .replace(/(\d+) \[Click\]/g, (_, n: string) => `${n} ${n === '1' ? 'click' : 'clicks'}`)
    .replace(/\[Credits?\]/g, 'credits')
    .replace(/\[Click\]/g, 'a click');
}

const phases: Record<string, string> = {
  initiation: 'The run begins',
  'approach-ice': 'Approaching ice',
  'encounter-ice': 'Encountering ice',
  movement: 'Moving on',
  success: 'Breaching the server',
};
export const phaseText = (phase: string): string => phases[phase] ?? phase;

// The log lines that are in `now` but not in `before`, if that can be determined.
export function newLines(before: NetrunnerState | undefined, now: NetrunnerState): string[] {
  if (!before) return [];
  const counted = now['log-count'] !== undefined && before['log-count'] !== undefined;
  if (counted) {
    const added = now['log-count']! - before['log-count']!;
    return added <= 0 ? [] : now.log.slice(-Math.min(added, now.log.length));
  }
  // The longest end of the old log that the new one starts with.
  for (let kept = Math.min(before.log.length, now.log.length); kept > 0; kept -= 1) {
    const offset = before.log.length - kept;
    let same = true;
    for (let i = kept - 1; i >= 0 && same; i -= 1) same = before.log[offset + i] === now.log[i];
    if (same) return now.log.slice(kept);
  }
  return now.log;
}

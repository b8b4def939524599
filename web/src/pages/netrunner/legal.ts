// What the player may do now, from the match (Chimera's match-actions): each action's schema lists the legal
// values; here they become single choices, grouped by where on the table they belong.
import type { Json, JsonObject } from '../../lib/api/types';
import type { MatchAction } from '../../lib/chimera/client';
import { cardTitle, credits, plain, type Card, type NetrunnerState } from './state';

export interface Choice {
  action: string;
  data: JsonObject;
  card?: string; // the cid of its card
  server?: string; // the name of its server
  label: string; // "Install in Server 1"
  danger?: boolean; // it can hurt the player: never the first button
}

export interface Legal {
  all: Choice[]; // without conceding
  byCard: Map<string, Choice[]>;
  runs: Map<string, Choice>; // by server name
  prompt: Map<string, Choice>; // by the option's text
  general: Choice[]; // choices without a card, server or prompt
  concede: Choice | undefined;
  undo: Choice | undefined;
}

const isObject = (value: Json | undefined): value is JsonObject => typeof value === 'object' && value !== null && !Array.isArray(value);

// Every object that the schema allows, if it lists the values: members with "enum", alternatives with "anyOf". Objects
// are listed with and without optional members.
export function expand(schema: Json | undefined): JsonObject[] {
  if (!isObject(schema)) return [{}];
  if (Array.isArray(schema.anyOf)) return schema.anyOf.flatMap(expand);
  const properties = isObject(schema.properties) ? schema.properties : {};
  const required = new Set(Array.isArray(schema.required) ? schema.required : []);
  let found: JsonObject[] = [{}];
  for (const [name, property] of Object.entries(properties)) {
    const values = isObject(property) && Array.isArray(property.enum) ? property.enum : [];
    found = found.flatMap((data) => [...(required.has(name) ? [] : [data]), ...values.map((value) => ({ ...data, [name]: value }))]);
  }
  return found;
}

// Other names for a prompt's options, which are shown in the prompt's words.
const aliases = new Set(['keep', 'mulligan', 'trash', 'subroutine']);

const generalLabels: Record<string, string> = {
  'start-turn': 'Start your turn',
  'end-turn': 'End your turn',
  'end-phase-12': 'Begin the turn',
  'end-post-discard': 'End your turn for good',
  credit: 'Gain 1 credit',
  draw: 'Draw a card',
  purge: 'Purge virus counters',
  'trash-resource': 'Trash a resource',
  'remove-tag': 'Remove a tag',
  continue: 'Continue',
  'jack-out': 'Jack out: end the run',
  undo: 'Take back the last click',
};

const generalCosts: Record<string, string> = {
  credit: '1 click',
  draw: '1 click',
  purge: '3 clicks',
  'trash-resource': '1 click, 2 credits',
  'remove-tag': '1 click, 2 credits',
};
export const costOf = (choice: Choice): string => (choice.card ? '' : (generalCosts[choice.action] ?? ''));

const installed = new Set(['Agenda', 'Asset', 'Upgrade', 'ICE', 'Hardware', 'Program', 'Resource']);

function abilityLabel(card: Card | undefined, choice: { action: string; data: JsonObject }): string {
  const list = choice.action === 'runner-ability' ? card?.['runner-abilities'] : card?.abilities;
  const ability = list?.[Number(choice.data.ability)];
  if (!ability) return choice.action === 'runner-ability' ? 'Spend a click to break a subroutine' : `Use ability ${Number(choice.data.ability) + 1}`;
  const cost = plain(ability['cost-label']);
  return cost ? `${plain(ability.label)} (${cost})` : plain(ability.label);
}

function labelOf(action: string, data: JsonObject, card: Card | undefined): string {
  switch (action) {
    case 'play': {
      if (data.server !== undefined) return data.server === 'New remote' ? 'Install in a new remote server' : `Install ${card?.type === 'ICE' ? 'on' : 'in'} ${String(data.server)}`;
      const cost = card?.cost ? `, ${credits(card.cost)}` : '';
      return `${installed.has(card?.type ?? '') ? 'Install' : 'Play'} (1 click${cost})`;
    }
    case 'ability':
    case 'runner-ability':
      return abilityLabel(card, { action, data });
    case 'advance':
      return 'Advance (1 click, 1 credit)';
    case 'score':
      return 'Score';
    case 'rez':
      return card?.cost === undefined ? 'Rez' : `Rez (${credits(card.cost)})`;
    case 'select':
      return 'Select';
    case 'run':
      return `Run ${String(data.server)} (1 click)`;
    case 'choice':
      return plain(String(data.choice));
    case 'auto-break':
      return card?.['auto-break'] ? `${plain(card['auto-break'].label)} (${plain(card['auto-break']['cost-label'])})` : 'Break all subroutines';
    case 'continue':
      return data.until === 'turn-end' ? 'Pass for the rest of this turn' : 'Continue';
    default:
      return generalLabels[action] ?? action.replace(/-/g, ' ');
  }
}

export function sortLegal(actions: MatchAction[], cards: Map<string, Card>): Legal {
  const legal: Legal = { all: [], byCard: new Map(), runs: new Map(), prompt: new Map(), general: [], concede: undefined, undo: undefined };
  for (const { name, schema } of actions) {
    if (aliases.has(name)) continue;
    let found = expand(schema);
    // A card whose destination is part of the choice needs no further question.
    if (name === 'play') found = found.filter((data) => data.server !== undefined || !found.some((other) => other.card === data.card && other.server !== undefined));
    for (const data of found) {
      const cid = typeof data.card === 'string' ? data.card : undefined;
      const choice: Choice = { action: name, data, label: labelOf(name, data, cid ? cards.get(cid) : undefined) };
      if (name === 'concede') {
        legal.concede = choice;
        continue;
      }
      if (name === 'undo') {
        legal.undo = choice;
        continue;
      }
      legal.all.push(choice);
      if (cid !== undefined) {
        choice.card = cid;
        legal.byCard.set(cid, [...(legal.byCard.get(cid) ?? []), choice]);
      } else if (name === 'run') {
        choice.server = String(data.server);
        legal.runs.set(choice.server, choice);
      } else if (name === 'choice') {
        legal.prompt.set(String(data.choice), choice);
      } else {
        legal.general.push(choice);
      }
    }
  }
  return legal;
}

// The destination of an install made by dropping a card on a server: the server's name, or "New remote".
export const installOn = (choices: Choice[], server: string): Choice | undefined =>
  choices.find((choice) => choice.action === 'play' && choice.data.server === server);

// What the rules say about passing and about the prompt's options: their words, and what is dangerous.
export function withWords(legal: Legal, { pass, prompt }: Pick<NetrunnerState, 'pass' | 'prompt'>): Legal {
  for (const choice of legal.general) {
    if (choice.action !== 'continue' || choice.data.until !== undefined || !pass) continue;
    choice.label = plain(pass.label);
    choice.danger = pass.danger;
  }
  for (const option of prompt?.choices ?? []) {
    const choice = legal.prompt.get(option.option ?? option.value);
    if (!choice) continue;
    if (option.label) choice.label = plain(option.label);
    choice.danger = option.danger;
  }
  return legal;
}

// A choice with its card: "Cleaver: Break up to 2 Barrier subroutines (1 credit)".
export function fullLabel(choice: Choice, cards: Map<string, Card>): string {
  if (choice.action === 'auto-break') return choice.label;
  const card = choice.card ? cards.get(choice.card) : undefined;
  return card ? `${cardTitle(card)}: ${choice.label}` : choice.label;
}

// As buttons: one that breaks everything first, cards other than the one in question later, what can hurt last.
export function inOrder(choices: Choice[], subject?: string): Choice[] {
  const rank = ({ action, card, danger }: Choice) => (danger ? 3 : action === 'auto-break' ? 0 : card === undefined || card === subject ? 1 : 2);
  return choices.map((choice, i) => ({ choice, i })).sort((a, b) => rank(a.choice) - rank(b.choice) || a.i - b.i).map(({ choice }) => choice);
}

// The current question to the player, in one sentence.
export function question(state: NetrunnerState, legal: Legal): string {
  const { prompt, side } = state;
  if (state.winner !== undefined) return state.winner === null ? 'The game ends in a tie' : `The ${state.winner === 'corp' ? 'Corp' : 'Runner'} has won`;
  if (side === null) return state.run ? `The Runner runs ${state.run.server}` : `It is the ${state['active-player'] === 'corp' ? "Corp's" : "Runner's"} turn`;
  if (prompt?.['prompt-type'] === 'waiting' || legal.all.length === 0) return `The ${side === 'corp' ? 'Runner' : 'Corp'} is choosing …`;
  if (prompt) return plain(prompt.message);
  const has = (name: string) => legal.general.some((choice) => choice.action === name);
  if (has('start-turn')) return 'Your turn is about to begin';
  if (has('jack-out')) return 'Go on with the run, or jack out?';
  if (state.encounters) return side === 'runner' ? `You encounter ${cardTitle(state.encounters.ice)}` : `The Runner encounters ${cardTitle(state.encounters.ice)}`;
  if (state.run) return state.run.phase === 'approach-ice' ? (side === 'corp' ? 'The Runner approaches your ice: rez it?' : 'You approach ice') : 'The run is under way: do something, or let it go on';
  if (has('end-turn')) return 'You have no clicks left';
  if (state['active-player'] === side) {
    const clicks = state[side].click;
    return has('credit') || has('draw') || legal.all.length > 1 ? `Your turn: take an action (${clicks} ${clicks === 1 ? 'click' : 'clicks'} left)` : 'Your turn';
  }
  return 'Before the Runner acts: rez or use a card, or pass';
}

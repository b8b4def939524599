// A table's journal as the console shows it: the raw messages, a readable log, and how long
// results took. Pure functions of the events (docs/formats/journal.md; a payload that is not JSON is {"text"}).
import type { Json, JsonObject, TranscriptEvent } from '../../lib/api/types';
import { dayAndTime } from '../../lib/format';
import { isObject } from '../../lib/schema/shape';

const textOf = (value: Json | undefined): string => (typeof value === 'string' ? value : value === undefined ? '' : JSON.stringify(value));
const member = (value: Json | undefined, name: string): Json | undefined => (isObject(value) ? value[name] : undefined);

// --- raw messages ---

export interface Message {
  seq: number;
  time: string;
  to: 'game' | 'server';
  command: string; // "" if there is none
  text: string; // one line, verbatim
  about: string; // a short summary
}

// A payload that was not JSON is the text itself.
export function rawText(payload: Json): string {
  if (isObject(payload)) {
    const names = Object.keys(payload);
    if (names.length === 1 && typeof payload.text === 'string') return payload.text;
  }
  return JSON.stringify(payload);
}

function aboutOf(command: string, data: Json | undefined): string {
  switch (command) {
    case 'context':
      return textOf(member(data, 'message'));
    case 'actions/register': {
      const actions = member(data, 'actions');
      return Array.isArray(actions) ? actions.map((each) => textOf(member(each, 'name'))).join(', ') : '';
    }
    case 'actions/unregister': {
      const names = member(data, 'action_names');
      return Array.isArray(names) ? names.map(textOf).join(', ') : '';
    }
    case 'actions/force':
      return textOf(member(data, 'query'));
    case 'action':
      return [textOf(member(data, 'name')), textOf(member(data, 'data'))].filter(Boolean).join(' ');
    case 'action/result':
      return [member(data, 'success') === true ? 'success' : 'refused', textOf(member(data, 'message'))].filter(Boolean).join(': ');
    default:
      return data === undefined ? '' : JSON.stringify(data);
  }
}

export function messagesOf(events: readonly TranscriptEvent[]): Message[] {
  const messages: Message[] = [];
  for (const event of events) {
    if (event.kind !== 'received' && event.kind !== 'sent') continue;
    const payload = event.payload as Json;
    const command = textOf(member(payload, 'command'));
    const text = rawText(payload);
    messages.push({
      seq: event.seq,
      time: event.time,
      to: event.kind === 'sent' ? 'game' : 'server',
      command,
      text,
      about: command ? aboutOf(command, member(payload, 'data')) : text,
    });
  }
  return messages;
}

// --- the readable log ---

export const kLogKinds = ['context', 'decision', 'choice', 'result', 'refusal', 'agent', 'connection', 'other'] as const;
export type LogKind = (typeof kLogKinds)[number];

export interface LogEntry {
  seq: number;
  time: string;
  kind: LogKind;
  title: string;
  text: string; // may have several lines
  mono?: boolean; // data or a drawn board
  silent?: boolean; // context that asks for no answer
  tone?: 'good' | 'bad' | 'warn';
}

const data = (payload: JsonObject): string => (payload.data === undefined || payload.data === null ? '' : JSON.stringify(payload.data));

function received(event: TranscriptEvent): Omit<LogEntry, 'seq' | 'time'> | undefined {
  const payload = event.payload as Json;
  const inner = member(payload, 'data');
  const command = member(payload, 'command');
  if (command === 'context') {
    const silent = member(inner, 'silent') !== false;
    return { kind: 'context', title: silent ? 'Context' : 'Context, may be answered', text: textOf(member(inner, 'message')), silent };
  }
  if (command === 'actions/force') {
    const priority = textOf(member(inner, 'priority'));
    const ephemeral = member(inner, 'ephemeral_context') === true;
    const title = ['Force', priority && priority !== 'low' ? `${priority} priority` : '', ephemeral ? 'forgotten afterwards' : ''].filter(Boolean).join(', ');
    const state = textOf(member(inner, 'state'));
    return { kind: 'decision', title, text: [textOf(member(inner, 'query')), state].filter(Boolean).join('\n\n'), mono: state.includes('\n') };
  }
  if (command === 'action/result') {
    const good = member(inner, 'success') === true;
    const message = textOf(member(inner, 'message'));
    return { kind: 'result', title: good ? 'The game accepted it' : 'The game refused it', text: message, tone: good ? 'good' : 'bad' };
  }
  if (command === 'startup') return { kind: 'connection', title: 'Startup', text: '' };
  if (command === 'shutdown/ready') return { kind: 'connection', title: 'Ready to shut down', text: '' };
  return undefined; // registrations and non-messages are in the raw messages
}

function recorded(event: TranscriptEvent): Omit<LogEntry, 'seq' | 'time'> | undefined {
  const { kind, payload } = event;
  switch (kind) {
    case 'received':
      return received(event);
    case 'choice': {
      const by = textOf(payload.agent);
      return { kind: 'choice', title: `${by === 'console' ? 'You chose' : by ? `${by} chose` : 'Chosen:'} ${textOf(payload.action)}`, text: data(payload), mono: true };
    }
    case 'verdict': {
      // The game's result already shows accepted and refused.
      const verdict = textOf(payload.verdict);
      if (verdict === 'accepted' || verdict === 'refused') return undefined;
      return { kind: 'result', title: verdict === 'timed-out' ? 'No result in time: counted as failed' : `Verdict: ${verdict.replaceAll('-', ' ')}`, text: textOf(payload.message), tone: 'bad' };
    }
    case 'refusal':
      return { kind: 'refusal', title: `Not sent: ${textOf(payload.action)}`, text: [textOf(payload.message), data(payload)].filter(Boolean).join('\n'), tone: 'warn' };
    case 'decision': {
      const attempt = Number(payload.attempt ?? 1);
      return attempt > 1 ? { kind: 'decision', title: `Asked again, attempt ${attempt}`, text: textOf(payload.refusal) } : undefined;
    }
    case 'decision-end':
      return { kind: 'decision', title: `The decision is over: ${textOf(payload.end).replaceAll('-', ' ')}`, text: textOf(payload.reason ?? payload.details), tone: 'warn' };
    case 'agent':
      return { kind: 'agent', title: `Now in the seat: ${textOf(payload.kind)}`, text: '' };
    case 'model':
      return {
        kind: 'agent',
        title: [`Model ${textOf(payload.model)}: ${textOf(payload.step).replaceAll('-', ' ')}`, textOf(payload.outcome), payload.ms === undefined ? '' : `${Math.round(Number(payload.ms))} ms`].filter(Boolean).join(', '),
        text: textOf(payload.text ?? payload.message),
        mono: payload.step === 'answer',
        tone: payload.step === 'answer' ? undefined : 'warn',
      };
    case 'link': {
      const on = payload.state === 'connected';
      const code = payload.code === undefined ? '' : `code ${textOf(payload.code)}`;
      const why = [code, textOf(payload.reason)].filter(Boolean).join(', ');
      return { kind: 'connection', title: on ? 'The game connected' : 'The game disconnected', text: on ? textOf(payload.peer) : why, tone: on ? 'good' : 'warn' };
    }
    case 'gap': {
      const lost = Number(payload.lost ?? 0);
      const since = textOf(payload.since);
      const title = `${lost === 1 ? '1 event is' : `${lost} events are`} missing here${since ? `, from ${dayAndTime(since)} on` : ''}`;
      return { kind: 'other', title, text: textOf(payload.reason), tone: 'warn' };
    }
    case 'closed':
      return { kind: 'connection', title: 'The table was closed', text: textOf(payload.reason) };
    case 'note':
      return { kind: 'other', title: 'Note', text: textOf(payload.text) };
    case 'opened':
    case 'sent':
    case 'diagnostic':
      return undefined;
    default:
      return { kind: 'other', title: kind, text: JSON.stringify(payload), mono: true };
  }
}

export function logOf(events: readonly TranscriptEvent[]): LogEntry[] {
  const log: LogEntry[] = [];
  for (const event of events) {
    const entry = recorded(event);
    if (entry) log.push({ seq: event.seq, time: event.time, ...entry });
  }
  return log;
}

// --- results ---

export interface Outcome {
  seq: number; // of the action message
  time: string;
  id: string;
  action: string;
  data: string;
  state: 'waiting' | 'accepted' | 'refused' | 'timed-out' | 'lost';
  ms?: number; // until the result came
  message: string;
}

// Every action sent, in order, with its outcome.
export function outcomesOf(events: readonly TranscriptEvent[]): Outcome[] {
  const outcomes: Outcome[] = [];
  const open = new Map<string, Outcome>();
  for (const event of events) {
    const payload = event.payload as Json;
    const inner = member(payload, 'data');
    const command = member(payload, 'command');
    if (event.kind === 'sent' && command === 'action') {
      const outcome: Outcome = {
        seq: event.seq,
        time: event.time,
        id: textOf(member(inner, 'id')),
        action: textOf(member(inner, 'name')),
        data: textOf(member(inner, 'data')),
        state: 'waiting',
        message: '',
      };
      outcomes.push(outcome);
      open.set(outcome.id, outcome);
    } else if (event.kind === 'received' && command === 'action/result') {
      const outcome = open.get(textOf(member(inner, 'id')));
      if (!outcome) continue;
      open.delete(outcome.id);
      outcome.ms = Math.max(0, Date.parse(event.time) - Date.parse(outcome.time));
      // A late result is discarded and no longer counts.
      if (outcome.state === 'waiting') outcome.state = member(inner, 'success') === true ? 'accepted' : 'refused';
      outcome.message = textOf(member(inner, 'message'));
    } else if (event.kind === 'verdict' && isObject(payload) && (payload.verdict === 'timed-out' || payload.verdict === 'lost')) {
      const last = [...open.values()].at(-1);
      if (last) last.state = payload.verdict;
    }
  }
  return outcomes;
}

export interface LatencyFigures {
  count: number;
  accepted: number;
  refused: number;
  lost: number; // timed out or lost with the connection
  median?: number;
  p95?: number;
  worst?: number;
}

export function latencyFigures(outcomes: readonly Outcome[]): LatencyFigures {
  const times = outcomes.flatMap((each) => (each.ms === undefined ? [] : [each.ms])).sort((a, b) => a - b);
  const part = (share: number): number | undefined => times[Math.min(times.length - 1, Math.ceil(times.length * share) - 1)];
  return {
    count: outcomes.length,
    accepted: outcomes.filter((each) => each.state === 'accepted').length,
    refused: outcomes.filter((each) => each.state === 'refused').length,
    lost: outcomes.filter((each) => each.state === 'timed-out' || each.state === 'lost').length,
    median: part(0.5),
    p95: part(0.95),
    worst: times.at(-1),
  };
}

// The outcome of a choice made on this page, by the number that the server gave it.
export function verdictOf(events: readonly TranscriptEvent[], choice: number): { verdict: string; message: string } | undefined {
  for (let i = events.length - 1; i >= 0; i -= 1) {
    const event = events[i];
    if (event?.kind === 'verdict' && event.payload.choice === choice) {
      return { verdict: textOf(event.payload.verdict), message: textOf(event.payload.message) };
    }
    if (event?.kind === 'choice' && event.payload.choice === choice) return undefined;
  }
  return undefined;
}

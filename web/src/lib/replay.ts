// What a record says in words: a model's answers, and any event in one line (docs/formats/journal.md, docs/models.md). Pure.
import type { Json, JsonObject, TranscriptEvent } from './api/types';
import { dayAndTime } from './format';

// A model's answer, failure or give-up.
export interface ModelStep {
  seq: number;
  time: string;
  seat: number | undefined;
  step: string; // "answer", "failure", "give-up"
  model: string;
  text?: string;
  outcome?: string; // "strict", "mended", "invalid", "unreadable", "declined"
  tokensIn?: number;
  tokensOut?: number;
  cost?: number;
  ms?: number;
  message?: string;
  notes: string[]; // what was repaired, what was wrong
}

const isObject = (value: Json | undefined): value is JsonObject => typeof value === 'object' && value !== null && !Array.isArray(value);
const number = (value: Json | undefined): number | undefined => (typeof value === 'number' ? value : undefined);
const text = (value: Json | undefined): string | undefined => (typeof value === 'string' ? value : undefined);
const show = (value: Json): string => (typeof value === 'string' ? value : JSON.stringify(value));

export function readModelStep(event: TranscriptEvent): ModelStep {
  const { payload } = event;
  const notes: string[] = [];
  if (text(payload.parse_error)) notes.push(String(payload.parse_error));
  const each = (value: Json): string =>
    isObject(value) ? [value.path, value.message].filter(Boolean).map((part) => show(part as Json)).join(': ') || show(value) : show(value);
  if (Array.isArray(payload.fixes)) notes.push(...payload.fixes.map((fix) => `repaired: ${each(fix)}`));
  if (Array.isArray(payload.issues)) notes.push(...payload.issues.map(each));
  if (payload.cut_off === true) notes.push('the answer was cut off');
  return {
    seq: event.seq,
    time: event.time,
    seat: number(payload.seat),
    step: text(payload.step) ?? '',
    model: text(payload.model) ?? '',
    text: text(payload.text),
    outcome: text(payload.outcome),
    tokensIn: number(payload.tokens_in),
    tokensOut: number(payload.tokens_out),
    cost: number(payload.cost),
    ms: number(payload.ms),
    message: text(payload.message),
    notes,
  };
}

export interface ModelSums {
  model: string;
  seat: number | undefined;
  answers: number;
  mended: number;
  wrong: number; // invalid, unreadable or declined
  failures: number;
  tokensIn: number;
  tokensOut: number;
  cost: number | undefined;
  ms: number; // total
}

export function sumModels(steps: ModelStep[]): ModelSums[] {
  const sums = new Map<string, ModelSums>();
  for (const step of steps) {
    const key = `${step.seat ?? ''}/${step.model}`;
    const sum = sums.get(key) ?? { model: step.model, seat: step.seat, answers: 0, mended: 0, wrong: 0, failures: 0, tokensIn: 0, tokensOut: 0, cost: undefined, ms: 0 };
    if (step.step === 'answer') {
      sum.answers += 1;
      if (step.outcome === 'mended') sum.mended += 1;
      else if (step.outcome !== 'strict') sum.wrong += 1;
    } else {
      sum.failures += 1;
    }
    sum.tokensIn += step.tokensIn ?? 0;
    sum.tokensOut += step.tokensOut ?? 0;
    if (step.cost !== undefined) sum.cost = (sum.cost ?? 0) + step.cost;
    sum.ms += step.ms ?? 0;
    sums.set(key, sum);
  }
  return [...sums.values()];
}

// An event in one line, and whose it is.
export function summarize(event: { kind: string; payload: JsonObject }): { label: string; text: string; tone: '' | 'good' | 'bad' | 'warn' | 'info' } {
  const { kind, payload } = event;
  const brief = (value: Json | undefined): string => {
    if (value === undefined || value === null) return '';
    const whole = show(value);
    return whole.length > 160 ? `${whole.slice(0, 160)} …` : whole;
  };
  // Older records do not say of what was played who chose it.
  const chosen = [brief(payload.action), brief(payload.data), payload.agent ? `(by ${brief(payload.agent)})` : ''].filter(Boolean).join(' ');
  const news = Array.isArray(payload.news) ? brief(payload.news.map(String).join(' ')) : '';
  switch (kind) {
    case 'opened':
      return { label: 'opened', text: brief(payload.warning) || `${brief(payload.game)} ${brief(payload.kind)}`.trim(), tone: payload.warning ? 'warn' : 'info' };
    case 'joined':
      return { label: 'joined', text: `${brief(payload.name)} takes seat ${brief(payload.seat)}`, tone: 'info' };
    case 'handed-over': {
      // In the whole record, the agent has its options.
      const agent = isObject(payload.agent) ? payload.agent.kind : payload.agent;
      const who = brief(payload.name);
      return { label: 'handed over', text: `${brief(agent)} plays seat ${brief(payload.seat)} from now on${who ? `, for ${who}` : ''}`, tone: 'info' };
    }
    case 'received':
      return { label: 'from the game', text: brief(payload.command ?? payload.text ?? payload), tone: '' };
    case 'sent':
      return { label: 'to the game', text: brief(payload.command ?? payload.text ?? payload), tone: '' };
    case 'decision':
      return { label: 'decision', text: `number ${brief(payload.decision)} of ${brief(payload.actions)}`, tone: '' };
    case 'choice':
      return { label: 'choice', text: chosen, tone: 'info' };
    case 'played':
    case 'update':
      return { label: kind === 'played' ? 'played' : 'moved', text: [payload.action ? chosen : '', news].filter(Boolean).join(' · ') || brief(payload.status), tone: 'info' };
    case 'taken-back':
      return { label: 'taken back', text: `seat ${brief(payload.seat)} took back ${brief(payload.choices)}`, tone: 'info' };
    case 'verdict':
      return { label: 'verdict', text: `${brief(payload.verdict)} ${brief(payload.message)}`.trim(), tone: payload.verdict === 'accepted' ? 'good' : 'bad' };
    case 'refusal':
      return { label: 'refused', text: `${brief(payload.action)}: ${brief(payload.message)}`, tone: 'bad' };
    case 'decision-end':
      return { label: 'decision ends', text: brief(payload.end), tone: 'warn' };
    case 'diagnostic':
      return { label: 'diagnostic', text: brief(payload.message ?? payload.key), tone: payload.severity === 'error' ? 'bad' : 'warn' };
    case 'link':
      return { label: 'connection', text: `${brief(payload.state)} ${brief(payload.reason)}`.trim(), tone: payload.state === 'disconnected' ? 'warn' : 'good' };
    case 'agent':
      return { label: 'agent', text: `${brief(payload.kind)} sits down`, tone: 'info' };
    case 'gap': {
      const lost = number(payload.lost) ?? 0;
      const since = text(payload.since);
      const why = brief(payload.reason);
      const missing = lost === 1 ? '1 event is missing' : `${lost} events are missing`;
      return { label: 'gap', text: `${missing} here${since ? `, from ${dayAndTime(since)} on` : ''}${why ? `: ${why}` : ''}`, tone: 'warn' };
    }
    case 'webhook':
      return { label: 'webhook', text: `${brief(payload.event)} to seat ${brief(payload.seat)}: ${brief(payload.error) || `status ${brief(payload.status)}`}`, tone: payload.error ? 'warn' : '' };
    case 'note':
      return { label: 'note', text: brief(payload.text ?? payload), tone: '' };
    case 'ended':
    case 'closed':
      return { label: kind, text: brief(payload.reason), tone: 'info' };
    case 'model':
      return { label: 'model', text: `${brief(payload.model)}: ${brief(payload.outcome ?? payload.message ?? payload.step)}`, tone: payload.step === 'answer' ? 'info' : 'warn' };
    default:
      return { label: kind, text: brief(payload.text ?? payload), tone: '' };
  }
}

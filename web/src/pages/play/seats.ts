// Agents that the form offers for a seat.
import type { SeatChoice } from '../../lib/start_match';

export interface SeatForm {
  kind: string;
  detail: string;
}

export interface SeatKind {
  value: string;
  label: string;
  hint?: string;
  detail?: string; // label of an additional field
  placeholder?: string;
}

export const seatKinds: SeatKind[] = [
  { value: 'you', label: 'You', hint: 'at this browser' },
  { value: 'open', label: 'A friend', hint: 'the first person to open the link' },
  { value: 'random', label: 'A random bot', hint: 'any legal move' },
  { value: 'llm', label: 'A language model' },
  { value: 'external', label: 'An external agent', hint: 'over REST, with a token that you get' },
  { value: 'neuro', label: 'A Neuro backend', detail: 'Its URL', placeholder: 'ws://127.0.0.1:9000' },
];

// Whether there is something to choose yet.
export const isComplete = ({ kind, detail }: SeatForm): boolean => kind !== 'llm' || detail !== '';

export function seatChoice({ kind, detail }: SeatForm): SeatChoice {
  if (kind === 'you' || kind === 'open') return { kind };
  if (kind === 'llm') return { kind: 'agent', agent: { kind, model: detail } };
  if (kind === 'neuro') return { kind: 'agent', agent: { kind, url: detail.trim() } };
  return { kind: 'agent', agent: { kind } };
}

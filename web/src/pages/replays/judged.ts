// The judgment of a replay's choices (docs/minds.md, "A judge for every move"), on its steps.
import type { Analysis, JudgedDecision } from '../../lib/api/types';
import type { ReplayStep } from '../../lib/replay_pages.svelte';

export type MarkName = NonNullable<JudgedDecision['mark']>;

// A judged choice and the step, from 0, that shows it.
export interface JudgedStep {
  at: number;
  decision: JudgedDecision;
}

// Steps that have not arrived yet are passed over. Of choices at the same time, the step shows all.
export function onSteps(decisions: JudgedDecision[], steps: readonly (ReplayStep | undefined)[]): JudgedStep[] {
  const judged: JudgedStep[] = [];
  for (const decision of decisions) {
    const at = steps.findIndex((step) => step !== undefined && step.seq >= decision.event);
    if (at >= 0) judged.push({ at, decision });
  }
  return judged;
}

export interface GraphPoint {
  at: number;
  chance: number; // of the first player to win
  mark: MarkName | undefined;
}

// How likely the first of two players was to win before each judged choice, and in the end.
export function graphOf(judged: JudgedStep[], end: { at: number; chance: number } | undefined): GraphPoint[] {
  const points = judged.flatMap(({ at, decision }): GraphPoint[] =>
    decision.value === null ? [] : [{ at: Math.max(0, at - 1), chance: decision.seat === 0 ? decision.value : 1 - decision.value, mark: decision.mark ?? undefined }],
  );
  if (end && points.length > 0) points.push({ ...end, mark: undefined });
  return points;
}

export interface SeatLoss {
  seat: number;
  choices: number;
  loss: number; // of win probability, a choice
}

// What each seat gave away on average.
export function lossesOf(decisions: JudgedDecision[]): SeatLoss[] {
  const seats = new Map<number, SeatLoss>();
  for (const { seat, loss } of decisions) {
    if (loss === null) continue;
    const sum = seats.get(seat) ?? { seat, choices: 0, loss: 0 };
    seats.set(seat, { seat, choices: sum.choices + 1, loss: sum.loss + loss });
  }
  return [...seats.values()].map((sum) => ({ ...sum, loss: sum.loss / sum.choices })).sort((a, b) => a.seat - b.seat);
}

export const isUnderWay = (analysis: Analysis | undefined): boolean => analysis?.status === 'waiting' || analysis?.status === 'running';

// Of a match of two that goes on: the first player's chance to win before the latest judged choice that tells it.
export const chanceNow = (decisions: JudgedDecision[]): number | undefined => {
  const last = decisions.findLast((decision) => decision.value !== null);
  return last?.value == null ? undefined : last.seat === 0 ? last.value : 1 - last.value;
};

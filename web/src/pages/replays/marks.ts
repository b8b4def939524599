// Places in a replay that people look for.
import type { BoardKind } from '../../lib/boards/registry';
import { stumbled, type ReplayStep } from '../../lib/replay_pages.svelte';

export interface Mark {
  at: number; // from 0
  label: string;
}

type Steps = readonly (ReplayStep | undefined)[];

// Where a turn begins, if the game's turns have several steps. A turn whose beginning has not arrived has no mark.
export function turnMarks(steps: Steps, kind: BoardKind | undefined): Mark[] {
  const marks: Mark[] = [];
  if (!kind?.turn) return marks;
  let before: string | undefined;
  for (const [at, step] of steps.entries()) {
    const label = step && kind.turn(step.state);
    if (label !== undefined && label !== before && (at === 0 || steps[at - 1])) marks.push({ at, label });
    before = label;
  }
  return marks;
}

export function refusalMarks(steps: Steps): Mark[] {
  return [...steps.entries()].flatMap(([at, step]) => (step && stumbled(step) ? [{ at, label: 'bad answer' }] : []));
}

// The nearest mark before (-1) or after (1) a place.
export function nextOf(marks: Mark[], at: number, way: -1 | 1): number | undefined {
  return (way > 0 ? marks.find((mark) => mark.at > at) : marks.findLast((mark) => mark.at < at))?.at;
}

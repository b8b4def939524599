// The puzzles that come with the program (docs/minds.md): positions of recorded games in which one choice is clearly
// best. Whether an answer is right is in the file: nothing is asked of the server.
import { isObject, sameJson } from '../../lib/schema/shape';
import type { Json, JsonObject } from '../../lib/api/types';
import type { MatchAction } from '../../lib/chimera/client';

export interface PuzzleChoice {
  action: string;
  data: Json;
}
export interface Puzzle {
  game_id: string;
  seed: number;
  names: string[];
  choices: Json[]; // before the position
  seat: number; // who is to choose
  view: JsonObject; // what that seat sees
  offered: (PuzzleChoice & { label: string })[];
  answer: PuzzleChoice;
  label: string;
  value: number; // the result that the answer brings: 1 a win, 0 a loss
  next: number; // the best of the other choices
  line: string[];
}

type Load = () => Promise<{ default: string }>;
// Each set is loaded when it is looked at.
export const sets: Record<string, Load> = {
  tictactoe: () => import('../../../../examples/puzzles/tictactoe.jsonl?raw'),
  connectm: () => import('../../../../examples/puzzles/connectm.jsonl?raw'),
  netrunner: () => import('../../../../examples/puzzles/netrunner.jsonl?raw'),
};

export const readPuzzles = (text: string): Puzzle[] =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Puzzle);

// No data and an empty object come to the same.
const sameChoice = (a: PuzzleChoice, b: PuzzleChoice): boolean => a.action === b.action && sameJson(a.data ?? {}, b.data ?? {});
export const isAnswer = (puzzle: Puzzle, choice: PuzzleChoice): boolean => sameChoice(puzzle.answer, choice);
export const labelOf = (puzzle: Puzzle, choice: PuzzleChoice): string => puzzle.offered.find((each) => sameChoice(each, choice))?.label ?? choice.action;

// What is offered, as a board gets it in a match: one action for each choice.
export const actionsOf = ({ offered }: Puzzle): MatchAction[] =>
  offered.map(({ action, data, label }) => {
    const members = Object.entries(isObject(data) ? data : {});
    const properties = Object.fromEntries(members.map(([name, value]) => [name, { enum: [value] }]));
    return { name: action, description: label, schema: { type: 'object', properties, required: members.map(([name]) => name) } };
  });

const percent = (value: number): string => `${Math.round(100 * value)} %`;
// What the answer is worth, in words.
export const worth = (puzzle: Puzzle): string =>
  puzzle.value === 1 && puzzle.next === 0
    ? 'It wins, and everything else loses.'
    : puzzle.value === 1
      ? `It wins; the next best choice is worth ${percent(puzzle.next)} of a win.`
      : `It is worth ${percent(puzzle.value)} of a win, the next best choice ${percent(puzzle.next)}.`;

// Which ones this browser has solved.
const kKey = 'openseat.puzzles';
const nameOf = (puzzle: Puzzle): string => `${puzzle.game_id} ${puzzle.seed} ${puzzle.choices.length}`;
function solvedNames(): string[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(kKey) ?? '[]');
    return Array.isArray(kept) ? kept.filter((each): each is string => typeof each === 'string') : [];
  } catch {
    return [];
  }
}
export function solvedOf(puzzles: Puzzle[]): boolean[] {
  const names = new Set(solvedNames());
  return puzzles.map((puzzle) => names.has(nameOf(puzzle)));
}
// Where the browser keeps nothing, neither does this.
export function markSolved(puzzle: Puzzle): void {
  const names = solvedNames();
  if (names.includes(nameOf(puzzle))) return;
  try {
    localStorage.setItem(kKey, JSON.stringify([...names, nameOf(puzzle)]));
  } catch {
    return;
  }
}

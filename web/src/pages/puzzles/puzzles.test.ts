import { beforeEach, describe, expect, it } from 'vitest';
import '../../boards';
import { boardOf } from '../../lib/boards/registry';
import { sortLegal } from '../netrunner/legal';
import { actionsOf, isAnswer, labelOf, markSolved, readPuzzles, sets, solvedOf, worth } from './puzzles';

beforeEach(() => localStorage.clear());

describe.each(Object.keys(sets))('the puzzles of %s', (game) => {
  it('have one answer, which is offered', async () => {
    const puzzles = readPuzzles((await sets[game]!()).default);
    expect(puzzles.length).toBeGreaterThan(4);
    for (const puzzle of puzzles) {
      expect(puzzle.game_id).toBe(game);
      expect(puzzle.offered.filter((each) => isAnswer(puzzle, each)).map((each) => each.label)).toEqual([puzzle.label]);
      expect(puzzle.offered.length).toBeGreaterThan(2);
      expect(puzzle.value).toBeGreaterThan(puzzle.next);
      expect(boardOf(game)?.roles[puzzle.seat]).toBeDefined();
      expect(typeof puzzle.view).toBe('object');
    }
  });

  it('are marked once they are solved', async () => {
    const puzzles = readPuzzles((await sets[game]!()).default);
    markSolved(puzzles[1]!);
    markSolved(puzzles[1]!);
    expect(solvedOf(puzzles).flatMap((each, i) => (each ? [i] : []))).toEqual([1]);
    localStorage.setItem('openseat.puzzles', '{');
    expect(solvedOf(puzzles)).not.toContain(true);
  });
});

it('a board gets every choice as it gets them in a match', async () => {
  for (const puzzle of readPuzzles((await sets.netrunner!()).default)) {
    const { all } = sortLegal(actionsOf(puzzle), new Map());
    expect(all.map((choice) => labelOf(puzzle, choice)).sort()).toEqual(puzzle.offered.map(({ label }) => label).sort());
    expect(all.filter((choice) => isAnswer(puzzle, choice))).toHaveLength(1);
  }
});

it('the worth of an answer is told in words', async () => {
  const [puzzle] = readPuzzles((await sets.tictactoe!()).default);
  expect(worth({ ...puzzle!, value: 1, next: 0 })).toBe('It wins, and everything else loses.');
  expect(worth({ ...puzzle!, value: 1, next: 0.5 })).toContain('50 %');
  expect(worth({ ...puzzle!, value: 0.5, next: 0 })).toBe('It is worth 50 % of a win, the next best choice 0 %.');
  expect(labelOf(puzzle!, { action: 'unknown', data: null })).toBe('unknown');
});

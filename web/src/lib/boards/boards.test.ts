import { fireEvent, render, screen } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import { describe, expect, it, vi } from 'vitest';
import type { JsonObject } from '../api/types';
import Chicken from './Chicken.svelte';
import ConnectM from './ConnectM.svelte';
import Rps from './Rps.svelte';
import TicTacToe from './TicTacToe.svelte';
import { droppedDisc, longestLines } from './connectm';
import { boardOf, boards, choiceLabel, type BoardProps } from './registry';
import { winningLine } from './tictactoe';

const props = (view: JsonObject, more: Partial<BoardProps> = {}): BoardProps => ({
  view,
  previous: undefined,
  over: false,
  seat: 0,
  interactive: true,
  players: ['Ada', 'Bo'],
  act: () => {},
  ...more,
});
const ttt = (...rows: string[]): JsonObject => ({ X: 'Ada', O: 'Bo', turn: 'X', board: rows.map((row) => [...row]) });
const connect = (...rows: string[]): JsonObject => ({ turn: 'Ada', players: { Ada: 'R', Bo: 'Y' }, board: rows.map((row) => [...row]) });

describe('tic-tac-toe', () => {
  it('sends the cell that is clicked, and no taken one', async () => {
    const act = vi.fn();
    render(TicTacToe, props(ttt('X  ', ' O ', '   '), { act }));
    await userEvent.click(screen.getByLabelText('Row 2, column 2: O'));
    await userEvent.click(screen.getByLabelText('Row 3, column 1: free'));
    expect(act.mock.calls).toEqual([['move', { position: [2, 0] }]]);
  });
  it('is played with arrows and Enter', async () => {
    const act = vi.fn();
    render(TicTacToe, props(ttt('   ', '   ', '   '), { act }));
    await userEvent.tab();
    await userEvent.keyboard('{ArrowUp}{ArrowRight}{Enter}');
    expect(act.mock.calls).toEqual([['move', { position: [0, 2] }]]);
  });
  it('takes no move when it is not the viewer who chooses', async () => {
    const act = vi.fn();
    render(TicTacToe, props(ttt('   ', '   ', '   '), { act, interactive: false }));
    await userEvent.click(screen.getByLabelText('Row 1, column 1: free'));
    expect(act).not.toHaveBeenCalled();
  });
  it('knows the line that won', () => {
    expect(winningLine([['X', 'O', ' '], ['O', 'X', ' '], [' ', ' ', 'X']])).toEqual([0, 4, 8]);
    expect(winningLine([[' ', ' ', ' '], [' ', ' ', ' '], [' ', ' ', ' ']])).toBeUndefined();
  });
});

describe('Connect-M', () => {
  it('drops where it is clicked or the keyboard is, but not into a full column', async () => {
    const act = vi.fn();
    render(ConnectM, props(connect('Y..', 'R..'), { act }));
    await userEvent.click(screen.getByLabelText('Column 1: from the bottom: red, yellow, full'));
    await userEvent.click(screen.getByLabelText('Column 3: empty'));
    await userEvent.keyboard('{ArrowLeft}{Enter}');
    expect(act.mock.calls).toEqual([['drop', { column: 2 }], ['drop', { column: 1 }]]);
  });
  it('takes the arrow keys before a column has the focus, but not a watcher’s', async () => {
    const act = vi.fn();
    const { unmount } = render(ConnectM, props(connect('...', '...'), { act }));
    await userEvent.keyboard('{ArrowRight}{Enter}');
    expect(act.mock.calls).toEqual([['drop', { column: 2 }]]);
    unmount();
    render(ConnectM, props(connect('...', '...'), { act, interactive: false }));
    await userEvent.keyboard('{ArrowRight}');
    expect(document.activeElement).toBe(document.body);
  });
  it('finds the disc that fell, and the lines through it', () => {
    const before = connect('YYY.', 'RRR.');
    const after = connect('YYY.', 'RRRR');
    expect(droppedDisc(after, before)).toEqual({ row: 1, column: 3 });
    expect([...longestLines(after.board as string[][], 1, 3)].sort()).toEqual(['1,0', '1,1', '1,2', '1,3']);
  });
});

describe('games in which both choose at once', () => {
  it('rock-paper-scissors takes keys, but not those that are typed elsewhere', async () => {
    const act = vi.fn();
    const view = { players: ['Ada', 'Bo'], best_of: 3, p1_wins: 1, p2_wins: 0, rounds: [{ p1_hand: 'rock', p2_hand: 'scissors', winner: 'Ada' }] };
    render(Rps, props(view, { act }));
    expect(screen.getByText('Round 1: Ada wins')).toBeTruthy();
    await fireEvent.keyDown(window, { key: 'p' });
    await fireEvent.keyDown(window, { key: 'p', ctrlKey: true });
    const input = document.body.appendChild(document.createElement('input'));
    await fireEvent.keyDown(input, { key: 's' });
    input.remove();
    expect(act.mock.calls).toEqual([['throw', { hand: 'paper' }]]);
  });
  it('Chicken says how the round went', async () => {
    const act = vi.fn();
    const view = { p1_points: 3, p2_points: 0, rounds: [{ p1_swerve: false, p2_swerve: true, p1_points: 3, p2_points: 0 }] };
    render(Chicken, props(view, { act }));
    expect(screen.getByText('Ada went straight while Bo swerved: 3 points.')).toBeTruthy();
    await userEvent.click(screen.getByText('Go straight'));
    expect(act.mock.calls).toEqual([['move', { swerve: false }]]);
  });
});

describe('the list of boards', () => {
  it('names the players and who is to choose', () => {
    expect(boardOf('tictactoe')?.names?.(ttt('   ', '   ', '   '))).toEqual(['Ada', 'Bo']);
    expect(boardOf('tictactoe')?.awaited?.(ttt('   ', '   ', '   '))).toEqual([0]);
    expect(boardOf('connectm')?.awaited?.(connect('...'))).toEqual([0]);
    expect(boardOf('nothing')).toBeUndefined();
    expect(new Set(boards.map((board) => board.game)).size).toBe(boards.length);
  });
  it('puts each move into words', () => {
    const before = ttt('   ', '   ', '   ');
    expect(boardOf('tictactoe')?.describe?.(ttt('   ', ' X ', '   '), before, [])).toBe('X at row 2, column 2');
    expect(boardOf('connectm')?.describe?.(connect('.R.'), connect('...'), [])).toBe('Red in column 2');
  });
});

it('names choices as the board counts', () => {
  expect(choiceLabel('connectm', 'Ann: column 0 · Bo: column 6')).toBe('Ann: column 1 · Bo: column 7');
  expect(choiceLabel('tictactoe', 'top left')).toBe('top left');
  expect(choiceLabel('unknown', 'column 0')).toBe('column 0');
});

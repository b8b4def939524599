// @vitest-environment node
import { describe, expect, it } from 'vitest';
import { endingOf } from './ending';
import { stepText } from './words';

describe('a step', () => {
  const players = ['Ann', 'Bo'];
  it('is what the game says happened, unless a board has shorter words', () => {
    expect(stepText('hex', { state: {}, news: ['Ann took c3.', 'It rains.'] }, undefined, players)).toBe('Ann took c3. It rains.');
    expect(stepText('hex', { state: {}, news: [] }, undefined, players)).toBeUndefined();
    expect(stepText('hex', { state: {} }, undefined, players)).toBeUndefined();
    const board = (middle: string) => ({ 'player-X': 'Ann', 'player-O': 'Bo', board: [[' ', ' ', ' '], [' ', middle, ' '], [' ', ' ', ' ']] });
    expect(stepText('tictactoe', { state: board('X'), news: ['Ann put X in the center.'] }, board(' '), players)).toBe('X at row 2, column 2');
  });
  it('is a choice that was taken back only if the server says so', () => {
    expect(stepText('tictactoe', { state: {}, takenBack: 1 }, undefined, players)).toBe('Bo took back a move');
  });
});

describe('the end', () => {
  const players = ['Ann', 'Bo'];
  it('is for those who played a victory or a defeat', () => {
    expect(endingOf('Ann', 'four in a row', players, 'Ann')).toMatchObject({ text: 'You won (four in a row)', tone: 'good' });
    expect(endingOf('Ann', 'four in a row', players, 'Bo')).toMatchObject({ text: 'You lost: Ann won (four in a row)', tone: 'bad' });
    expect(endingOf('Ann', 'four in a row', players)).toMatchObject({ text: 'Ann won (four in a row)', brief: 'Ann won', tone: 'plain' });
    expect(endingOf('Ann, Bo', 'all lit', players, 'Bo')).toMatchObject({ text: 'You won, with Ann (all lit)', tone: 'good' });
    expect(endingOf(null, 'the board is full', players, 'Bo')).toMatchObject({ text: 'A draw (the board is full)', brief: 'a draw', tone: 'plain', failed: false });
    expect(endingOf(null, 'too many mistakes', ['Ann'], 'Ann')).toMatchObject({ text: 'You lost (too many mistakes)', tone: 'bad' });
  });
  it('is no draw where the match broke off', () => {
    expect(endingOf(null, "the game's script failed", players, 'Ann')).toMatchObject({ text: "The match broke off (the game's script failed)", brief: 'broke off', tone: 'plain', failed: true });
    expect(endingOf(null, 'nothing happened for too long', players)).toMatchObject({ brief: 'broke off', failed: false });
  });
});

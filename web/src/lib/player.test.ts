import { beforeEach, describe, expect, it } from 'vitest';
import { dropSeat, keepSeat, keptSeat, keptSeats, nextName, player } from './player.svelte';

beforeEach(() => localStorage.clear());

const seat = (match: string, name = 'Ada') => ({ match, game: 'g', name, token: 't' });

describe('a browser', () => {
  it('keeps its seats, the latest first, and forgets the oldest of too many', () => {
    for (let i = 0; i < 60; ++i) keepSeat(seat(`m${i}`));
    expect(keptSeats().length).toBe(50);
    expect(keptSeat('m59')).toMatchObject(seat('m59'));
    expect(keptSeat('m0')).toBeUndefined();
    dropSeat(seat('m59'));
    expect(keptSeat('m59')).toBeUndefined();
  });
  it('may have two seats of one match', () => {
    keepSeat(seat('m', 'Ada'));
    keepSeat(seat('m', 'Bo'));
    expect(keptSeat('m', 'Ada')?.name).toBe('Ada');
    expect(keptSeats().length).toBe(2);
  });
  it('does not stumble over what it does not understand', () => {
    localStorage.setItem('openseat.seats', '{"a":1}');
    expect(keptSeats()).toEqual([]);
    localStorage.setItem('openseat.seats', '[null, {"match": 1}]');
    expect(keptSeats()).toEqual([]);
    localStorage.setItem('openseat.seats', '[');
    expect(keptSeats()).toEqual([]);
  });
  it('keeps the name', () => {
    player.rename(' Ada ');
    expect(localStorage.getItem('openseat.name')).toBe('Ada');
  });
});

it('counts names up', () => {
  expect([nextName('Ada'), nextName('Ada 2'), nextName('Ada 123')]).toEqual(['Ada 2', 'Ada 3', 'Ada 123 2']);
});

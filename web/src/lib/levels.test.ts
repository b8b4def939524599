import { beforeEach, describe, expect, it } from 'vitest';
import { botName, levelFor, levelNames, levelOfBot, raiseLevel } from './levels';

const store = new Map<string, string>();
beforeEach(() => {
  store.clear();
  Object.assign(globalThis, { localStorage: { getItem: (key: string) => store.get(key) ?? null, setItem: (key: string, value: string) => store.set(key, value) } });
});

describe('levels', () => {
  it('begin at the first, and are kept game by game', () => {
    expect(levelFor('connectm')).toBe(1);
    raiseLevel('connectm', 4);
    raiseLevel('tictactoe', 2);
    expect([levelFor('connectm'), levelFor('tictactoe'), levelFor('rps')]).toEqual([4, 2, 1]);
  });

  it('never fall, and are not kept where the browser keeps nothing', () => {
    raiseLevel('connectm', 6);
    raiseLevel('connectm', 2);
    expect(levelFor('connectm')).toBe(6);
    localStorage.setItem = () => {
      throw new Error('full');
    };
    raiseLevel('connectm', 7);
    expect(levelFor('connectm')).toBe(6);
  });

  it('survive nonsense in the storage', () => {
    for (const text of ['{', 'null', '[]', '{"connectm":9}', '{"connectm":"3"}']) {
      store.set('openseat.levels', text);
      expect(levelFor('connectm')).toBe(1);
    }
  });

  it('are read from the names of bots, and of nobody else', () => {
    for (const [i] of levelNames.entries()) expect(levelOfBot(botName(i + 1), 'search')).toBe(i + 1);
    expect(levelOfBot(botName(3), undefined)).toBeUndefined();
    expect(levelOfBot('Search bot', 'search')).toBeUndefined();
  });
});

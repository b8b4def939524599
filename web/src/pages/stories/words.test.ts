import { describe, expect, it } from 'vitest';
import { factText, movesOf, nameOf, paragraphs, signed, stretches, toJson, toMarkdown } from './words';
import { game, scenario, turns } from './testdata';

describe('names', () => {
  it('are the scenario\'s, else made of the id', () => {
    expect(nameOf('npc.shrine', scenario)).toBe('The Voice in the Chimes');
    expect(nameOf('npc.old_man', scenario)).toBe('Old man');
    expect(nameOf('faction.wardens')).toBe('Wardens');
    expect(nameOf('doorOpen')).toBe('Door Open');
  });
});

describe('text', () => {
  it('has paragraphs, and stressed words', () => {
    expect(paragraphs('a\n\n b\nc \n\n\n')).toEqual(['a', 'b\nc']);
    expect(stretches('It says *stay*. 2 * 3 * 4')).toEqual([
      { text: 'It says ', stressed: false },
      { text: 'stay', stressed: true },
      { text: '. 2 * 3 * 4', stressed: false },
    ]);
  });
  it('shows signs and facts', () => {
    expect([signed(5), signed(-5), signed(0)]).toEqual(['+5', '−5', '0']);
    expect([factText('dusk'), factText(true), factText(['a', 2]), factText({ a: 1, oneOf: ['b', true] }), factText([])]).toEqual(['dusk', 'yes', 'a, 2', 'a: 1; one of: b, yes', 'none']);
  });
  it('says what moved', () => {
    const second = turns[1];
    expect(second && movesOf(second, scenario)).toEqual([
      { id: 'npc.kiera', name: 'Kiera', by: 5 },
      { id: 'faction.wardens', name: 'Wardens', by: -3 },
    ]);
  });
});

describe('export', () => {
  it('is a text to read', () => {
    expect(toMarkdown(game, turns, scenario)).toBe(`# The Whispering Woods

*Played by Ana, told by storyteller; 2 of 30 turns.*

The path ends.

A woman is waiting.

**Kiera** (cautious): Stay close.

---

> **Ana:** Follow the chimes

You walk *quietly*.

*Kiera +5, Wardens −3*

---

**Possible next actions:**

- Go on: It is near.
- Turn back
`);
  });
  it('says how it ended', () => {
    const [first] = turns;
    if (!first) throw new Error('no turn');
    expect(toMarkdown(game, [{ ...first, state: { ...first.state, over: true, ending: 'They left together.' } }])).toContain('**The end:** They left together.');
  });
  it('is whole as JSON', () => {
    expect(JSON.parse(toJson(game, turns))).toEqual({ format: 'openseat-story', version: 1, game: { ...game, turnNumber: 2 }, turns });
  });
});

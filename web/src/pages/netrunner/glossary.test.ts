import { describe, expect, it } from 'vitest';
import { glossary, glossedParts, termOf } from './glossary';

describe('glossary', () => {
  it('knows a term by all its forms', () => {
    expect(termOf('subroutines')).toBe(termOf('Subroutine'));
    expect(termOf('R&D')?.text).toContain("The Corp's deck");
    expect(new Set(glossary.map(({ term }) => term)).size).toBe(glossary.length);
  });
  it('marks each term of a sentence once', () => {
    const parts = glossedParts('Do 1 net damage; if the run is on R&D, do 1 net damage.');
    expect(parts.map(({ text }) => text).join('')).toBe('Do 1 net damage; if the run is on R&D, do 1 net damage.');
    expect(parts.filter(({ term }) => term).map(({ term }) => term)).toEqual(['Net damage', 'Run', 'R&D']);
  });
});

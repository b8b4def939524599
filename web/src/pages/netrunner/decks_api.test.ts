import { describe, expect, it } from 'vitest';
import { readImport } from './decks_api';

describe('what is imported', () => {
  it('is a text, or the JSON of NetrunnerDB', () => {
    expect(readImport('Zahya\n3x Sure Gamble')).toEqual({ game: 'netrunner', text: 'Zahya\n3x Sure Gamble' });
    expect(readImport('{"cards": {"30030": 3}}')).toEqual({ game: 'netrunner', netrunnerdb: { cards: { '30030': 3 } } });
    expect(readImport('3')).toEqual({ game: 'netrunner', text: '3' });
  });
});

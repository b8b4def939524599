import { afterEach, describe, expect, it, vi } from 'vitest';
import { importKnown } from './decks_api';

// A server that knows three cards.
function serve(): string[] {
  const asked: string[] = [];
  vi.stubGlobal('fetch', (_url: string, { body }: { body: string }) => {
    const { text } = JSON.parse(body) as { text: string };
    asked.push(text);
    const wrong = text.split('\n').flatMap((line, i) => (line !== '' && !/Hedge Fund|Palisade|Syndicate/.test(line) ? [`line ${i + 1}: unknown card "${line}"`] : []));
    const answer = (status: number, value: object) => Promise.resolve(new Response(JSON.stringify(value), { status, headers: { 'Content-Type': 'application/json' } }));
    if (wrong.length > 0) return answer(400, { code: 'parse', message: `expected lines like "3x Hedge Fund" with cards from System Gateway; ${wrong.slice(0, 1).join(', ')}` });
    if (text.trim() === '') return answer(400, { code: 'parse', message: 'expected lines like "3x Hedge Fund"; the text names no cards' });
    return answer(201, { id: 'd1', name: '', game: 'netrunner', side: 'corp', cards: {}, problems: [] });
  });
  return asked;
}
afterEach(() => vi.unstubAllGlobals());

describe('an import', () => {
  it('takes the lines that are known, and lists the others', async () => {
    const asked = serve();
    const { deck, left } = await importKnown('Syndicate\n3x Hedge Fund\n2x Stranger\n2x Palisade\n1x Nobody');
    expect(deck.id).toBe('d1');
    expect(left).toEqual(['2x Stranger', '1x Nobody']);
    expect(asked.at(-1)?.split('\n').filter(Boolean)).toEqual(['Syndicate', '3x Hedge Fund', '2x Palisade']);
  });
  it('fails with what is wrong where nothing is known', async () => {
    serve();
    await expect(importKnown('3x Stranger')).rejects.toThrow(/unknown card "3x Stranger"/);
  });
});

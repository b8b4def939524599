import { describe, expect, it } from 'vitest';
import { compose } from './card_art';

describe('card art', () => {
  it('is the same for a card each time, and another for each card', () => {
    const one = { code: '30046', type: 'ICE', faction: 'Jinteki', subtypes: ['Code Gate'], text: 'Do 1 net damage; end the run.' };
    expect(compose(one)).toEqual(compose({ ...one }));
    const all = Array.from({ length: 77 }, (_, i) => JSON.stringify(compose({ ...one, code: String(30001 + i) })));
    expect(new Set(all).size).toBe(77);
  });
  it('shows what a card is and does', () => {
    const of = (subtypes: string[], text = '') => JSON.stringify(compose({ code: '30001', type: 'ICE', faction: 'NBN', subtypes, text: `${text}${subtypes.join()}` }).map((stroke) => stroke.d));
    expect(of(['Barrier'])).not.toBe(of(['Sentry']));
    expect(compose({ code: '1', type: 'Event', text: 'Gain 4 credits. Draw 1 card.' }).length).toBeGreaterThan(compose({ code: '1', type: 'Event', text: '' }).length);
  });
});

// The teaching decks of System Gateway, as the rules have them: copies by code. A browser test compares them with what is dealt.
import type { Decks } from './setup';
import type { Side } from './state';

const list = (text: string): [string, number][] => text.split(' ').map((entry) => [`30${entry.slice(2)}`, Number(entry[0])]);

const beginner: Record<Side, [string, number][]> = {
  corp: list('2x037 2x039 2x040 1x042 2x045 2x046 2x047 2x064 3x067 2x069 2x070 2x071 3x072 2x073 2x074 3x075'),
  runner: list('2x006 2x012 1x013 1x014 2x015 1x018 2x020 2x021 2x026 2x027 3x028 2x029 3x030 2x032 2x033 1x034'),
};
const more: Record<Side, [string, number][]> = {
  corp: list('2x068 2x056 2x057 1x065 1x058 2x054'),
  runner: list('2x011 2x002 2x022 2x024 2x008'),
};

// Copies by code; undefined for a format in which everybody brings a deck.
export function starterDeck(format: Decks, side: Side): Map<string, number> | undefined {
  if (format === 'system-gateway') return undefined;
  return new Map(format === 'system-gateway-beginner' ? beginner[side] : [...beginner[side], ...more[side]]);
}

// How each plays, in a sentence.
export const starterPlans: Record<Side, string> = {
  corp: 'Put ice in front of HQ and R&D first, then build one remote server behind ice and score agendas there. Some assets are traps: advance one, and let the Runner guess.',
  runner: 'Collect credits and icebreakers, one for each kind of ice. Run where there is no ice, or where you can pay. Check R&D and HQ often: agendas lie there, too.',
};

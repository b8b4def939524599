// Stops: at which questions a player wants to be asked, and where the page passes for them.
import type { MatchAction } from '../../lib/chimera/client';
import { sortLegal, type Choice } from './legal';
import type { NetrunnerState } from './state';

export interface Stops {
  idle: boolean; // stop although nothing but passing is possible
  beforeActions: boolean; // the Corp: before each action of the Runner, if a card could be rezzed or used
  jackOut: boolean; // the Runner: at the question whether to jack out
}

export const firstStops: Stops = { idle: false, beforeActions: true, jackOut: true };

// The choice that passes, if the player does not want to be asked here.
export function passesFor(state: NetrunnerState, actions: MatchAction[], stops: Stops): Choice | undefined {
  if (state.prompt && state.prompt['prompt-type'] !== 'waiting') return undefined;
  const { general } = sortLegal(actions, new Map());
  const choice = general.find((each) => each.action === 'continue' && each.data.until === undefined);
  if (!choice) return undefined;
  const jackOut = general.some((each) => each.action === 'jack-out');
  if (jackOut) return stops.jackOut ? undefined : choice;
  if (state.pass?.danger) return undefined;
  if (state.pass?.idle && !stops.idle) return choice;
  const before = state.side === 'corp' && !state.run && state['active-player'] === 'runner';
  return before && !stops.beforeActions ? choice : undefined;
}

const kKey = 'openseat.netrunner.stops';
export function rememberedStops(): Stops {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(kKey) ?? '{}');
    return { ...firstStops, ...(typeof kept === 'object' && kept !== null ? kept : {}) };
  } catch {
    return { ...firstStops };
  }
}
export function rememberStops(stops: Stops): void {
  localStorage.setItem(kKey, JSON.stringify(stops));
}

import { describe, expect, it } from 'vitest';
import type { MatchAction } from '../../lib/chimera/client';
import type { NetrunnerState } from './state';
import { firstStops, passesFor } from './stops';

const go: MatchAction = { name: 'continue', description: '' };
const at = (change: object): NetrunnerState => ({ side: 'corp', 'active-player': 'runner', prompt: null, run: null, pass: { label: 'Continue' }, ...change }) as NetrunnerState;

describe('stops', () => {
  it('pass for the player where nothing else can be done', () => {
    expect(passesFor(at({ pass: { label: 'Continue', idle: true } }), [go], firstStops)?.action).toBe('continue');
    expect(passesFor(at({ pass: { label: 'Continue', idle: true } }), [go], { ...firstStops, idle: true })).toBeUndefined();
    expect(passesFor(at({}), [go], firstStops)).toBeUndefined();
  });
  it('never pass what hurts, and never answer a prompt', () => {
    const hurts = { side: 'runner', run: { server: 'HQ' }, pass: { label: 'Let 1 subroutine resolve', danger: true, idle: true } };
    expect(passesFor(at(hurts), [go], firstStops)).toBeUndefined();
    expect(passesFor(at({ prompt: { 'prompt-type': 'choice' }, pass: { label: '', idle: true } }), [go], firstStops)).toBeUndefined();
  });
  it('ask where the player wants to be asked', () => {
    expect(passesFor(at({}), [go], { ...firstStops, beforeActions: false })?.action).toBe('continue');
    expect(passesFor(at({ run: { server: 'HQ' } }), [go], { ...firstStops, beforeActions: false })).toBeUndefined();
    const jackOut = [go, { name: 'jack-out', description: '' }];
    expect(passesFor(at({ side: 'runner' }), jackOut, firstStops)).toBeUndefined();
    expect(passesFor(at({ side: 'runner' }), jackOut, { ...firstStops, jackOut: false })?.action).toBe('continue');
  });
});

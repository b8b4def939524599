import { describe, expect, it } from 'vitest';
import { scoreSheet } from './score_sheet';
import type { NetrunnerState } from './state';

const at = (log: string[], points = [0, 0]): NetrunnerState =>
  ({
    turn: 3,
    log,
    'log-count': log.length,
    corp: { user: 'A', 'agenda-point': points[0], scored: points[0] ? [{ title: 'Offworld Office' }] : [], credit: 4 },
    runner: { user: 'B', 'agenda-point': points[1], scored: [], credit: 7 },
  }) as unknown as NetrunnerState;

describe('the score sheet', () => {
  it('adds up what the log says', () => {
    const lines = ['Corp keeps their hand.', 'Runner spends [Click] to make a run on HQ.', 'Runner accesses Palisade from HQ.', 'Runner ends a successful run on HQ. It cost nothing; it brought 1 card seen.'];
    const later = [...lines, 'Runner makes a run on R&D with Jailbreak.', 'Corp does 2 net damage with Karunā.', 'Runner loses Sure Gamble to the damage.', 'Runner takes 2 tags from AMAZE Amusements.'];
    const sheet = scoreSheet([at(lines.slice(0, 1)), at(lines), at(later, [2, 0])]);
    expect(sheet).toMatchObject({ turns: 3, runs: 2, successful: 1, accessed: 1, damage: 2, tags: 2 });
    expect(sheet?.of.corp).toMatchObject({ points: 2, agendas: ['Offworld Office'], credits: 4 });
    expect(sheet?.of.runner.lostCards).toBe(1);
  });
  it('counts no install that was taken back', () => {
    const lines = ['Corp spends [Click] to install ice protecting HQ.', 'Corp takes back the last click: installing ice protecting HQ.', 'Runner installs Cleaver.'];
    const sheet = scoreSheet([at(lines)]);
    expect(sheet?.of.corp.installs).toBe(0);
    expect(sheet?.of.runner.installs).toBe(1);
  });
  it('has nothing to say of no game', () => {
    expect(scoreSheet([])).toBeUndefined();
  });
});

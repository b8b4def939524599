import { describe, expect, it } from 'vitest';
import { agentsCsv, leaderboardSvg, pairsCsv } from './exports';
import { agent, decisions, game, pair, standings } from './testdata';
import { against, choiceOf, comparison, gamesHref, latency, money, openPairs, resultOf, scale, share, tokensOf, whyOf } from './words';

describe('words', () => {
  it('shows numbers with the digits that mean something', () => {
    expect([money(null), money(0), money(0.00123), money(12.345)]).toEqual(['–', '$0', '$0.0012', '$12.35']);
    expect([latency(null), latency(0.04), latency(812.4), latency(2400)]).toEqual(['–', '< 0.1 ms', '812 ms', '2.4 s']);
    expect([share(0, 0), share(0, 9), share(1, 3), share(1, 5000), share(4999, 5000), share(9, 9)]).toEqual(['', '0 %', '33.3 %', '<0.1 %', '>99.9 %', '100 %']);
    expect(scale(1300, 1675)).toEqual([1300, 1400, 1500, 1600, 1700]);
    expect(scale(1500, 1500).length).toBeGreaterThan(1);
    expect(tokensOf({ input: 1200, cached: 800, created: 5, output: 300, reasoning: 120 })).toBe('1,200 read, 800 from the cache, 5 written to the cache, 300 written (120 of them reasoning)');
  });

  it('says who is better, and what would settle it', () => {
    expect(comparison(pair('a', 'b'))).toEqual({
      settled: false,
      text: 'a is rated 120 above b. The probability that a is the stronger one is 93 %. About 12 more pairs of games between the two would settle it, if they differ as much as now.',
    });
    expect(comparison(pair('a', 'b', { difference: -30, superiority: 0.4, more_pairs: null })).text).toBe(
      'b is rated 30 above a. The probability that b is the stronger one is 60 %. They are too close for any reasonable number of games to settle it.',
    );
    expect(comparison(pair('a', 'b', { more_pairs: 0 })).settled).toBe(true);
    expect(comparison(pair('a', 'b', { difference: 0.2, superiority: 0.5 })).text).toContain('a and b are rated the same.');
    // The agents that are not neighbors, and those of whom it is known, are not open.
    expect(openPairs(standings.agents, standings.pairs).map((each) => `${each.a} ${each.b}`)).toEqual(['llm:a llm:b', 'llm:b random']);
  });

  it("shows a pair from the row's side", () => {
    expect(against(standings.pairs, 'llm:b', 'llm:a')).toEqual({ wins: 1, draws: 0, losses: 3, games: 4 });
    expect(against(standings.pairs, 'llm:b', 'random')).toBeUndefined();
  });

  it('says how a game ended and why', () => {
    expect(resultOf(game(1))).toBe('llm:a won');
    expect(resultOf(game(1, { seats: ['random', 'random'], winners: [1] }))).toBe('random (player 2) won');
    expect(resultOf(game(1, { forfeit: true, cause: 'random: out of time' }))).toBe('llm:a won by a forfeit');
    expect(resultOf(game(1, { result: 'draw', winners: [] }))).toBe('a draw');
    expect(resultOf(game(1, { result: 'void', winners: [] }))).toBe('void');
    expect(whyOf(game(1))).toBe('three in a row');
    expect(whyOf(game(1, { cause: 'llm:a: HTTP 500' }))).toBe('llm:a: HTTP 500');
  });

  it('names a choice by its label', () => {
    expect(choiceOf(decisions[0]!)).toBe('Row 1, column 1');
    expect(choiceOf({ ...decisions[0]!, choices: null })).toBe('move {"position":[0,0]}');
    expect(choiceOf({ ...decisions[0]!, choice: 'odd' })).toBe('odd');
    expect(choiceOf(decisions[2]!)).toBeUndefined();
  });

  it('links to games without empty filters', () => {
    expect(gamesHref('a b', { agent: 'llm:a', opponent: undefined, game_id: '' })).toBe('#/arena/a%20b/games?agent=llm%3Aa');
  });
});

describe('exports', () => {
  it('writes CSV that no spreadsheet runs', () => {
    const csv = agentsCsv([agent('=1+1'), agent('a "b", c', { cost: 0.5 }), agent('-x', { rating: null, low: null, high: null, rank: null })]).split('\r\n');
    expect(csv[0]).toBe('agent,rank,rating,low,high,error,games,wins,draws,losses,forfeits,void,decisions,illegal,repaired,asked_again,cost,latency_ms');
    expect(csv[1]).toBe("'=1+1,1,1500,1400,1600,50,8,4,0,4,0,0,40,0,0,0,,");
    expect(csv[2]).toMatch(/^"a ""b"", c",1,.*,0\.5,$/);
    expect(csv[3]).toMatch(/^'-x,,,,,50,/);
    expect(pairsCsv(standings).split('\r\n')[3]).toBe('llm:b,random,0,0,0,0,90.4,40,0.93,');
  });

  it('draws the leaderboard as an image that stands alone', () => {
    const svg = leaderboardSvg('A & B', 'Openseat <1>', [...standings.agents, agent('unrated', { rating: null, low: null, high: null })]);
    const drawing = new DOMParser().parseFromString(svg, 'image/svg+xml');
    expect(drawing.querySelector('parsererror')).toBeNull();
    expect(drawing.querySelectorAll('circle')).toHaveLength(3);
    expect(drawing.documentElement.textContent).toContain('A & B');
    expect(drawing.documentElement.textContent).toContain('1610  (1540 to 1681)');
    expect(svg).not.toContain('href');
    // Also of a single agent, and of nobody.
    for (const agents of [[agent('a', { low: 1500, high: 1500 })], []]) expect(leaderboardSvg('x', '', agents)).not.toMatch(/NaN|Infinity/);
  });
});

// A run of three agents in two games, as the server describes it, for the tests.
import type { Agent, Decision, GameLine, Pair, ShownRun, Standings } from './api';

const kTokens = { input: 0, cached: 0, created: 0, output: 0, reasoning: 0 };

export const agent = (name: string, more: Partial<Agent> = {}): Agent => ({
  agent: name,
  rank: 1,
  rating: 1500,
  low: 1400,
  high: 1600,
  error: 50,
  games: 8,
  wins: 4,
  draws: 0,
  losses: 4,
  forfeits: 0,
  void: 0,
  decisions: 40,
  illegal: 0,
  repaired: 0,
  asked_again: 0,
  tokens: kTokens,
  cost: null,
  latency_ms: null,
  ...more,
});

export const pair = (a: string, b: string, more: Partial<Pair> = {}): Pair => ({
  a,
  b,
  games: 4,
  wins: 3,
  draws: 0,
  losses: 1,
  difference: 120.4,
  error: 40,
  superiority: 0.93,
  more_pairs: 12,
  ...more,
});

const agents = [
  agent('llm:a', { rating: 1610.4, low: 1540, high: 1680.6, wins: 6, losses: 2, illegal: 3, repaired: 1, cost: 0.0123, latency_ms: 812.4 }),
  agent('llm:b', { rating: 1490, low: 1410, high: 1570, wins: 3, draws: 1, forfeits: 2, void: 1, latency_ms: 3 }),
  agent('random', { rank: 3, rating: 1399.6, low: 1300, high: 1480, wins: 1, losses: 7, cost: 0 }),
];
const pairs = [pair('llm:a', 'llm:b'), pair('llm:a', 'random', { difference: 210.8, more_pairs: 0 }), pair('llm:b', 'random', { difference: 90.4, games: 0, wins: 0, losses: 0, more_pairs: null })];

export const standings: Standings = {
  format: 'openseat-ratings',
  version: 1,
  anchor: null,
  base: 1500,
  equal_games: false,
  interval: 0.95,
  resamples: 2000,
  seed: 0,
  agents,
  pairs,
  games: { tictactoe: { agents, pairs }, rps: { agents: [agent('random'), agent('llm:b')], pairs: [pair('random', 'llm:b', { games: 2, wins: 2, losses: 0 })] } },
};

export const run: ShownRun = {
  id: 'cup',
  kind: 'folder',
  folder: '/data/arena/cup',
  ended: true,
  run: {
    name: 'The cup',
    command: 'tournament',
    openseat: '1.2.3',
    started: '2026-11-23T04:36:27.408Z',
    seconds: 75,
    seed: 7,
    agents: ['llm:a', 'llm:b', 'random'],
    games: [
      { id: 'tictactoe', title: 'Tic-Tac-Toe' },
      { id: 'rps', title: 'Rock-Paper-Scissors' },
    ],
    schedule: { format: 'round-robin', pairs: 2, until_interval: null },
    parts: [{}, {}],
  },
  counts: {
    games: 12,
    void: 1,
    forfeits: 2,
    half_pairs: 1,
    causes: [
      { culprit: 'llm:b', code: 'schema', void: false, games: 2, example: 'llm:b: no valid answer' },
      { code: 'cap', void: true, games: 1, example: 'too many turns' },
    ],
    more_causes: false,
  },
};

export const game = (number: number, more: Partial<GameLine> = {}): GameLine => ({
  game: number,
  pair: Math.floor(number / 2),
  game_id: 'tictactoe',
  seed: 77,
  seats: ['llm:a', 'random'],
  result: 'win',
  winners: [0],
  forfeit: false,
  cause: null,
  code: null,
  culprit: null,
  reason: 'three in a row',
  turns: 5,
  tokens: 1200,
  cost: 0.002,
  by_seat: [
    { decisions: 3, illegal: 1, repaired: 0, asked_again: 1, tokens: { ...kTokens, input: 900, output: 300, reasoning: 120 }, cost: 0.002, latency_ms: 2400 },
    { decisions: 2, illegal: 0, repaired: 0, asked_again: 0, tokens: kTokens, cost: 0, latency_ms: 0 },
  ],
  started: '2026-11-23T04:36:28.000Z',
  seconds: 2.5,
  ...more,
});

export const decisions: Decision[] = [
  {
    game: 17,
    decision: 0,
    seat: 0,
    agent: 'llm:a',
    model: 'a',
    observation: '{"board":[]}',
    choices: [{ id: '1', label: 'Row 1, column 1', action: 'move', data: '{"position": [0, 0]}' }],
    prompt: [
      { role: 'system', content: 'You play Tic-Tac-Toe.' },
      { role: 'user', content: 'It is your turn.' },
    ],
    answers: [
      { text: 'A corner.', outcome: 'unreadable', reasoning: null, tokens: { ...kTokens, input: 400, output: 20 }, cost: null, ms: 800, stop: null, fixes: [] },
      { text: '{"choice": "1",}', outcome: 'mended', reasoning: 'Corners are strong.', tokens: { ...kTokens, input: 500, output: 20 }, cost: 0.002, ms: 900, stop: 'length', fixes: ['a comma was removed'] },
    ],
    failures: [{ message: 'overloaded', status: 529, wait_ms: 100, permanent: false }],
    refusals: [],
    choice: '{"action":"move","data":{"position":[0,0]}}',
    verdict: 'accepted',
    ms: 1700,
  },
  { game: 17, decision: 1, omitted: 5_000_000 },
  { game: 17, decision: 2, seat: 1, agent: 'random', model: null, observation: null, choices: null, prompt: null, answers: [], failures: [], refusals: [], choice: null, verdict: 'withdrawn', ms: 0 },
];

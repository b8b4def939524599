// Run records for tests, as the server gives them.
export const recorded = {
  format: 'openseat-run',
  version: 1,
  id: '20261122-020300-tictactoe-bbbbbb',
  name: 'with the strict schema',
  openseat: '0.1.0',
  started: '2026-11-22T02:03:00.000Z',
  seconds: 312.4,
  game: 'tictactoe',
  title: 'Tic-tac-toe',
  games: 100,
  wanted: 100,
  seed: 12345,
  fixed_roles: false,
  seats: [
    {
      agent: 'llm:big',
      wins: 82,
      draws: 9,
      losses: 9,
      forfeits: 1,
      by_seat: [
        { wins: 45, draws: 3, losses: 2 },
        { wins: 37, draws: 6, losses: 7 },
      ],
    },
    {
      agent: 'random',
      wins: 9,
      draws: 9,
      losses: 82,
      forfeits: 0,
      by_seat: [
        { wins: 7, draws: 6, losses: 37 },
        { wins: 2, draws: 3, losses: 45 },
      ],
    },
  ],
  models: {
    big: {
      provider: 'anthropic',
      model: 'claude-sonnet-4-5',
      calls: 420,
      failures: 2,
      answers: 420,
      illegal: 21,
      illegal_rate: 0.05,
      repair_rate: 0.0071,
      mended: 2,
      reasked: 1,
      given_up: 0,
      tokens_in: 380_000,
      tokens_out: 18_000,
      cost: 1.41,
      latency_ms: { p50: 1320, p90: 2100, p99: 4900 },
    },
  },
};

// What older programs printed.
export const printed = {
  game: 'rps',
  games: 6,
  seed: 18_446_744_073_709_551_615,
  seats: [
    { agent: 'random', wins: 2, draws: 1, losses: 3, forfeits: 0 },
    { agent: 'random', wins: 3, draws: 1, losses: 2, forfeits: 0 },
  ],
  models: {},
};

export const summaryJson = (run: typeof recorded) => ({
  id: run.id,
  name: run.name,
  started: run.started,
  seconds: run.seconds,
  game: run.game,
  title: run.title,
  games: run.games,
  wanted: run.wanted,
  agents: run.seats.map((seat) => seat.agent),
});

// The arena's charts, for several runs side by side.
import { count, duration } from '../../lib/format';
import type { Part, PlotRow } from './PlotTable.svelte';
import type { Run, RunModel } from './run';
import { percent, ticks, wilson } from './statistics';

export interface Chart {
  id: string;
  caption: string;
  about?: string;
  rows: PlotRow[];
  axis: number[];
  tick: (value: number) => string;
  valueName: string;
  legend?: Omit<Part, 'value'>[];
}

const kShares = [0, 0.25, 0.5, 0.75, 1];
export const kMost = 4; // runs side by side
export const letter = (i: number): string => String.fromCharCode(65 + i);

const share = (value: number) => percent(value);
const interval = (low: number, high: number) => `${percent(low)} to ${percent(high)}`;

export const money = (dollars: number): string =>
  dollars === 0 ? '$0' : dollars < 0.01 ? `$${dollars.toPrecision(2)}` : `$${dollars.toFixed(dollars < 10 ? 3 : 2)}`;

// "12.3k"
export function short(n: number): string {
  if (n < 1000) return Number.isInteger(n) ? String(n) : n.toFixed(1);
  if (n < 1e6) return `${(n / 1000).toFixed(n < 1e4 ? 1 : 0)}k`;
  return `${(n / 1e6).toFixed(n < 1e7 ? 1 : 0)}M`;
}

// If the same agent has two seats, its name is followed by its place.
function agentName(run: Run, i: number): string {
  const agent = run.seats[i]?.agent ?? '';
  return run.seats.filter((seat) => seat.agent === agent).length > 1 ? `${agent} ${i + 1}` : agent;
}

export function winChart(runs: Run[]): Chart {
  return {
    id: 'wins',
    caption: 'Win rate',
    about: 'The share of all games that each player won. The line is the 95% confidence interval (Wilson).',
    axis: kShares,
    tick: share,
    valueName: 'Wins',
    rows: runs.flatMap((run, r) =>
      run.seats.map((seat, i) => {
        const range = wilson(seat.wins, run.games);
        return {
          key: `${run.id} ${i}`,
          mark: letter(r),
          color: r,
          label: agentName(run, i),
          note: `${count(seat.wins)} of ${count(run.games)}`,
          range,
          value: run.games > 0 ? percent(range.mid) : '–',
          detail: interval(range.low, range.high),
        };
      }),
    ),
  };
}

const kOutcomes: Omit<Part, 'value'>[] = [
  { name: 'won', tone: 'good' },
  { name: 'drawn', tone: 'plain' },
  { name: 'lost', tone: 'bad' },
  { name: 'forfeited', tone: 'worse' },
];

export function outcomeChart(runs: Run[]): Chart {
  return {
    id: 'outcomes',
    caption: 'How games ended',
    about: 'Forfeited: lost for lack of a valid answer.',
    axis: kShares,
    tick: share,
    valueName: 'Won, drawn, lost',
    legend: kOutcomes,
    rows: runs.flatMap((run, r) =>
      run.seats.map((seat, i) => {
        const amounts = [seat.wins, seat.draws, seat.losses - seat.forfeits, seat.forfeits];
        return {
          key: `${run.id} ${i}`,
          mark: letter(r),
          color: r,
          label: agentName(run, i),
          parts: kOutcomes.map((part, k) => ({ ...part, value: run.games > 0 ? (amounts[k] ?? 0) / run.games : 0 })),
          value: `${count(seat.wins)} – ${count(seat.draws)} – ${count(seat.losses)}`,
          detail: seat.forfeits > 0 ? `${count(seat.forfeits)} forfeited` : undefined,
        };
      }),
    ),
  };
}

const kPlaces = ['First', 'Second', 'Third', 'Fourth', 'Fifth', 'Sixth'];

// Whether it matters who goes first: all players together, by seat. Undefined if the runs do not say.
export function seatChart(runs: Run[]): Chart | undefined {
  const rows = runs.flatMap((run, r) => {
    // If agents keep their seats, results differ by more than the seat.
    if (run.fixedRoles || run.seats.some((seat) => seat.bySeat.length !== run.seats.length)) return [];
    return run.seats.map((_, place) => {
      const wins = run.seats.reduce((sum, seat) => sum + (seat.bySeat[place]?.wins ?? 0), 0);
      const range = wilson(wins, run.games);
      return {
        key: `${run.id} ${place}`,
        mark: letter(r),
        color: r,
        label: `${kPlaces[place] ?? place + 1} seat`,
        note: `${count(wins)} of ${count(run.games)}`,
        range,
        value: percent(range.mid),
        detail: interval(range.low, range.high),
      };
    });
  });
  if (rows.length === 0) return undefined;
  return {
    id: 'seats',
    caption: 'Does the seat matter?',
    about: 'Wins by seat, for all players. Players switch seats from game to game.',
    axis: kShares,
    tick: share,
    valueName: 'Wins',
    rows,
  };
}

interface Played {
  run: Run;
  r: number;
  model: RunModel;
}
const modelsOf = (runs: Run[]): Played[] => runs.flatMap((run, r) => run.models.map((model) => ({ run, r, model })));
const modelRow = ({ run, r, model }: Played) => ({
  key: `${run.id} ${model.name}`,
  mark: letter(r),
  color: r,
  label: model.name,
  note: model.model && model.model !== model.name ? model.model : undefined,
});

function answerChart(runs: Run[], id: string, caption: string, about: string, of: (model: RunModel) => number): Chart {
  const rows = modelsOf(runs)
    .filter(({ model }) => model.answers > 0)
    .map((played) => {
      const range = wilson(of(played.model), played.model.answers);
      return {
        ...modelRow(played),
        range,
        value: percent(range.mid, range.mid < 0.1 ? 1 : 0),
        detail: `${count(of(played.model))} of ${count(played.model.answers)}`,
      };
    });
  const most = Math.max(0.05, ...rows.map((row) => row.range.high));
  return {
    id,
    caption,
    about,
    rows,
    axis: ticks(Math.min(1, most)).filter((each) => each <= 1),
    tick: (value) => (value === 0 ? '0%' : percent(value, value < 0.05 ? 1 : 0)),
    valueName: 'Share',
  };
}

const kTokens: Omit<Part, 'value'>[] = [
  { name: 'read (input)', tone: 'plain' },
  { name: 'written (output)', tone: 'good' },
];

// Charts of the models that played: none if no run has any.
export function modelCharts(runs: Run[]): Chart[] {
  const played = modelsOf(runs);
  if (played.length === 0) return [];
  const charts = [
    answerChart(runs, 'illegal', 'Illegal answers', 'Answers that the schema or the game refused. The line is the 95% confidence interval.', (model) => model.illegal),
    answerChart(
      runs,
      'repaired',
      'Repaired answers',
      'Answers whose JSON had to be repaired, or that the model had to give again.',
      (model) => model.mended + model.reasked,
    ),
  ].filter((chart) => chart.rows.length > 0);

  const timed = played.filter(({ model }) => model.latency && model.answers > 0);
  if (timed.length > 0) {
    const axis = ticks(Math.max(...timed.map(({ model }) => model.latency?.p99 ?? 0)));
    charts.push({
      id: 'latency',
      caption: 'Latency',
      about: 'How long an answer took. The point is the median; the line ends at the 99th percentile.',
      axis,
      tick: duration,
      valueName: 'Median',
      rows: timed.map((each) => {
        const { p50, p90, p99 } = each.model.latency ?? { p50: 0, p90: 0, p99: 0 };
        return {
          ...modelRow(each),
          range: { low: p50, mid: p50, high: p99 },
          value: duration(p50),
          detail: `90%: ${duration(p90)}, 99%: ${duration(p99)}`,
        };
      }),
    });
  }

  const perGame = played.filter(({ run }) => run.games > 0);
  if (perGame.length > 0) {
    const axis = ticks(Math.max(1, ...perGame.map(({ run, model }) => (model.tokensIn + model.tokensOut) / run.games)));
    charts.push({
      id: 'tokens',
      caption: 'Tokens per game',
      axis,
      tick: short,
      valueName: 'Tokens',
      legend: kTokens,
      rows: perGame.map((each) => {
        const { run, model } = each;
        const amounts = [model.tokensIn / run.games, model.tokensOut / run.games];
        return {
          ...modelRow(each),
          parts: kTokens.map((part, k) => ({ ...part, value: amounts[k] ?? 0 })),
          value: short((model.tokensIn + model.tokensOut) / run.games),
          detail: `${short(amounts[0] ?? 0)} in, ${short(amounts[1] ?? 0)} out`,
        };
      }),
    });
  }
  const priced = perGame.filter(({ model }) => model.cost !== undefined);
  if (priced.length > 0) {
    const axis = ticks(Math.max(...priced.map(({ run, model }) => (model.cost ?? 0) / run.games)));
    charts.push({
      id: 'cost',
      caption: 'Cost per game',
      axis,
      tick: money,
      valueName: 'Cost',
      rows: priced.map((each) => {
        const cost = (each.model.cost ?? 0) / each.run.games;
        return {
          ...modelRow(each),
          parts: [{ name: 'cost', tone: 'good' as const, value: cost }],
          value: money(cost),
          detail: `${money(each.model.cost ?? 0)} total`,
        };
      }),
    });
  }
  return charts;
}

// What the model charts omit, in words: failed calls, decisions given up, unknown prices.
export function modelNotes(runs: Run[]): string[] {
  return modelsOf(runs).flatMap(({ r, model }) => {
    const who = runs.length > 1 ? `${letter(r)}, ${model.name}` : model.name;
    const notes: string[] = [];
    if (model.answers === 0) notes.push(`${who}: no answers.`);
    if (model.failures > 0) notes.push(`${who}: ${count(model.failures)} calls failed and were retried or given up.`);
    if (model.givenUp > 0) notes.push(`${who}: ${count(model.givenUp)} decisions were given up.`);
    if (model.cost === undefined) notes.push(`${who}: unknown cost, because the model has no input_price and output_price.`);
    return notes;
  });
}

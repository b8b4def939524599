// A table of ratings as files: CSV, JSON, and a drawing (SVG) that needs nothing else. Pure.
import type { Agent, Table } from './api';
import { interval, rating, scale, score } from './words';

// A spreadsheet would run a text that begins with one of these as a formula.
const kFormula = /^[=+\-@\t\r]/;
function cell(value: string | number | null): string {
  if (value === null) return '';
  if (typeof value === 'number') return String(value);
  const text = kFormula.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
const lines = (rows: (string | number | null)[][]): string => rows.map((row) => `${row.map(cell).join(',')}\r\n`).join('');

const kColumns = [
  'agent', 'rank', 'rating', 'low', 'high', 'error', 'games', 'wins', 'draws', 'losses', 'forfeits', 'void',
  'decisions', 'illegal', 'repaired', 'asked_again', 'cost', 'latency_ms',
] as const satisfies (keyof Agent)[];

export const agentsCsv = (agents: Agent[]): string => lines([[...kColumns], ...agents.map((agent) => kColumns.map((name) => agent[name]))]);

const kPairColumns = ['a', 'b', 'games', 'wins', 'draws', 'losses', 'difference', 'error', 'superiority', 'more_pairs'] as const;
export const pairsCsv = (table: Table): string => lines([[...kPairColumns], ...table.pairs.map((pair) => kPairColumns.map((name) => pair[name]))]);

const escaped = (text: string): string =>
  text.replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`).replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f]/g, '�');
const shortened = (text: string, most: number): string => (text.length > most ? `${text.slice(0, most - 1)}…` : text);

// The leaderboard: name, interval and rating of each agent, in fixed colors on white.
export function leaderboardSvg(title: string, cite: string, agents: Agent[]): string {
  const rated = agents.filter((agent) => agent.rating !== null);
  const ticks = scale(Math.min(...rated.map((agent) => agent.low ?? 0)), Math.max(...rated.map((agent) => agent.high ?? 0)));
  const [least, most] = [ticks[0] ?? 0, ticks.at(-1) ?? 1];
  const [left, right, top, height, width] = [230, 640, 74, 30, 860];
  const at = (value: number): string => (left + ((value - least) / (most - least)) * (right - left)).toFixed(1);
  const bottom = top + rated.length * height;
  const text = (x: number | string, y: number, content: string, more = ''): string => `<text x="${x}" y="${y}" ${more}>${escaped(content)}</text>`;
  const grid = ticks.map((tick) => `<path d="M${at(tick)} ${top - 6}V${bottom}" stroke="#ddd"/>${text(at(tick), top - 12, String(tick), 'text-anchor="middle" fill="#555"')}`);
  const rows = rated.map((agent, i) => {
    const y = top + (i + 0.5) * height;
    const won = score(agent);
    return [
      text(20, y + 5, shortened(`${agent.rank ?? ''}. ${agent.agent}`, 30)),
      `<path d="M${at(agent.low ?? 0)} ${y}H${at(agent.high ?? 0)}" stroke="#0b6e63" stroke-width="3" stroke-linecap="round"/>`,
      `<circle cx="${at(agent.rating ?? 0)}" cy="${y}" r="5" fill="#0b6e63"/>`,
      text(right + 20, y + 5, `${rating(agent.rating)}  (${interval(agent)})`),
      text(width - 20, y + 5, won === undefined ? '' : `${(won * 100).toFixed(1)} %`, 'text-anchor="end" fill="#555"'),
    ].join('');
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${bottom + 44}" font-family="system-ui, sans-serif" font-size="13" fill="#1d2126">
<rect width="100%" height="100%" fill="#fff"/>
${text(20, 28, title, 'font-size="17" font-weight="600"')}
${grid.join('\n')}
${rows.join('\n')}
${text(20, bottom + 28, shortened(cite, 130), 'font-size="11" fill="#555"')}
</svg>
`;
}

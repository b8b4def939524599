// The bot's levels (docs/levels.md), and the level at which "Play" starts for each game. That rises when the bot is beaten.
import type { AgentSpec } from './api/types';

export const levelNames = ['Newcomer', 'Beginner', 'Casual', 'Regular', 'Club', 'Strong', 'Expert', 'Master'];

const kKey = 'openseat.levels';
const kFirst = 1;

const isLevel = (level: unknown): level is number => Number.isInteger(level) && Number(level) >= 1 && Number(level) <= levelNames.length;

function kept(): Record<string, unknown> {
  try {
    const levels: unknown = JSON.parse(localStorage.getItem(kKey) ?? '{}');
    return typeof levels === 'object' && levels !== null ? (levels as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

export function levelFor(game: string): number {
  const level = kept()[game];
  return isLevel(level) ? level : kFirst;
}
// Never lowers it. Where the browser keeps nothing, neither does this.
export function raiseLevel(game: string, level: number): void {
  if (level <= levelFor(game)) return;
  try {
    localStorage.setItem(kKey, JSON.stringify({ ...kept(), [game]: level }));
  } catch {
    return;
  }
}

export const botOf = (level: number): AgentSpec => ({ kind: 'search', level });
// What a bot of that level is called at the table.
export const botName = (level: number): string => `${levelNames[level - 1] ?? 'Bot'} (level ${level})`;
// The level of the bot with that name; undefined for any other player.
export function levelOfBot(name: string, agent: string | undefined): number | undefined {
  const level = Number(/\(level (\d)\)( \d+)?$/.exec(name)?.[1]);
  return agent === 'search' && isLevel(level) ? level : undefined;
}

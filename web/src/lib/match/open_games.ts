// Matches that somebody could join now.
import type { TableInfo } from '../api/types';

const kFreshMs = 10 * 60_000;
const kCorrespondence = 3600; // seconds for a move

// Whether its seats are free and its players are there, or need not be. Matches that nobody has joined yet are listed for
// some minutes.
export function isJoinable(table: TableInfo, now = Date.now()): boolean {
  if (table.kind !== 'hosted' || table.status !== 'awaiting-players') return false;
  if ((table.terms?.move_time ?? 0) >= kCorrespondence) return true;
  const people = (table.seats ?? []).filter((seat) => seat.agent === 'client');
  return people.length > 0 ? people.some((seat) => seat.present !== false) : now - Date.parse(table.opened) < kFreshMs;
}
// Whether to list it as going on: without those that nobody could join any more.
export const isLively = (table: TableInfo): boolean => table.status !== 'done' && table.status !== 'recorded' && (table.status !== 'awaiting-players' || isJoinable(table));

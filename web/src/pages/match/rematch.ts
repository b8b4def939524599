// A rematch: the same seats, and the match in which another player is already waiting for it.
import type { TableInfo } from '../../lib/api/types';
import type { PlayerRow } from '../../lib/components/Players.svelte';
import type { SeatChoice } from '../../lib/start_match';

const isPerson = (row: PlayerRow): boolean => !row.agent || row.agent === 'client';
export const otherPeople = (rows: PlayerRow[]): string[] => rows.filter((row) => row.name !== '' && !row.you && isPerson(row)).map((row) => row.name);

// A newer match of the same game in which one of these people is waiting.
export function findInvitation(tables: TableInfo[], finished: { id: string; game: string; opened: string | undefined }, people: string[]): TableInfo | undefined {
  return tables.find(
    (table) =>
      table.kind === 'hosted' &&
      table.game === finished.game &&
      table.id !== finished.id &&
      table.status === 'awaiting-players' &&
      finished.opened !== undefined &&
      table.opened > finished.opened &&
      (table.seats ?? []).some((seat) => people.includes(seat.name)),
  );
}

// Against bots, the one who went first goes second; among people, the one who asks takes the first seat.
export function seatsAgain(rows: PlayerRow[]): SeatChoice[] {
  const seats = rows.map((row): SeatChoice => {
    if (row.you) return { kind: 'you' };
    return row.agent === 'random' ? { kind: 'agent', agent: { kind: row.agent } } : { kind: 'open' };
  });
  return seats.some((each) => each.kind === 'agent') ? seats.reverse() : seats;
}

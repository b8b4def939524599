// The person at this browser: the default name for a seat, and the seats that this tab can resume after a
// reload (their tokens, by match).
const kNameKey = 'openseat.name';
const kNames = ['Ada', 'Bo', 'Cleo', 'Dara', 'Eli', 'Fay', 'Gus', 'Hana', 'Ivo', 'Juno', 'Kit', 'Lux', 'Mika', 'Noor', 'Otis', 'Pia'];

function firstName(): string {
  const known = localStorage.getItem(kNameKey);
  if (known) return known;
  return kNames[Math.floor(Math.random() * kNames.length)] ?? 'Ada';
}

class Player {
  name = $state(firstName());
  rename(name: string): void {
    this.name = name.trim() || firstName();
    localStorage.setItem(kNameKey, this.name);
  }
}
export const player = new Player();

export interface KeptSeat {
  name: string;
  token: string;
  seat?: number;
}
const key = (matchId: string) => `openseat.seat.${matchId}`;

// In this tab only: another tab of the same person is a spectator or the other player.
export function keepSeat(matchId: string, seat: KeptSeat): void {
  sessionStorage.setItem(key(matchId), JSON.stringify(seat));
}
export function keptSeat(matchId: string): KeptSeat | undefined {
  const text = sessionStorage.getItem(key(matchId));
  if (!text) return undefined;
  try {
    const seat = JSON.parse(text) as KeptSeat;
    return typeof seat.name === 'string' && typeof seat.token === 'string' ? seat : undefined;
  } catch {
    return undefined;
  }
}
export function dropSeat(matchId: string): void {
  sessionStorage.removeItem(key(matchId));
}

const joinKey = (matchId: string) => `openseat.join.${matchId}`;
// The next page that shows the match takes a seat.
export function intendToJoin(matchId: string, name: string): void {
  sessionStorage.setItem(joinKey(matchId), name);
}
// Once.
export function intendedName(matchId: string): string | undefined {
  const name = sessionStorage.getItem(joinKey(matchId)) ?? undefined;
  sessionStorage.removeItem(joinKey(matchId));
  return name;
}

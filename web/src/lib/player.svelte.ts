// The person at this browser: the name that they typed once, and the seats that they have (their tokens, by match).
const kNameKey = 'openseat.name';
const kNames = ['Ada', 'Bo', 'Cleo', 'Dara', 'Eli', 'Fay', 'Gus', 'Hana', 'Ivo', 'Juno', 'Kit', 'Lux', 'Mika', 'Noor', 'Otis', 'Pia'];

function firstName(): string {
  const known = localStorage.getItem(kNameKey);
  if (known) return known;
  const name = `${kNames[Math.floor(Math.random() * kNames.length)] ?? 'Ada'} ${100 + Math.floor(Math.random() * 900)}`;
  localStorage.setItem(kNameKey, name);
  return name;
}

class Player {
  name = $state(firstName());
  rename(name: string): void {
    this.name = name.trim() || firstName();
    localStorage.setItem(kNameKey, this.name);
  }
}
export const player = new Player();

// "Ada" as "Ada 2": what a player is called where the name is taken.
export function nextName(name: string): string {
  const numbered = /^(.*) (\d{1,2})$/.exec(name);
  return numbered ? `${numbered[1]} ${Number(numbered[2]) + 1}` : `${name} 2`;
}

// A seat that this browser has. It outlives the tab, and is forgotten when the match is gone.
export interface KeptSeat {
  match: string; // its name, with the invitation
  game: string;
  name: string;
  token: string; // '' for a story, which needs none
  at: number; // when it was last used
  over?: boolean; // this browser saw the end
}
const kSeatsKey = 'openseat.seats';
const kMostSeats = 50;

const isSeat = (seat: unknown): seat is KeptSeat => {
  const { match, game, name, token, at } = (seat ?? {}) as Record<string, unknown>;
  return [match, game, name, token].every((text) => typeof text === 'string') && typeof at === 'number';
};

// The latest first.
export function keptSeats(): KeptSeat[] {
  try {
    const seats: unknown = JSON.parse(localStorage.getItem(kSeatsKey) ?? '[]');
    return Array.isArray(seats) ? seats.filter(isSeat).sort((a, b) => b.at - a.at) : [];
  } catch {
    return [];
  }
}
function store(seats: KeptSeat[]): void {
  localStorage.setItem(kSeatsKey, JSON.stringify(seats.slice(0, kMostSeats)));
}
// The player of this name, or the latest one: two people at one browser may have two seats of a match.
export const keptSeat = (match: string, name?: string): KeptSeat | undefined => keptSeats().find((each) => each.match === match && (name === undefined || each.name === name));
const others = (seat: { match: string; name: string }): KeptSeat[] => keptSeats().filter((each) => each.match !== seat.match || each.name !== seat.name);
export function keepSeat(seat: Omit<KeptSeat, 'at'>): void {
  store([{ ...seat, at: Date.now() }, ...others(seat)]);
}
export function dropSeat(seat: { match: string; name: string }): void {
  store(others(seat));
}

// Which seat of the browser this tab plays: a reload takes it again without a question. Another tab asks before it takes
// the seat from this one.
const hereKey = (match: string) => `openseat.here.${match}`;
export const sittingAs = (match: string): string | undefined => sessionStorage.getItem(hereKey(match)) ?? undefined;
export const sitHere = (match: string, name: string): void => sessionStorage.setItem(hereKey(match), name);
export const leaveSeat = (match: string): void => sessionStorage.removeItem(hereKey(match));

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

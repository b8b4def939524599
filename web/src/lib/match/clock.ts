import type { MatchTerms } from '../chimera/client';

// What a clock shows: "4:05", "1:02:03", and tenths of the last ten seconds; days for correspondence.
export function clockText(seconds: number): string {
  const left = Math.max(0, seconds);
  if (left < 10) return left.toFixed(1);
  const whole = Math.ceil(left);
  if (whole >= 48 * 3600) return `${Math.floor(whole / 86_400)} d ${Math.floor((whole % 86_400) / 3600)} h`;
  const two = (n: number) => String(n).padStart(2, '0');
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor((whole % 3600) / 60)];
  return hours > 0 ? `${hours}:${two(minutes)}:${two(whole % 60)}` : `${minutes}:${two(whole % 60)}`;
}


// What the form offers.
export const paces: { value: string; label: string; terms: MatchTerms }[] = [
  { value: 'none', label: 'No clock', terms: {} },
  { value: 'blitz', label: '3 minutes each, 2 seconds a move', terms: { game_time: 180, increment: 2 } },
  { value: 'rapid', label: '10 minutes each, 5 seconds a move', terms: { game_time: 600, increment: 5 } },
  { value: 'move', label: 'A minute a move', terms: { move_time: 60 } },
  { value: 'day', label: 'A move a day', terms: { move_time: 86_400 } },
  { value: 'days', label: 'A move in three days', terms: { move_time: 259_200 } },
];
export const graces: { value: string; label: string; terms: MatchTerms }[] = [
  { value: '', label: 'Minutes among people, hours among bots', terms: {} },
  { value: '60', label: 'A minute', terms: { grace: 60 } },
  { value: '600', label: 'Ten minutes', terms: { grace: 600 } },
  { value: '3600', label: 'An hour', terms: { grace: 3600 } },
  { value: '86400', label: 'A day', terms: { grace: 86_400 } },
];

const span = (seconds: number): string => {
  const of = (n: number, unit: string) => (n === 1 ? `a ${unit}` : `${n} ${unit}s`);
  if (seconds % 86_400 === 0) return of(seconds / 86_400, 'day');
  if (seconds % 3600 === 0) return seconds === 3600 ? 'an hour' : of(seconds / 3600, 'hour');
  return seconds % 60 === 0 ? of(seconds / 60, 'minute') : of(seconds, 'second');
};

// "10 minutes each, plus 5 seconds a move"; '' for a match without a clock.
export function termsText(terms: MatchTerms | undefined): string {
  const { move_time: move, game_time: game, increment } = terms ?? {};
  return [game ? `${span(game)} each${increment ? `, plus ${span(increment)} a move` : ''}` : '', move ? `${span(move)} for each move` : ''].filter(Boolean).join('; ');
}

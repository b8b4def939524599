// Times, numbers and durations for people.
const time = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', second: '2-digit' });
const dateTime = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });

export const clock = (iso: string): string => time.format(new Date(iso));
export const dayAndTime = (iso: string): string => dateTime.format(new Date(iso));

// "3 minutes ago"
export function ago(iso: string, now = Date.now()): string {
  const seconds = Math.round((new Date(iso).getTime() - now) / 1000);
  const steps: [Intl.RelativeTimeFormatUnit, number][] = [
    ['second', 60],
    ['minute', 60],
    ['hour', 24],
    ['day', 30],
    ['month', 12],
    ['year', Infinity],
  ];
  let value = seconds;
  for (const [unit, next] of steps) {
    if (Math.abs(value) < next) return Math.abs(seconds) < 5 ? 'just now' : relative.format(Math.round(value), unit);
    value /= next;
  }
  return '';
}

// "< 1 ms", "0.8 ms", "820 ms", "1.4 s", "2 min 5 s". Times in records are whole milliseconds.
export function duration(ms: number): string {
  if (ms < 0.05) return ms === 0 ? '< 1 ms' : '< 0.1 ms';
  if (ms < 10) return `${Number(ms.toFixed(1))} ms`;
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(ms < 10_000 ? 1 : 0)} s`;
  return `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1000)} s`;
}

// A clock with second precision: "7 s", "2 min 5 s", "3 h 20 min".
export function clockLength(ms: number): string {
  const seconds = Math.ceil(ms / 1000);
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  return `${Math.floor(seconds / 3600)} h ${Math.floor((seconds % 3600) / 60)} min`;
}

export const count = (n: number): string => n.toLocaleString('en');
// Text of others as one line.
export const oneLine = (text: string): string => text.replace(/[\n\v\f\r\u0085\u2028\u2029]+/g, ' ');
// "1 event", "2 events"
export const plural = (n: number, one: string, many = `${one}s`): string => `${count(n)} ${n === 1 ? one : many}`;
// "in-progress" as "in progress"
export const words = (id: string): string => id.replace(/[-_]/g, ' ');

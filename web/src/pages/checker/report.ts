// A run of `openseat check`, read from its files: the log, the stores, and the JUnit report (docs/checker.md, "Files").
import type { Json, JsonObject } from '../../lib/api/types';
import { isObject } from '../../lib/schema/shape';

export type Level = 'debug' | 'info' | 'warn' | 'error' | 'critical';

export interface LogLine {
  number: number; // from 1
  time: string;
  level: Level;
  text: string;
  key?: string; // of a finding
  packet?: string; // of a finding: its packet, verbatim
}

export interface TimelineEntry {
  line: number;
  time: string;
  way: 'received' | 'sent' | 'result' | 'finding' | 'event';
  level: Level;
  title: string; // the command, the action, the check
  text: string;
}

export interface Finding {
  key: string;
  level: Level;
  lines: LogLine[];
}

export interface StoredAction {
  name: string;
  description: string;
  game: string;
  schema?: Json;
}

export interface StoredContext {
  source: string;
  game: string;
  message: string;
  silent: boolean;
  success?: boolean;
}

export interface Files {
  name: string; // the name of the run's files
  log?: string;
  actions?: string;
  context?: string;
  junit?: string;
}

// What a rule costs of the grade's 100 points.
export interface Cost {
  points: number;
  key: string;
  text: string; // how often, and the first example
}

export interface Report {
  name: string;
  lines: LogLine[];
  timeline: TimelineEntry[];
  findings: Finding[];
  verdict: 'passed' | 'failed' | 'unfinished';
  summary: string; // the run's own last line
  grade?: string; // "B (84 of 100)"
  costs: Cost[]; // the most expensive first
  game: string;
  packets: number;
  sent: number;
  ms?: number;
  actions?: StoredAction[];
  context?: StoredContext[];
  script?: { name: string; failure?: string }[]; // the script's actions, from the JUnit report
}

const kLine = /^\[([^\]]+)\] (debug|info|warn|error|critical): (.*)$/s;
const kKey = / \[([a-z][a-z0-9-]*(?:\/[A-Za-z0-9_-]+)*)\]$/;
const kCost = /^\d\. costs (\d+): ([A-Za-z0-9_/-]+)(?:, (\d+ times))?: (.*)$/s;
const kRank: Record<Level, number> = { critical: 0, error: 1, warn: 2, info: 3, debug: 4 };

export function readLog(text: string): LogLine[] {
  const lines: LogLine[] = [];
  for (const [i, raw] of text.split(/\r?\n/).entries()) {
    const match = kLine.exec(raw);
    if (match) {
      const level = match[2] as Level;
      const said = match[3] ?? '';
      const key = kRank[level] <= kRank.info && !kCost.test(said) ? kKey.exec(said)?.[1] : undefined;
      lines.push({ number: i + 1, time: match[1] ?? '', level, text: key ? said.replace(kKey, '') : said, key });
    } else if (raw.trim() !== '') {
      // A line without a timestamp continues the previous one.
      const last = lines.at(-1);
      if (!last) throw new Error('This is not a log of openseat check: its lines begin with [time] level:');
      last.text += `\n${raw}`;
    }
  }
  if (lines.length === 0) throw new Error('The log is empty');
  let packet: string | undefined;
  for (const line of lines) {
    if (line.text.startsWith('Received: ')) packet = line.text.slice('Received: '.length);
    else if (line.key) line.packet = packet;
  }
  return lines;
}

function parse(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

function entryOf(line: LogLine): TimelineEntry {
  const base = { line: line.number, time: line.time, level: line.level };
  if (line.key) return { ...base, way: 'finding', title: line.key, text: line.text };
  if (line.text.startsWith('Received: ')) {
    const text = line.text.slice('Received: '.length);
    const packet = parse(text);
    return { ...base, way: 'received', title: isObject(packet) ? String(packet.command ?? 'no command') : 'not a JSON object', text };
  }
  const sent = /^Sent action: id (\S+), name (.*?), data (.*)$/s.exec(line.text);
  if (sent) return { ...base, way: 'sent', title: sent[2] ?? '', text: `${sent[3] ?? ''}   (id ${sent[1] ?? ''})` };
  const result = /^Result of action id (\S+): success (true|false), message (.*)$/s.exec(line.text);
  if (result) return { ...base, way: 'result', title: result[2] === 'true' ? 'success' : 'refused', text: `${result[3] ?? ''}   (id ${result[1] ?? ''})` };
  return { ...base, way: 'event', title: line.level === 'debug' || line.level === 'info' ? '' : line.level, text: line.text };
}

function store<T>(text: string | undefined, what: string, fits: (each: JsonObject) => boolean): T[] | undefined {
  if (text === undefined) return undefined;
  const value = parse(text);
  if (!Array.isArray(value) || !value.every((each) => isObject(each) && fits(each))) throw new Error(`The ${what} is not what openseat check writes`);
  return value as T[];
}

function readJunit(text: string): { game: string; script: { name: string; failure?: string }[] } {
  const document = new DOMParser().parseFromString(text, 'application/xml');
  if (document.querySelector('parsererror') || !document.querySelector('testsuites, testsuite')) throw new Error('The JUnit report is not valid');
  const script = [...document.querySelectorAll('testcase[classname="openseat.script"]')].map((each) => ({
    name: each.getAttribute('name') ?? '',
    failure: each.querySelector('failure')?.getAttribute('message') ?? undefined,
  }));
  return { game: document.querySelector('property[name="game"]')?.getAttribute('value') ?? '', script };
}

// Throws an error with a sentence if a file is invalid.
export function readReport(files: Files): Report {
  const lines = files.log === undefined ? [] : readLog(files.log);
  const timeline = lines.map(entryOf);
  const byKey = new Map<string, Finding>();
  for (const line of lines) {
    if (!line.key) continue;
    const known = byKey.get(line.key);
    if (!known) byKey.set(line.key, { key: line.key, level: line.level, lines: [line] });
    else {
      known.lines.push(line);
      if (kRank[line.level] < kRank[known.level]) known.level = line.level;
    }
  }
  const findings = [...byKey.values()].sort((a, b) => kRank[a.level] - kRank[b.level]);
  const end = [...lines].reverse().find((line) => /^(Passed|Failed):/.test(line.text));
  const junit = files.junit === undefined ? undefined : readJunit(files.junit);
  const counts = /: (\d+) packets?, (\d+) actions? sent/.exec(end?.text ?? '');
  const first = lines[0];
  const connected = lines.find((line) => line.text.startsWith('A game connected')) ?? first;
  const game = timeline
    .filter((each) => each.way === 'received')
    .map((each) => parse(each.text))
    .find((packet) => isObject(packet) && typeof packet.game === 'string');
  return {
    name: files.name,
    lines,
    timeline,
    findings,
    verdict: end ? (end.text.startsWith('Passed') ? 'passed' : 'failed') : 'unfinished',
    summary: end?.text ?? '',
    grade: lines.map((line) => /^Grade: (.*)$/s.exec(line.text)?.[1]).findLast((grade) => grade !== undefined),
    costs: lines.flatMap((line) => {
      const cost = line.level === 'info' ? kCost.exec(line.text) : null;
      return cost ? [{ points: Number(cost[1]), key: cost[2] ?? '', text: `${cost[3] ? `${cost[3]}: ` : ''}${cost[4] ?? ''}` }] : [];
    }),
    game: (isObject(game) ? String(game.game) : junit?.game) ?? '',
    // The log may leave lines out; the run's last line counts all.
    packets: counts ? Number(counts[1]) : timeline.filter((each) => each.way === 'received').length,
    sent: counts ? Number(counts[2]) : timeline.filter((each) => each.way === 'sent').length,
    ms: connected && lines.length > 0 ? Date.parse(lines.at(-1)?.time ?? '') - Date.parse(connected.time) : undefined,
    actions: store<StoredAction>(files.actions, 'actions store', (each) => typeof each.name === 'string'),
    context: store<StoredContext>(files.context, 'context store', (each) => typeof each.source === 'string'),
    script: junit?.script,
  };
}

// Which of a run's files it is, by its name, else by its contents.
export function kindOfFile(name: string, text: string): 'log' | 'actions' | 'context' | 'junit' | undefined {
  if (/\.junit\.xml$|\.xml$/i.test(name)) return 'junit';
  if (/_actions\.json$/i.test(name)) return 'actions';
  if (/_context\.json$/i.test(name)) return 'context';
  if (/\.(log|txt)$/i.test(name)) return 'log';
  const value = parse(text);
  if (Array.isArray(value)) {
    const one = value[0];
    if (isObject(one)) return 'source' in one ? 'context' : 'name' in one ? 'actions' : undefined;
    return undefined;
  }
  return kLine.test(text.split('\n', 1)[0] ?? '') ? 'log' : undefined;
}

export const nameOfRun = (name: string): string => name.replace(/^.*[\\/]/, '').replace(/(_actions\.json|_context\.json|\.junit\.xml|\.log|\.txt|\.xml|\.json)$/i, '');

// JSON as a person types it: the value, or where and why it is invalid.
import type { Json } from '../api/types';

export type Parsed = { value: Json } | { error: string };

// Browsers word errors differently, some with a position and some with a line; this adds line and column.
export function parseJson(text: string): Parsed {
  if (text.trim() === '') return { error: 'No JSON yet' };
  try {
    return { value: JSON.parse(text) as Json };
  } catch (error) {
    const said = error instanceof Error ? error.message : String(error);
    const position = /position (\d+)/.exec(said);
    const short = said.replace(/^JSON\.parse: /, '').replace(/ in JSON at position.*$/, '').replace(/, "?\.{0,3}".*is not valid JSON$/s, '').replace(/ at position \d+.*$/, '');
    if (!position) return { error: /line \d+/.test(said) || /end of/i.test(said) ? short : `Not valid JSON: ${short}` };
    const before = text.slice(0, Number(position[1]));
    const line = before.split('\n').length;
    const column = before.length - before.lastIndexOf('\n');
    return { error: `${short} (line ${line}, column ${column})` };
  }
}

export const pretty = (value: Json | undefined): string => (value === undefined ? '' : JSON.stringify(value, null, 2));

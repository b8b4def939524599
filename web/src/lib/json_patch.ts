// JSON Patch (RFC 6902) as the server writes it: add, remove and replace. What did not change is shared with the value
// before, so hundreds of states take little memory.
import type { Json } from './api/types';

export interface Change {
  op: 'add' | 'remove' | 'replace';
  path: string;
  value?: Json;
}

const unescape = (part: string): string => part.replaceAll('~1', '/').replaceAll('~0', '~');

function change(value: Json, parts: string[], at: number, { op, path, value: to = null }: Change): Json {
  const part = parts[at];
  if (part === undefined) return to;
  const last = at === parts.length - 1;
  if (Array.isArray(value)) {
    const copy = [...value];
    const index = Number(part);
    if (!last) copy[index] = change(copy[index] ?? null, parts, at + 1, { op, path, value: to });
    else if (op === 'add') copy.splice(index, 0, to);
    else if (op === 'remove') copy.splice(index, 1);
    else copy[index] = to;
    return copy;
  }
  if (typeof value !== 'object' || value === null) throw new Error(`there is nothing to change at ${path}`);
  const copy = { ...value };
  if (!last) copy[part] = change(copy[part] ?? null, parts, at + 1, { op, path, value: to });
  else if (op === 'remove') delete copy[part];
  else copy[part] = to;
  return copy;
}

// Throws if the patch is not one for this value.
export function applyPatch<T extends Json>(value: T, patch: Change[]): T {
  let now: Json = value;
  for (const each of patch) now = change(now, each.path.split('/').slice(1).map(unescape), 0, each);
  return now as T;
}

// The games of a running server that are written as scripts (docs/scripts.md, "Games of a running server").
import { ApiError, request, segment } from '../../lib/api/client';
import { isObject } from '../../lib/schema/shape';

export interface OfferedGame {
  id: string;
  title: string;
  from: 'program' | 'folder' | 'upload';
  file?: string; // of a script
  problem?: string; // the file was changed to something wrong
}
export interface GameFile {
  name: string;
  text: string;
}
export interface Report {
  ok: boolean;
  game?: string;
  complaints: string[];
  games?: number;
  choices?: number;
  longest?: number;
  state_bytes?: number;
}

const kRoot = '/api/v1/games';

async function answer<T>(method: string, path: string, body?: unknown): Promise<T> {
  return (await (await request(method, path, body === undefined ? {} : { body })).json()) as T;
}

export const listScripts = async (): Promise<OfferedGame[]> => (await answer<{ games: OfferedGame[] }>('GET', kRoot)).games;
export const readSource = async (id: string): Promise<GameFile[]> => (await answer<{ files: GameFile[] }>('GET', `${kRoot}/${segment(id)}/source`)).files;
export const checkFiles = (files: GameFile[]): Promise<Report> => answer('POST', `${kRoot}/check`, { files });
export const deleteGame = (id: string): Promise<unknown> => answer('DELETE', `${kRoot}/${segment(id)}`);

// The report, also of a game that is refused because it does not conform.
export async function saveFiles(files: GameFile[]): Promise<Report> {
  try {
    return await answer('POST', kRoot, { files });
  } catch (error) {
    if (error instanceof ApiError && error.status === 422 && isObject(error.body) && Array.isArray(error.body.complaints)) return error.body as unknown as Report;
    throw error;
  }
}

// Where a complaint says that the mistake is, and what it says.
export interface Complaint {
  file?: string;
  line?: number;
  text: string; // one sentence
  more: string; // how to reproduce it; may be empty
}
export function readComplaint(complaint: string): Complaint {
  const [first = '', ...more] = complaint.split('\n');
  const found = /^(?:the game's script failed at )?([\w./-]+\.[jt]s):(\d+)(?::\d+)?: /.exec(first);
  return {
    ...(found ? { file: found[1]!, line: Number(found[2]) } : {}),
    text: found ? first.slice(found[0].length) : first,
    more: more.map((line) => line.trim()).join('\n'),
  };
}

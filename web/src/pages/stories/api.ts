// Narrative games over HTTP (docs/narrative.md).
import { api, ApiError, segment, type Answer, type Body } from '../../lib/api/client';
import type { components } from '../../lib/api/openapi';

type Schemas = components['schemas'];

// Turns use the server's default schema version unless another is requested.
export type Narration = Schemas['LlmResultV1'];
export type Choice = Narration['choices'][number];
export type StoryState = Schemas['NarrativeState'];
export type Turn = Omit<Schemas['NarrativeTurn'], 'turn'> & { turn: Narration };
export type Input = NonNullable<Turn['input']>;
export type Library = Answer<'/api/games', 'get'>['data'];
export type Game = Library['games'][number];
export type Scenario = Library['scenarios'][number];
export type NewStory = Body<'/api/games', 'post'>;

// A request with a key is carried out once, however often it is sent.
const once = (key: string) => ({ headers: { 'Idempotency-Key': key } });

// With the newest stories: up to `pages` pages.
export async function readLibrary(signal?: AbortSignal, pages = 1): Promise<Library> {
  const library = (await api.get('/api/games', { signal })).data;
  for (let page = 1; page < pages && library.next !== undefined; ++page) {
    const more = (await api.get('/api/games', { query: { cursor: library.next }, signal })).data;
    library.games.push(...more.games);
    library.next = more.next;
  }
  return library;
}
export const beginStory = async (story: NewStory, key: string): Promise<Game> => (await api.post('/api/games', { body: story, ...once(key) })).data;
export const readGame = async (id: string, signal?: AbortSignal): Promise<Game> => (await api.get('/api/games/{id}', { path: { id }, signal })).data;
export const readTurns = async (id: string, signal?: AbortSignal): Promise<Turn[]> =>
  (await api.get('/api/games/{id}/turns', { path: { id }, signal })).data.turns;
export const playTurn = async (id: string, input: { choiceId: string } | { text: string }, key: string): Promise<Turn> =>
  (await api.post('/api/games/{id}/turns', { path: { id }, body: input, ...once(key) })).data;
// A new story with the turns of this one up to `turn`, told on by the same narrator if that is possible.
// `differently`: the turn after it is about to be played again.
export const branchStory = async (id: string, turn: number, differently: boolean, key: string): Promise<Game> =>
  (await api.post('/api/games', { body: { from: { id, turn, differently } }, ...once(key) })).data;
export const eventsPath = (id: string): string => `/api/games/${segment(id)}/events`;

export function newKey(): string {
  // crypto.randomUUID exists only on https and on localhost.
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return `web-${Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}

export interface Trouble {
  status: number;
  code: string;
  message: string;
  raw?: string;
  parseError?: string;
  issues: { path: string; message: string }[];
  choices?: Choice[]; // the available choices instead
  traceId?: string;
  retryAt?: number; // when the server would be asked again
  advice: string;
  again: boolean; // whether a retry may work
}

const kAdvice: Record<string, string> = {
  VALIDATION_FAILED: "The narrator's answer cannot be used. Nothing happened this turn; try again, or do something else.",
  TURN_IN_PROGRESS: 'A turn is already being told. It will appear here when it is ready.',
  CHOICE_NOT_ON_OFFER: 'The story has moved on. Choose one of the current choices.',
  GAME_OVER: 'The story has ended.',
  NOT_FOUND: 'It may have been deleted, or the URL is wrong.',
  NOT_PLAYED_HERE: 'You can read along; its player plays elsewhere.',
  RATE_LIMITED: 'Wait a moment, then try again.',
  TOO_MANY_TURNS: 'The server is busy: wait a moment, then try again.',
  PROVIDER_RATE_LIMITED: "The model's provider limits requests. Wait a moment, then try again.",
  BUDGET_EXHAUSTED: 'This story has reached its cost limit. It cannot continue with this narrator.',
  PROVIDER_ERROR: "The model's provider failed. Nothing happened this turn; try again.",
  PROMPT_TOO_LARGE: 'The story is too long for the model.',
  NARRATOR_FAILED: 'The narrator failed. Nothing happened this turn; try again.',
  PROVIDER_TIMEOUT: 'The model took too long. Nothing happened this turn; try again.',
  NARRATOR_TIMEOUT: 'The narrator took too long. Nothing happened this turn; try again.',
  UNAVAILABLE: 'The server cannot save the story right now. Nothing happened this turn; try again.',
};
const kHopeless = ['GAME_OVER', 'NOT_FOUND', 'NOT_PLAYED_HERE', 'CHOICE_NOT_ON_OFFER', 'TURN_IN_PROGRESS', 'INVALID_REQUEST', 'BUDGET_EXHAUSTED', 'PROMPT_TOO_LARGE'];

type Members = Record<string, unknown>;
const object = (value: unknown): Members => (typeof value === 'object' && value !== null ? (value as Members) : {});
const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

// "choices[0].label"
function pathText(value: unknown): string {
  if (!Array.isArray(value)) return typeof value === 'string' ? value : '';
  return value.reduce<string>((at, part: unknown) => (typeof part === 'number' ? `${at}[${part}]` : at ? `${at}.${String(part)}` : String(part)), '');
}

// From {"code", "message", "details"}, as in the API and its events.
export function troubleOf(error: unknown, status = 0, traceId?: string): Trouble {
  const { code, message, details } = object(error);
  const about = object(details);
  const name = text(code) ?? '';
  return {
    status,
    code: name,
    message: text(message) ?? 'Something went wrong',
    raw: text(about.raw),
    parseError: text(about.parseError),
    issues: Array.isArray(about.issues) ? about.issues.map((issue: unknown) => ({ path: pathText(object(issue).path), message: text(object(issue).message) ?? '' })) : [],
    choices: Array.isArray(about.choices) ? (about.choices as Choice[]) : undefined,
    traceId,
    advice: kAdvice[name] ?? (status === 0 ? 'Your input is not lost. You can safely try again.' : ''),
    again: !kHopeless.includes(name),
  };
}

export function troubleOfAnything(error: unknown): Trouble {
  if (!(error instanceof ApiError)) return troubleOf({ message: error instanceof Error ? error.message : String(error) });
  const body = object(error.body);
  const said = object(body.error).code === undefined ? { code: error.code, message: error.message } : body.error;
  const trouble = troubleOf(said, error.status, text(object(body.meta).traceId));
  return { ...trouble, retryAt: trouble.again ? error.retryAt : undefined };
}

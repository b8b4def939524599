// A table described by parts, as a game written as a script draws it (docs/writing_games.md, "A board"). The server has
// checked the shapes.
import type * as script from '../../../../../games/openseat-game';
import type { Json, JsonObject } from '../../api/types';
import { isObject } from '../../schema/shape';

// As the page has it: nothing is read-only.
type Own<T> = T extends script.Bound ? Action : T extends readonly (infer Item)[] ? Own<Item>[] : T extends object ? { -readonly [Member in keyof T]: Own<T[Member]> } : T;
export type { Color, Mark } from '../../../../../games/openseat-game';
export interface Action {
  name: string;
  data?: JsonObject;
}
export type Choice = Own<script.Choice>;
export type Piece = Own<script.Piece>;
export type PieceFacts = Extract<Piece, object>;
export type Place = Own<script.Place>;
export type PlaceFacts = Extract<Place, object>;
export type Part = Own<script.Part>;
export type GridPart = Extract<Part, { type: 'grid' }>;

// The parts of a view; undefined for what is not one.
export function partsIn(view: Json | undefined): Part[] | undefined {
  return isObject(view) && Array.isArray(view.parts) ? (view.parts as unknown as Part[]) : undefined;
}

export const pieceOf = (piece: Piece): PieceFacts => (typeof piece === 'object' ? piece : { text: piece });
export const placeOf = (place: Place): PlaceFacts => (typeof place === 'object' ? place : { text: place });
export const actionsIn = (choice: Choice | undefined): Action[] => (choice === undefined ? [] : 'name' in choice ? [choice] : choice);
// A place and what lies on it are clicked together.
export const choiceAt = (place: PlaceFacts): Action[] => [...actionsIn(place.choice), ...(place.pieces ?? []).flatMap((piece) => actionsIn(pieceOf(piece).choice))];

// What a part binds, in the order in which it is drawn.
export interface Bound {
  actions: Action[];
  key?: string;
}
export function boundIn(parts: Part[]): Bound[] {
  const ofPieces = (pieces: Piece[]): Bound[] => pieces.map(pieceOf).map(({ choice, key }) => ({ actions: actionsIn(choice), ...(key ? { key } : {}) }));
  const ofPlaces = (places: Place[]): Bound[] =>
    places.map(placeOf).flatMap((place) => [{ actions: choiceAt(place) }, ...ofPieces(place.pieces ?? []).filter(({ key }) => key)]);
  return parts
    .flatMap((part): Bound[] => {
      switch (part.type) {
        case 'grid':
          return ofPlaces(part.cells.flat());
        case 'track':
          return ofPlaces(part.spaces);
        case 'hand':
        case 'cards':
          return ofPieces(part.cards);
        case 'pile':
          return [{ actions: actionsIn(part.choice) }];
        case 'dice':
          return ofPieces(part.dice);
        case 'tokens':
          return ofPieces(part.tokens);
        case 'buttons':
          return part.buttons.map(({ choice, key }) => ({ actions: actionsIn(choice), ...(key ? { key } : {}) }));
        case 'group':
          return boundIn(part.parts);
        default:
          return [];
      }
    })
    .filter(({ actions }) => actions.length > 0);
}

// --- In words, for those who do not see it ---

const kMarks: Record<script.Mark, string> = { last: 'the last move', win: 'winning', danger: 'in danger' };

// `players`: names by seat.
export const colorName = (color: script.Color, players: string[]): string => (typeof color === 'number' ? players[color] || `player ${color + 1}` : color);

export function pieceName(piece: PieceFacts, players: string[]): string {
  const text = piece.text === undefined ? '' : String(piece.text);
  const what = piece.label ?? (piece.hidden ? 'face down' : text !== '' ? text : piece.color === undefined ? 'a piece' : colorName(piece.color, players));
  const count = piece.count === undefined ? '' : `${piece.count} × `;
  return `${count}${what}${piece.mark ? `, ${kMarks[piece.mark]}` : ''}`;
}

// A place with a label is called that; others have a name.
export function placeName(place: PlaceFacts, name: string, players: string[]): string {
  const pieces = (place.pieces ?? []).map(pieceOf);
  if (place.label !== undefined) {
    const marks = new Set([place.mark, ...pieces.map((piece) => piece.mark)].filter((mark) => mark !== undefined));
    return [place.label, ...[...marks].map((mark) => kMarks[mark])].join(', ');
  }
  const all = [place.text ?? '', ...pieces.map((piece) => pieceName(piece, players))].filter((text) => text !== '');
  const what = all.length > 0 ? all.join(', ') : place.color === undefined ? 'empty' : colorName(place.color, players);
  return `${name}: ${what}${place.mark ? `, ${kMarks[place.mark]}` : ''}`;
}

export function cellName(part: GridPart, row: number, column: number): string {
  const across = part.columns?.[column];
  const down = part.rows?.[row];
  if (across !== undefined && down !== undefined) return `${across}${down}`;
  return `Row ${down ?? row + 1}, column ${across ?? column + 1}`;
}

// --- Colors ---

const kNames = ['red', 'orange', 'yellow', 'green', 'blue', 'purple', 'brown', 'black', 'gray', 'white'];
const kSeatTokens = 4;
const kFurtherSeats = ['brown', 'gray', 'yellow', 'black', 'orange', 'purple', 'green', 'white'];

// A CSS color from the tokens.
export function cssColor(color: script.Color | undefined): string | undefined {
  if (color === undefined) return undefined;
  if (typeof color === 'string') return kNames.includes(color) ? `var(--piece-${color})` : undefined;
  return color < kSeatTokens ? `var(--seat-${color})` : `var(--piece-${kFurtherSeats[(color - kSeatTokens) % kFurtherSeats.length]})`;
}
export function softColor(color: script.Color | undefined): string | undefined {
  if (color === undefined) return undefined;
  if (typeof color === 'number' && color < kSeatTokens) return `var(--seat-${color}-soft)`;
  return `color-mix(in srgb, ${cssColor(color) ?? 'var(--well)'} 30%, var(--card))`;
}
// The color of a text on it.
export function textColor(color: script.Color | undefined): string {
  if (typeof color === 'number' && color < kSeatTokens) return 'var(--on-accent)';
  const name = typeof color === 'number' ? (kFurtherSeats[(color - kSeatTokens) % kFurtherSeats.length] ?? '') : (color ?? '');
  return ['yellow', 'orange', 'white'].includes(name) ? 'var(--piece-black)' : 'var(--piece-white)';
}

// Every kind of type, in a script that counts what is left when the types are gone.
import type { Game } from './openseat-game.d.ts';
import { type Unused, other, type AlsoUnused } from './other.ts';
export type { Game };
export type State = { cells: (string | null)[]; turn: 0 | 1 };
interface Move<T = number> extends Object { readonly to: T; f?(x: number): void }
type A = {
  a: Map<string, Array<number>>;
} | null
export interface X { a: 1 }
declare const nowhere: number;
export declare const nowhereElse: number;
const a: number = 1, same = <T,>(x: T): T => x;
const pick = <T>(list: readonly T[], n?: number): T | undefined => list[n ?? 0]!;
function over(a: string): number;
function over(a: number): number;
function over(a: any) { return a }
export function alsoOver(a: string): void;
export function alsoOver(a: any) { }
const arrow = (
  x: number,
  y: string = 'y',
): {
  x: number;
  y: string;
} => ({ x, y });
abstract class P<T> extends Object implements X {
  private readonly x: number = 1; y!: string; a = 1 as 1;
  constructor(z?: number) { super(); }
  get<U>(this: P<T>, k: U): U { return k }
  static q?: number = 4;
  declare w: number;
  [key: string]: any;
  abstract foo(): void;
  protected abstract bar: number;
}
class Q extends P<number> { override foo() { return 'foo' } }
const m = new Map<string, () => void>([['a', () => {}]]), maker = Array<string>;
let maybe: string | undefined = 'maybe'
let long = maybe!.length + (m.size! as number)
for (const [k, x] of Object.entries({ k: 1 }) as [string, number][]) { long += x < 3 ? a > 0 ? k.length : 2 : 3; }
const type = 5, names = { type: 1, as: 2, interface: 3 };
type.toString();
const isText = (x: unknown): x is string => typeof x === 'string';
let tuple: [a: string, b?: number] = ['a'];
const chosen = a ? (same) : (c: number): number => a + c;
let caught = 0
try { throw 1 } catch (error: unknown) { caught = error as any as number }
let before = tuple as any as string[]
;(before as any)
const old = <number>(a), most = (((a))) as number satisfies number;
function bound(this: unknown, x: number) { return x }
const { p1, p2 = 3 }: { p1: number; p2?: number } = { p1: 1 };
const optional = (x?: number, [y]: number[] = [1], { z }: { z?: number } = { z: 9 }) => [x, y, z];
let sure!: number;
declare enum Gone { A }
declare global { interface Window { a: 1 } }
declare namespace AlsoGone { const a: 1 }
export declare enum LongGone { A }
const list = [1, 2, 3] as any
[4, 5].forEach((x: number) => { list.push(x) })
const sum = list.length satisfies number // not a call
(list as any).push(6)
const square = (x: number /* ) */,
) // the type has a line of its own
  : number => x * x, none = ()
  : number => 7, later = async <T,
>(x: T): Promise<T> => x;
function generic() {
  return <
    T>(x: T): T => x;
}
class Words {
  a = 1 as number
  public [sum] = 2
  get: number
  static: string | undefined
  foo() { return 'get' in this }
}
const marked = (x? /* ? */ : number) => x ?? 8, half = a * 4 as number / 2;
const é = 'é' as const, text = `${(a as number) + 1}`;

export const info = {
  guide: [a, same(2), pick([3, 4]), over('5'), arrow(6), other, new Q(1).get(8), new Q().foo(), P.q, m.size, maker.length, long, type, names,
    isText(''), tuple, chosen === same, caught, old, most, bound(1), p1, p2, optional(0), sure === undefined, é, text,
    list.length, sum, square(3), none(), typeof later, generic()(4), new Words()[sum], new Words().foo(), marked(), half],
  actions: {},
} as const satisfies object;
export const setup = (): State => ({ cells: [], turn: 0 }), awaited = () => [], actions = () => [], apply = () => ({}), observe = () => ({}),
  outcome = () => null;

// What a person does at a table drawn by parts: clicks, drags and keys become steps of a choice.
import type { JsonObject } from '../../api/types';
import { Choices } from './choices';
import type { Action } from './view';

export type Offer = 'play' | 'begin' | 'go-on' | 'picked' | undefined;

export interface TableFacts {
  choices: Choices;
  interactive: boolean;
  players: string[];
  seat: number | undefined; // the viewer's
  act: (action: string, data: JsonObject) => void;
}

const has = (whole: Action, { name, data = {} }: Action): boolean =>
  whole.name === name && Object.entries(data).every(([member, value]) => JSON.stringify(whole.data?.[member]) === JSON.stringify(value));

export class TableState {
  picked = $state.raw<Action | undefined>(undefined); // the first steps of a choice
  #pointed = $state.raw<string | undefined>(undefined); // the choice under the pointer
  #facts: () => TableFacts;

  constructor(facts: () => TableFacts) {
    this.#facts = facts;
  }

  get players(): string[] {
    return this.#facts().players;
  }
  get seat(): number | undefined {
    return this.#facts().seat;
  }
  nameOf(seat: number): string {
    return this.players[seat] || `Player ${seat + 1}`;
  }

  // What a click on something bound to these actions does now; undefined: nothing.
  offer(actions: Action[]): Offer {
    const { choices, interactive } = this.#facts();
    if (!interactive) return undefined;
    const { picked } = this;
    if (picked) {
      if (actions.some((action) => Object.keys(action.data ?? {}).length > 0 && has(picked, action))) return 'picked';
      if (actions.some((action) => choices.after(picked, action))) return 'go-on';
    }
    const first = actions.map((action) => choices.after(undefined, action)).find((each) => each !== undefined);
    return first && (first.fit === 'whole' ? 'play' : 'begin');
  }

  // What a click that is legal now would choose: the same for everything that stands for the same choice.
  #chosenBy(actions: Action[]): string | undefined {
    const { choices } = this.#facts();
    const offer = this.offer(actions);
    if (offer === undefined || offer === 'picked') return undefined;
    const from = offer === 'go-on' ? this.picked : undefined;
    return JSON.stringify(actions.map((action) => choices.after(from, action)).find((each) => each !== undefined)?.choice);
  }
  // The pointer is on something bound to these actions, or (undefined) on nothing: what means the same is lit.
  pointAt(actions: Action[] | undefined): void {
    this.#pointed = actions && this.#chosenBy(actions);
  }
  isLit(actions: Action[]): boolean {
    return this.#pointed !== undefined && this.#chosenBy(actions) === this.#pointed;
  }

  press(actions: Action[]): void {
    const { choices, act } = this.#facts();
    const offer = this.offer(actions);
    if (offer === undefined) return;
    if (offer === 'picked') {
      this.picked = undefined;
      return;
    }
    const from = offer === 'go-on' ? this.picked : undefined;
    const next = actions.map((action) => choices.after(from, action)).find((each) => each !== undefined);
    if (next?.fit === 'whole') {
      this.picked = undefined;
      act(next.choice.name, next.choice.data ?? {});
    } else {
      this.picked = next?.choice;
    }
  }
}

// What elements stand for, to find where something was dropped.
const bindings = new WeakMap<Element, Action[]>();

export function bound(element: Element, actions: Action[]): { update: (actions: Action[]) => void } {
  bindings.set(element, actions);
  return { update: (now) => void bindings.set(element, now) };
}
export function boundAt(target: EventTarget | null): { element: HTMLElement; actions: Action[] } | undefined {
  const element = target instanceof Element ? target.closest<HTMLElement>('[data-bound]') : null;
  const actions = element && bindings.get(element);
  return element && actions ? { element, actions } : undefined;
}

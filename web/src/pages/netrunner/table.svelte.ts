// State shared by the parts of one table: the state shown, what the viewer may do in it, and the open card.
import { createContext } from './context';
import type { Choice, Legal } from './legal';
import type { Card, NetrunnerState, Side } from './state';

export interface OpenCard {
  card: Card;
  from: HTMLElement;
}

export class TableView {
  state = $state.raw() as NetrunnerState;
  legal = $state.raw() as Legal;
  cards = $state.raw<Map<string, Card>>(new Map());
  // The side whose view is shown: the player's; the Runner's for spectators.
  own = $state<Side>('runner');
  open = $state.raw<OpenCard | undefined>(undefined); // its sheet is shown
  hovered = $state.raw<OpenCard | undefined>(undefined);
  dragged = $state.raw<Card | undefined>(undefined);
  news = $state.raw<string[]>([]); // the lines of the log that came with the state

  constructor(readonly choose: (choice: Choice) => void) {}

  choicesOf(card: Card): Choice[] {
    return card.cid === undefined ? [] : (this.legal.byCard.get(card.cid) ?? []);
  }
  isSelected(card: Card): boolean {
    return card.cid !== undefined && (this.state.prompt?.selected ?? []).includes(card.cid);
  }
  isActive(card: Card): boolean {
    const { encounters, prompt } = this.state;
    return card.cid !== undefined && (encounters?.ice.cid === card.cid || prompt?.card?.cid === card.cid);
  }
  // Opens a card, or answers with it if the prompt only asks for cards.
  press(card: Card, from: HTMLElement): void {
    this.hovered = undefined;
    const option = this.optionOf(card);
    if (option) {
      this.choose(option);
      return;
    }
    const choices = this.choicesOf(card);
    const only = choices.length === 1 ? choices[0] : undefined;
    if (only?.action === 'select') {
      this.choose(only);
      return;
    }
    this.open = { card, from };
  }
  // Opens a card's face, whatever can be done with it.
  show(card: Card, from: HTMLElement): void {
    this.hovered = undefined;
    this.open = { card, from };
  }
  // The option of the prompt that is this card.
  optionOf(card: Card): Choice | undefined {
    if (card.cid === undefined) return undefined;
    const option = (this.state.prompt?.choices ?? []).find((each) => each.card?.cid === card.cid);
    return option && this.legal.prompt.get(option.option ?? option.value);
  }
  // What choosing this server on the table does: a run, or the prompt's option of that name.
  serverChoice(name: string): Choice | undefined {
    const asked = this.state.prompt?.purpose === 'server' || this.state.prompt?.purpose === 'install-where';
    return asked ? this.legal.prompt.get(name) : this.legal.runs.get(name);
  }
  // The option that breaks this subroutine of the encountered ice; the names of equal ones are counted.
  subroutineChoice(index: number): Choice | undefined {
    const subroutines = this.state.encounters?.ice.subroutines ?? [];
    const wanted = subroutines[index];
    if (this.state.prompt?.purpose !== 'break' || !wanted) return undefined;
    const options = (this.state.prompt.choices ?? []).filter((each) => each.value === wanted.label);
    // Those that are not offered any more are broken, or chosen already: the offered ones are the last of their name.
    const alike = subroutines.map((each, i) => ({ each, i })).filter(({ each }) => each.label === wanted.label);
    const open = alike.filter(({ each }) => !each.broken);
    const option = options[open.findIndex(({ i }) => i === index) - (open.length - options.length)];
    return option && this.legal.prompt.get(option.option ?? option.value);
  }
  // `held`: by a finger. A tap alone is no hover.
  hover(card: Card | undefined, from: HTMLElement, held = false): void {
    if (card && !held && globalThis.matchMedia?.('(hover: none)').matches) return;
    if (card) this.hovered = { card, from };
    else if (this.hovered?.from === from) this.hovered = undefined;
  }
}

export const [useTable, provideTable] = createContext<TableView>('netrunner table');

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
    const choices = this.choicesOf(card);
    const only = choices.length === 1 ? choices[0] : undefined;
    if (only?.action === 'select') {
      this.choose(only);
      return;
    }
    this.open = { card, from };
  }
  hover(card: Card | undefined, from: HTMLElement): void {
    if (card) this.hovered = { card, from };
    else if (this.hovered?.from === from) this.hovered = undefined;
  }
}

export const [useTable, provideTable] = createContext<TableView>('netrunner table');

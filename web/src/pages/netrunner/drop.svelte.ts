// A place of the table where a card of the hand may be dropped: the element takes `handlers`, and shows by `open` that
// the card that is dragged may be dropped there, by `over` that it is held there now.
import type { Choice } from './legal';

export class DropTarget {
  #held = $state(false);
  #choice: () => Choice | undefined;
  #choose: (choice: Choice) => void;

  // `choice`: what it means to drop the dragged card here; undefined where nothing is dragged, or it may not lie here.
  constructor(choice: () => Choice | undefined, choose: (choice: Choice) => void) {
    this.#choice = choice;
    this.#choose = choose;
  }

  get open(): boolean {
    return this.#choice() !== undefined;
  }
  get over(): boolean {
    return this.#held && this.open;
  }

  readonly handlers = {
    ondragover: (event: DragEvent): void => {
      if (!this.open) return;
      event.preventDefault(); // which is how a drop is allowed
      this.#held = true;
    },
    ondragleave: (event: DragEvent & { currentTarget: HTMLElement }): void => {
      // What lies in it is left and entered, too.
      if (!event.currentTarget.contains(event.relatedTarget as Node | null)) this.#held = false;
    },
    ondrop: (event: DragEvent): void => {
      event.preventDefault(); // some browsers would go to what was dropped
      this.#held = false;
      const choice = this.#choice();
      if (choice) this.#choose(choice);
    },
  };
}

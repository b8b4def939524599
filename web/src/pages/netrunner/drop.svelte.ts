// A drop target for a card from the hand: the element uses `handlers`, and shows with `open` that
// the dragged card may be dropped there, with `over` that it is over the target now.
import type { Choice } from './legal';

export class DropTarget {
  #held = $state(false);
  #choice: () => Choice | undefined;
  #choose: (choice: Choice) => void;

  // `choice`: what dropping the dragged card here does; undefined if nothing is dragged, or it may not be dropped here.
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
      event.preventDefault(); // this allows the drop
      this.#held = true;
    },
    ondragleave: (event: DragEvent & { currentTarget: HTMLElement }): void => {
      // Child elements also fire enter and leave events.
      if (!event.currentTarget.contains(event.relatedTarget as Node | null)) this.#held = false;
    },
    ondrop: (event: DragEvent): void => {
      event.preventDefault(); // some browsers would navigate to the dropped data
      this.#held = false;
      const choice = this.#choice();
      if (choice) this.#choose(choice);
    },
  };
}

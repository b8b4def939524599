// What one use of a game's schema may cost. A schema is a stranger's: a few hundred bytes can describe more fields,
// values or text than any page can hold.
const kMost = 100_000;

export class Budget {
  static readonly perField = 50; // of a form, or of its data: at most 2,000
  static readonly perBranch = 5; // an alternative that may be chosen

  #left = kMost;
  #strict: boolean;

  // Strict: ends with an exception, which ends the drawing of a form. Else the caller gets less.
  constructor(strict = false) {
    this.#strict = strict;
  }
  get left(): number {
    return Math.max(0, this.#left);
  }
  // Whether it was enough.
  spend(cost = 1): boolean {
    this.#left -= cost;
    if (this.#left < 0 && this.#strict) throw new Error('the schema is too large for a form');
    return this.#left >= 0;
  }
  refill(): void {
    this.#left = kMost;
  }
}

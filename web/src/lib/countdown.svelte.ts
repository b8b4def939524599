// The time left until a moment, in seconds, while a component shows it. Call during a component's initialization.
export class Countdown {
  #now = $state(Date.now());
  #until: () => number | undefined;

  constructor(until: () => number | undefined) {
    this.#until = until;
    $effect(() => {
      if (until() === undefined) return;
      this.#now = Date.now();
      const timer = setInterval(() => (this.#now = Date.now()), 250);
      return () => clearInterval(timer);
    });
  }
  // Milliseconds, never negative; undefined if there is no such moment.
  get left(): number | undefined {
    const until = this.#until();
    return until === undefined ? undefined : Math.max(0, until - this.#now);
  }
}

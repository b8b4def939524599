// A replay as it arrives: the page with the step that was asked for comes first, then the rest, in the background
// (docs/protocols/console.md, "Replays"). Steps are numbered from 1, as in links.
import { readReplay, type RunGame } from './api/console';
import type { JsonObject, Replay, TranscriptEvent } from './api/types';
import { applyPatch, type Change } from './json_patch';
import { readModelStep, type ModelStep } from './replay';

export interface Refusal {
  seq: number;
  seat: number | undefined;
  action: string;
  message: string;
}
export interface ReplayStep {
  number: number;
  seq: number;
  time: string;
  kind: string;
  payload: JsonObject;
  state: JsonObject;
  view?: JsonObject | undefined; // the table as the game drew it, if it did
  news?: string[] | undefined; // what led here, as the viewer may know it
  models: ModelStep[]; // what models said on the way here
  refusals: Refusal[]; // what the rules refused on the way here
}
// Where to begin.
export interface ReplayStart {
  step?: number;
  event?: number;
  decision?: number; // from 0
}

// Whether an answer or a choice went wrong on the way to this step.
export const stumbled = (step: ReplayStep): boolean =>
  step.refusals.length > 0 || step.models.some((each) => each.step !== 'answer' || (each.outcome !== 'strict' && each.outcome !== 'mended'));

const readRefusal = ({ seq, payload }: TranscriptEvent): Refusal => ({
  seq,
  seat: typeof payload.seat === 'number' ? payload.seat : undefined,
  action: String(payload.action ?? ''),
  message: String(payload.message ?? ''),
});

// The steps of a page, with their whole states.
export function readSteps(page: Pick<Replay, 'first' | 'steps'>): ReplayStep[] {
  let state: JsonObject = {};
  let view: JsonObject | undefined;
  return page.steps.map((step, i) => {
    state = step.patch ? applyPatch(state, step.patch as unknown as Change[]) : (step.state as JsonObject);
    view = view && step.view_patch ? applyPatch(view, step.view_patch as unknown as Change[]) : (step.view as JsonObject | undefined);
    const said = step.said ?? [];
    return {
      number: page.first + i,
      seq: step.seq,
      time: step.time,
      kind: step.kind,
      payload: step.payload as JsonObject,
      state,
      view,
      news: step.news,
      models: said.filter((event) => event.kind === 'model').map(readModelStep),
      refusals: said.filter((event) => event.kind === 'refusal').map(readRefusal),
    };
  });
}

export class ReplayPages {
  about = $state.raw<Omit<Replay, 'steps'> | undefined>(undefined);
  steps = $state.raw<(ReplayStep | undefined)[]>([]); // step N is at N - 1
  failure = $state.raw<unknown>(undefined);
  whole = $derived(this.about !== undefined && this.known.length === this.about.count);

  #source: string | RunGame;
  #viewer: string;
  #stop = new AbortController();

  constructor(source: string | RunGame, viewer: string) {
    this.#source = source;
    this.#viewer = viewer;
  }

  get known(): ReplayStep[] {
    return this.steps.filter((step) => step !== undefined);
  }

  // Resolves to the number of the step to begin with, once it is here; the other pages follow.
  async load(start: ReplayStart): Promise<number> {
    const page = await this.#read(start);
    void this.#readOthers(page.page, page.pages);
    return Math.max(1, page.at);
  }

  stop(): void {
    this.#stop.abort();
  }

  async #read(which: ReplayStart & { page?: number }): Promise<Replay> {
    const page = await readReplay(this.#source, { ...which, viewer: this.#viewer || undefined, said: true, view: true }, { signal: this.#stop.signal });
    const { steps, ...about } = page;
    this.about = about;
    const all = [...this.steps];
    all.length = about.count;
    for (const step of readSteps({ first: about.first, steps })) all[step.number - 1] = step;
    this.steps = Array.from(all);
    return page;
  }

  // Forward to the end first, then what is before.
  async #readOthers(first: number, pages: number): Promise<void> {
    try {
      for (let page = first + 1; page <= pages; ++page) pages = (await this.#read({ page })).pages; // a match may go on
      for (let page = first - 1; page >= 1; --page) await this.#read({ page });
    } catch (error) {
      if (!this.#stop.signal.aborted) this.failure = error;
    }
  }
}

// Short messages at the edge of the page. Errors stay until dismissed; others disappear by themselves.
import { ApiError, messageOf } from './api/client';

export interface Toast {
  id: number;
  kind: 'good' | 'info' | 'error';
  text: string;
  retryAt?: number; // when the failed request can be retried
}

const kShownMs = 5000;
const kMost = 4;

class Toasts {
  list = $state.raw<Toast[]>([]);
  #lastId = 0;

  show(kind: Toast['kind'], text: string, retryAt?: number): void {
    this.#lastId += 1;
    const id = this.#lastId;
    const others = this.list.filter((toast) => toast.text !== text || toast.kind !== kind);
    this.list = [...others, { id, kind, text, retryAt }].slice(-kMost);
    if (kind !== 'error') setTimeout(() => this.dismiss(id), kShownMs);
  }
  dismiss(id: number): void {
    this.list = this.list.filter((toast) => toast.id !== id);
  }
}

export const toasts = new Toasts();
export const notify = (text: string): void => toasts.show('good', text);
// Shows an error; for the catch of anything that a person started.
export const notifyError = (error: unknown): void => toasts.show('error', messageOf(error), error instanceof ApiError ? error.retryAt : undefined);

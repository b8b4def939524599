// The worker that checks data (checking.ts): it gets a schema once, then values, and answers each with its violations.
import type { Json } from '../api/types';
import { Checker } from './check';

let checker: Checker | undefined;

addEventListener('message', (event: MessageEvent<{ schema: Json } | { id: number; value?: Json }>) => {
  if ('schema' in event.data) checker = new Checker(event.data.schema);
  else if (checker) postMessage({ id: event.data.id, ...checker.check(event.data.value) });
});
postMessage({ ready: true });

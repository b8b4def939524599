// A typed context: what a component provides, and those inside it use.
import { getContext, setContext } from 'svelte';

export function createContext<T>(name: string): [use: () => T, provide: (value: T) => T] {
  const key = Symbol(name);
  return [() => getContext<T>(key), (value) => setContext(key, value)];
}

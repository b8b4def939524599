// A typed context: provided by a component, used by those inside it.
import { getContext, setContext } from 'svelte';

export function createContext<T>(name: string): [use: () => T, provide: (value: T) => T] {
  const key = Symbol(name);
  return [() => getContext<T>(key), (value) => setContext(key, value)];
}

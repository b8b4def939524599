// A router on the URL fragment ('#'), so any page can be reloaded and shared without the server knowing
// about pages. One instance, `router`; components read `router.current`.
import type { Component } from 'svelte';

export type Params = Record<string, string>;
export interface PageProps {
  params: Params;
  query: URLSearchParams;
}
export interface Route {
  path: string; // "/replays/:id"
  title: string;
  nav?: string;
  group?: 'developers'; // its part of the header, if not the first
  under?: string; // its page in the header, if its path does not say
  width?: string; // maximum width, if not --page
  load: () => Promise<{ default: Component<PageProps> | Component<Record<string, never>> }>;
}
export interface Location {
  path: string;
  query: URLSearchParams;
}

// "#/a/b?c=d" as path and query. Anything else is the home page.
export function parseHash(hash: string): Location {
  const text = hash.startsWith('#') ? hash.slice(1) : hash;
  if (!text.startsWith('/')) return { path: '/', query: new URLSearchParams() };
  const mark = text.indexOf('?');
  const path = mark < 0 ? text : text.slice(0, mark);
  return {
    path: path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path,
    query: new URLSearchParams(mark < 0 ? '' : text.slice(mark + 1)),
  };
}

// The named parts of `path` if it matches the pattern, else undefined.
export function matchPath(pattern: string, path: string): Params | undefined {
  const wanted = pattern.split('/');
  const given = path.split('/');
  if (wanted.length !== given.length) return undefined;
  const params: Params = {};
  for (const [i, part] of wanted.entries()) {
    const value = given[i] ?? '';
    if (part.startsWith(':')) {
      if (value === '') return undefined;
      try {
        params[part.slice(1)] = decodeURIComponent(value);
      } catch {
        return undefined; // an invalid '%' escape
      }
    } else if (part !== value) {
      return undefined;
    }
  }
  return params;
}

// The first route that matches.
export function routeAt(routes: Route[], path: string): { route: Route; params: Params } | undefined {
  for (const route of routes) {
    const params = matchPath(route.path, path);
    if (params) return { route, params };
  }
  return undefined;
}

// The URL of a page: href('/replays/:id', {id: 'a b'}) is "#/replays/a%20b".
export function href(pattern: string, params: Params = {}, query: Record<string, string | undefined> = {}): string {
  const path = pattern.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));
  const search = new URLSearchParams(
    Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== undefined),
  ).toString();
  return `#${path}${search ? `?${search}` : ''}`;
}

class Router {
  current = $state.raw<Location>(parseHash(globalThis.location?.hash ?? ''));

  constructor() {
    globalThis.addEventListener?.('hashchange', () => {
      this.current = parseHash(location.hash);
    });
  }

  go(to: string): void {
    location.hash = to;
  }
  // The same without a history entry.
  replace(to: string): void {
    history.replaceState(null, '', to);
    this.current = parseHash(to);
  }
}

export const router = new Router();

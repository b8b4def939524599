// Every page of the interface, one line each: path, title, and loader (pages load on first
// visit; Home comes with the first load). `nav` adds it to the header, in this order, and `group` to the part for developers; `width` makes it and the header wider than the others. A page gets `params` (the named parts of its path) and
// `query` as properties. docs/web.md says how to add one.
import type { Route } from './lib/router.svelte';
import Home from './pages/home/Home.svelte';

export const routes: Route[] = [
  { path: '/', title: 'Home', nav: 'Home', load: async () => ({ default: Home }) },
  { path: '/play', title: 'Play', nav: 'Play', load: () => import('./pages/play/Play.svelte') },
  { path: '/match/netrunner/:id', title: 'Netrunner', under: '/netrunner', width: '120rem', load: () => import('./pages/netrunner/NetrunnerMatch.svelte') },
  { path: '/match/:game/:id', title: 'Match', under: '/play', load: () => import('./pages/match/Match.svelte') },
  { path: '/continue/:code', title: 'Continue', load: () => import('./pages/match/Continue.svelte') },
  { path: '/netrunner', title: 'Netrunner', nav: 'Netrunner', load: () => import('./pages/netrunner/Netrunner.svelte') },
  { path: '/netrunner/decks', title: 'Decks', load: () => import('./pages/netrunner/Decks.svelte') },
  { path: '/netrunner/decks/:id', title: 'Deck builder', width: '90rem', load: () => import('./pages/netrunner/DeckEditor.svelte') },
  { path: '/stories', title: 'Stories', nav: 'Stories', load: () => import('./pages/stories/Stories.svelte') },
  { path: '/stories/:id', title: 'Story', load: () => import('./pages/stories/Story.svelte') },
  { path: '/puzzles', title: 'Puzzles', nav: 'Puzzles', load: () => import('./pages/puzzles/Puzzles.svelte') },
  { path: '/replays', title: 'Replays', nav: 'Replays', load: () => import('./pages/replays/Replays.svelte') },
  { path: '/replays/:id', title: 'Replay', load: () => import('./pages/replays/Replay.svelte') },
  { path: '/console', title: 'Console', nav: 'Console', group: 'developers', width: '112rem', load: () => import('./pages/console/Console.svelte') },
  { path: '/arena', title: 'Arena', nav: 'Arena', group: 'developers', load: () => import('./pages/arena/Arena.svelte') },
  { path: '/arena/:run', title: 'Run', load: () => import('./pages/arena/Run.svelte') },
  { path: '/arena/:run/games', title: 'Games', load: () => import('./pages/arena/Games.svelte') },
  { path: '/arena/:run/games/:game', title: 'Game', load: () => import('./pages/arena/Game.svelte') },
  { path: '/arena/:run/games/:game/replay', title: 'Replay', load: () => import('./pages/replays/Replay.svelte') },
  { path: '/games/editor', title: 'Game editor', nav: 'Editor', group: 'developers', width: '112rem', load: () => import('./pages/editor/Editor.svelte') },
  { path: '/checker', title: 'Checker report', nav: 'Checker', group: 'developers', load: () => import('./pages/checker/Checker.svelte') },
];

// Netrunner in replays and lists; it is played on its own page.
import type { BoardKind } from '../../lib/boards/registry';
import { newLines, plain, read, sideNames } from './state';

export const netrunner: BoardKind = {
  game: 'netrunner',
  title: 'Netrunner',
  tagline: 'A Corp advances agendas behind ice, and a Runner steals them',
  roles: ['Corp', 'Runner'],
  load: () => import('./NetrunnerBoard.svelte'),
  listed: true,
  names: (state) => [read(state).corp.user, read(state).runner.user],
  turn: (state) => (read(state).turn === 0 ? 'Opening hands' : `Turn ${read(state).turn}, ${sideNames[read(state)['active-player']]}`),
  describe: (state, previous) => {
    const lines = newLines(previous && read(previous), read(state));
    return lines.length > 0 ? lines.map(plain).join(' ') : previous ? 'A choice that is not in the log' : 'The game begins';
  },
};

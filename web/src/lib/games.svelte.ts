// The hosted games, asked for once, and what they are called.
import { listGames } from './api/console';
import type { GameInfo, TableInfo } from './api/types';
import { boardOf } from './boards/registry';

class Games {
  list = $state.raw<GameInfo[] | undefined>(undefined);
  #asked: Promise<void> | undefined;
  #missed = new Set<string>(); // games that were not among them

  // Pages work without them, where the server does not tell.
  load(): Promise<void> {
    this.#asked ??= listGames(undefined, { askToken: false }).then(
      (games) => void (this.list = games),
      () => void (this.#asked = undefined),
    );
    return this.#asked;
  }
  find(id: string): GameInfo | undefined {
    return this.list?.find((game) => game.id === id);
  }
  // What people call it; its id until the server has said. Asks again, once, for a game that came later.
  title(id: string): string {
    if (id === 'narrative') return 'A story';
    const title = boardOf(id)?.title ?? this.find(id)?.title;
    if (title === undefined && id !== '' && !this.#missed.has(id)) {
      if (this.list) {
        this.#missed.add(id);
        this.#asked = undefined;
      }
      void this.load();
    }
    return title ?? id;
  }
  // By seat.
  roles(id: string): string[] {
    return boardOf(id)?.roles ?? this.find(id)?.roles ?? [];
  }
}

export const games = new Games();

// A hosted game's title, or the name that a game elsewhere gave itself.
export const tableTitle = ({ kind, game = '' }: TableInfo): string => (kind === 'remote' ? game : games.title(game));

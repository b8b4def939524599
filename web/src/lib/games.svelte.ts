// The hosted games, asked for once.
import { listGames } from './api/console';
import type { GameInfo } from './api/types';

class Games {
  list = $state.raw<GameInfo[] | undefined>(undefined);
  #asked: Promise<void> | undefined;

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
}

export const games = new Games();

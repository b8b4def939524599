#include "app/games.h"

#include <array>

#include "games/tictactoe/tictactoe.h"

namespace openseat::app {

std::span<const Game* const> AllGames() {
  static const std::unique_ptr<Game> tictactoe = games::MakeTicTacToe();
  static const std::array<const Game*, 1> all{tictactoe.get()};
  return all;
}

const Game* FindGame(std::string_view id) {
  for (const Game* game : AllGames()) {
    if (game->info().id == id) return game;
  }
  return nullptr;
}

}  // namespace openseat::app

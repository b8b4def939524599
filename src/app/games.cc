#include "app/games.h"

#include "games/netrunner/deck_lists.h"
#include "games/netrunner/netrunner.h"

namespace openseat::app {

std::span<const Game* const> AllGames() {
  static const std::vector<std::unique_ptr<Game>> made = MakeGames();
  static const std::vector<const Game*> all = [] {
    std::vector<const Game*> games;
    for (const std::unique_ptr<Game>& game : made) games.push_back(game.get());
    return games;
  }();
  return all;
}

std::span<const Game* const> PublicGames() {
  static const std::vector<const Game*> shown = [] {
    std::vector<const Game*> games;
    for (const Game* game : AllGames()) {
      if (!game->info().hidden) games.push_back(game);
    }
    return games;
  }();
  return shown;
}

std::vector<const DeckRules*> GamesWithDecks() {
  return {&games::NetrunnerDecks()};
}

const Game* FindGame(std::string_view id) {
  for (const Game* game : AllGames()) {
    if (game->info().id == id) return game;
  }
  return nullptr;
}

Result<void> RefuseFixtures(const Game& game, const json::Value& options) {
  if (game.info().id != "netrunner" || !games::IsNetrunnerFixture(options)) return {};
  return Fail(ErrorCode::kInvalid, "shuffle, validate and points are for servers that run with --allow-fixtures",
              "options");
}

}  // namespace openseat::app

#include "app/games.h"

#include <array>
#include <vector>

#include "games/chicken/chicken.h"
#include "games/connectm/connectm.h"
#include "games/narrative/narrative.h"
#include "games/netrunner/deck_lists.h"
#include "games/netrunner/netrunner.h"
#include "games/p1_wins/p1_wins.h"
#include "games/rps/rps.h"
#include "games/tictactoe/tictactoe.h"

namespace openseat::app {

std::span<const Game* const> AllGames() {
  static const std::array<std::unique_ptr<Game>, 7> made{
      games::MakeTicTacToe(), games::MakeConnectM(),  games::MakeRockPaperScissors(), games::MakeChicken(),
      games::MakeNetrunner(), games::MakeNarrative(), games::MakePlayerOneWins()};
  static const std::array<const Game*, 7> all{made[0].get(), made[1].get(), made[2].get(), made[3].get(),
                                              made[4].get(), made[5].get(), made[6].get()};
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

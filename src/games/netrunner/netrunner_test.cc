#include "games/netrunner/netrunner.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "base/rng.h"
#include "testing/game_conformance.h"

namespace openseat::games {
namespace {

const Game& TheGame() {
  static const std::unique_ptr<Game> game = MakeNetrunner();
  return *game;
}

json::Value Format(std::string_view format) {
  return json::Object{{"format", format}};
}

TEST(Netrunner, Conforms) {
  EXPECT_EQ(testing::CheckGame(TheGame(), {.games = 4, .max_choices = 60, .fuzzed_choices = 4, .moves_tried = 3}),
            testing::Conforms());
}

TEST(Netrunner, ConformsWithTheIntermediateDecks) {
  EXPECT_EQ(testing::CheckGame(TheGame(), {.options = Format("system-gateway-intermediate"),
                                           .games = 2,
                                           .max_choices = 60,
                                           .fuzzed_choices = 4,
                                           .moves_tried = 3}),
            testing::Conforms());
}

TEST(Netrunner, TheLogIsWholeThoughAStateKeepsTheLatestAlone) {
  auto state = *TheGame().NewGame(nullptr, 3, {"Ana", "Bo"});
  std::vector<Move> moves(TheGame().info().max_moves);
  std::vector<std::string> told;
  Rng rng(3);
  while (!state->Awaited().empty()) {
    const SeatIndex seat = *state->Awaited().begin();
    const std::size_t count = state->Moves(seat, moves);
    state->ApplyMove(seat, moves[rng.Below(count)]);
    const std::vector<std::string> log = state->Log(Viewer::Spectator());
    ASSERT_GE(log.size(), told.size());
    ASSERT_TRUE(std::equal(told.begin(), told.end(), log.begin()));
    told = log;
  }
  const json::Value seen = state->Observe(Viewer::Spectator());
  EXPECT_GT(told.size(), seen.at("log").as_array().size());
  EXPECT_EQ(json::Value(told.size()), json::Value(seen.at("log-count").to_number<std::size_t>()));
  EXPECT_EQ(told.front(), "Corp keeps their hand.");
}

}  // namespace
}  // namespace openseat::games

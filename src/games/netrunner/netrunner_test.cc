#include "games/netrunner/netrunner.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

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

}  // namespace
}  // namespace openseat::games

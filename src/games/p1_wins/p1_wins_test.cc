#include "games/p1_wins/p1_wins.h"

#include <gtest/gtest.h>

#include "testing/game_conformance.h"
#include "testing/golden.h"
#include "testing/playthrough.h"

namespace openseat::games {
namespace {

const Game& TheGame() {
  static const std::unique_ptr<Game> game = MakePlayerOneWins();
  return *game;
}

TEST(PlayerOneWins, Conforms) {
  EXPECT_EQ(testing::CheckGame(TheGame()), testing::Conforms());
}

TEST(PlayerOneWins, PlaysAsItDid) {
  EXPECT_EQ(testing::CheckPlaythrough(TheGame(), {}, "src/games/p1_wins/testdata/playthrough.txt"), "");
}

TEST(PlayerOneWins, KeepsToTheVersionOfItsRules) {
  EXPECT_EQ(testing::CheckGolden(TheGame(), {}, "src/games/p1_wins/testdata/golden.txt"), "");
}

TEST(PlayerOneWins, IsWonByPlayerOne) {
  EXPECT_TRUE(TheGame().info().hidden);
  const auto state = *TheGame().NewGame(nullptr, 0, {"Alex", "Sam"});
  const json::Value phrase = json::Object{{"phrase", "I win \u2620"}};
  EXPECT_EQ(json::Write(state->Observe(Viewer::Spectator())), R"({"player1_phrase":null,"player2_phrase":null})");
  EXPECT_EQ(state->Validate(1, "move", phrase).error().message, "it is not your turn: Alex must choose first");
  ASSERT_TRUE(state->Validate(0, "move", phrase).has_value());
  EXPECT_EQ(json::Write(state->Apply(0, "move", phrase)), R"({"received":"I win \u2620"})");
  EXPECT_EQ(state->Validate(1, "move", json::Object{{"phrase", 5}}).error().message, "phrase must be a string; got 5");
  state->Apply(1, "move", json::Object{{"phrase", ""}});
  EXPECT_EQ(json::Write(state->Observe(Viewer::Spectator())),
            R"({"player1_phrase":"I win \u2620","player2_phrase":""})");
  EXPECT_EQ(state->GetOutcome(), (Outcome{{0}, {1, 0}, "player one always wins"}));
}

}  // namespace
}  // namespace openseat::games

#include "games/chicken/chicken.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "testing/game_conformance.h"
#include "testing/golden.h"
#include "testing/playthrough.h"

namespace openseat::games {
namespace {

const Game& TheGame() {
  static const std::unique_ptr<Game> game = MakeChicken();
  return *game;
}

json::Value Swerve(bool swerve) {
  return json::Object{{"swerve", swerve}};
}

std::string Seen(const GameState& state) {
  return json::Write(state.Observe(Viewer::Spectator()));
}

TEST(Chicken, Conforms) {
  EXPECT_EQ(testing::CheckGame(TheGame()), testing::Conforms());
  EXPECT_EQ(testing::CheckGame(TheGame(), {.options = json::Object{{"max_rounds", 2}}}), testing::Conforms());
}

TEST(Chicken, PlaysAsItDid) {
  EXPECT_EQ(testing::CheckPlaythrough(TheGame(), {.seed = 5}, "src/games/chicken/testdata/playthrough.txt"), "");
}

TEST(Chicken, KeepsToTheVersionOfItsRules) {
  EXPECT_EQ(testing::CheckGolden(TheGame(), {}, "src/games/chicken/testdata/golden.txt"), "");
}

TEST(Chicken, CountsPointsAndEndsWithACrash) {
  const auto state = *TheGame().NewGame(nullptr, 0, {"Alex", "Sam"});
  EXPECT_EQ(Seen(*state), R"({"p1_points":0,"p2_points":0,"rounds":[]})");
  EXPECT_EQ(json::Write(state->Apply(1, "move", Swerve(true))), R"({"swerve":true})");
  EXPECT_EQ(Seen(*state), R"({"p1_points":0,"p2_points":0,"rounds":[]})");
  const Result<void> again = state->Validate(1, "move", Swerve(false));
  EXPECT_EQ(again.error().code, ErrorCode::kNotYourTurn);
  EXPECT_EQ(again.error().message, "it is not your turn: Alex must choose first");
  state->Apply(0, "move", Swerve(false));
  EXPECT_EQ(
      Seen(*state),
      R"({"p1_points":3,"p2_points":0,"rounds":[{"p1_swerve":false,"p2_swerve":true,"p1_points":3,"p2_points":0}]})");
  for (const SeatIndex seat : {0u, 1u}) state->Apply(seat, "move", Swerve(true));
  EXPECT_FALSE(state->GetOutcome().has_value());
  for (const SeatIndex seat : {0u, 1u}) state->Apply(seat, "move", Swerve(false));
  EXPECT_EQ(state->GetOutcome(), (Outcome{{0}, {4, 1}, "neither swerved"}));
}

TEST(Chicken, EndsAfterItsLastRound) {
  const auto state = *TheGame().NewGame(json::Object{{"max_rounds", 1}}, 0, {"Alex", "Sam"});
  for (const SeatIndex seat : {0u, 1u}) state->Apply(seat, "move", Swerve(true));
  EXPECT_EQ(state->GetOutcome(), (Outcome{{}, {1, 1}, "the last round was played"}));
}

TEST(Chicken, SaysWhatIsWrong) {
  const auto state = *TheGame().NewGame(nullptr, 0, {"Alex", "Sam"});
  const Error error = state->Validate(0, "move", json::Object{{"swerve", "yes"}}).error();
  EXPECT_EQ(error, (Error{ErrorCode::kIncorrectData, R"(swerve must be true or false; got "yes")", "swerve"}));
  EXPECT_EQ(TheGame().NewGame(json::Object{{"max_rounds", 0}}, 0, {"A", "B"}).error().message,
            "max_rounds must be a whole number from 1 to 1000; got 0");
}

}  // namespace
}  // namespace openseat::games

#include "games/rps/rps.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "testing/game_conformance.h"
#include "testing/golden.h"
#include "testing/playthrough.h"

namespace openseat::games {
namespace {

const Game& TheGame() {
  static const std::unique_ptr<Game> game = MakeRockPaperScissors();
  return *game;
}

json::Value Hand(std::string_view hand) {
  return json::Object{{"hand", hand}};
}

void PlayRound(GameState& state, std::string_view first, std::string_view second) {
  state.Apply(0, "throw", Hand(first));
  state.Apply(1, "throw", Hand(second));
}

TEST(Rps, Conforms) {
  EXPECT_EQ(testing::CheckGame(TheGame()), testing::Conforms());
  EXPECT_EQ(testing::CheckGame(TheGame(), {.options = json::Object{{"rounds", 9}}}), testing::Conforms());
}

TEST(Rps, PlaysAsItDid) {
  EXPECT_EQ(testing::CheckPlaythrough(TheGame(), {}, "src/games/rps/testdata/playthrough.txt"), "");
}

TEST(Rps, KeepsToTheVersionOfItsRules) {
  EXPECT_EQ(testing::CheckGolden(TheGame(), {}, "src/games/rps/testdata/golden.txt"), "");
}

TEST(Rps, KnowsWhatBeatsWhat) {
  const auto state = *TheGame().NewGame(json::Object{{"rounds", 99}}, 0, {"Alex", "Sam"});
  PlayRound(*state, "rock", "scissors");
  PlayRound(*state, "scissors", "paper");
  PlayRound(*state, "paper", "rock");
  PlayRound(*state, "rock", "rock");
  PlayRound(*state, "rock", "paper");
  const json::Value seen = state->Observe(Viewer::Seat(1));
  EXPECT_EQ(seen.at("p1_wins"), 3);
  EXPECT_EQ(seen.at("p2_wins"), 1);
  EXPECT_EQ(json::Write(seen.at("rounds").at(3)), R"({"p1_hand":"rock","p2_hand":"rock","winner":null})");
  EXPECT_EQ(json::Write(seen.at("rounds").at(4)), R"({"p1_hand":"rock","p2_hand":"paper","winner":"Sam"})");
}

TEST(Rps, ShowsARoundWhenBothHaveThrown) {
  const auto state = *TheGame().NewGame(nullptr, 0, {"Alex", "Sam"});
  EXPECT_EQ(json::Write(state->Apply(0, "throw", Hand("rock"))), R"({"hand":"rock"})");
  EXPECT_EQ(json::Write(state->Observe(Viewer::Seat(1))),
            R"({"players":["Alex","Sam"],"best_of":3,"p1_wins":0,"p2_wins":0,"rounds":[]})");
}

TEST(Rps, EndsWhenMoreThanHalfIsWon) {
  const auto state = *TheGame().NewGame(nullptr, 0, {"Alex", "Sam"});
  PlayRound(*state, "rock", "paper");
  EXPECT_FALSE(state->GetOutcome().has_value());
  PlayRound(*state, "rock", "paper");
  EXPECT_EQ(state->GetOutcome(), (Outcome{{1}, {0, 2}, "more than half of the rounds won"}));
}

TEST(Rps, EndsAfterTenTimesItsRounds) {
  const auto state = *TheGame().NewGame(json::Object{{"rounds", 1}}, 0, {"Alex", "Sam"});
  for (int round = 0; round < 10; ++round) {
    EXPECT_FALSE(state->GetOutcome().has_value());
    PlayRound(*state, "paper", "paper");
  }
  EXPECT_EQ(state->GetOutcome(), (Outcome{{}, {0, 0}, "the last round was played"}));
}

TEST(Rps, SaysWhatIsWrong) {
  const auto state = *TheGame().NewGame(nullptr, 0, {"Alex", "Sam"});
  EXPECT_EQ(state->Validate(0, "throw", Hand("lizard")).error(),
            (Error{ErrorCode::kIncorrectMove, R"(hand must be rock, paper or scissors; got "lizard")", "hand"}));
  EXPECT_EQ(state->Validate(0, "throw", json::Object{{"hand", 1}}).error().code, ErrorCode::kIncorrectData);
  EXPECT_EQ(TheGame().NewGame(json::Object{{"rounds", 4}}, 0, {"A", "B"}).error().message,
            "rounds must be an odd number, or nobody might win; got 4");
}

}  // namespace
}  // namespace openseat::games

#include "games/connectm/connectm.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "testing/game_conformance.h"
#include "testing/golden.h"
#include "testing/perft.h"
#include "testing/playthrough.h"

namespace openseat::games {
namespace {

const Game& TheGame() {
  static const std::unique_ptr<Game> game = MakeConnectM();
  return *game;
}

json::Value Size(int rows, int columns, int m) {
  return json::Object{{"rows", rows}, {"columns", columns}, {"m", m}};
}

std::unique_ptr<GameState> After(const std::vector<Move>& columns, const json::Value& options = nullptr) {
  std::unique_ptr<GameState> state = *TheGame().NewGame(options, 0, {"Alex", "Sam"});
  for (const Move column : columns) state->ApplyMove(state->Awaited().First(), column);
  return state;
}

Error Refusal(const GameState& state, std::string_view data) {
  const Result<void> valid = state.Validate(state.Awaited().First(), "drop", *json::Parse(data));
  return valid ? Error{ErrorCode::kInvalid, "accepted", {}} : valid.error();
}

TEST(ConnectM, Conforms) {
  EXPECT_EQ(testing::CheckGame(TheGame(), {.games = 10}), testing::Conforms());
  EXPECT_EQ(testing::CheckGame(TheGame(), {.options = Size(3, 3, 3)}), testing::Conforms());
  EXPECT_EQ(testing::CheckGame(TheGame(), {.options = Size(1, 2, 2)}), testing::Conforms());
}

TEST(ConnectM, ConformsOnALargeBoard) {
  EXPECT_EQ(testing::CheckGame(TheGame(), {.options = Size(20, 20, 5), .games = 2, .fuzzed_choices = 4}),
            testing::Conforms());
}

TEST(ConnectM, PlaysAsItDid) {
  EXPECT_EQ(
      testing::CheckPlaythrough(TheGame(), {.options = Size(4, 5, 3)}, "src/games/connectm/testdata/playthrough.txt"),
      "");
}

TEST(ConnectM, KeepsToTheVersionOfItsRules) {
  EXPECT_EQ(testing::CheckGolden(TheGame(), {.games = {{}, {.options = Size(4, 5, 3)}, {.options = Size(9, 9, 5)}}},
                                 "src/games/connectm/testdata/golden.txt"),
            "");
}

// The published numbers of Connect Four positions by discs on the board (OEIS A212693).
TEST(ConnectM, HasTheKnownNumberOfPositions) {
  EXPECT_EQ(testing::CountPositions(*After({}), 8),
            (std::vector<std::uint64_t>{1, 7, 49, 238, 1120, 4263, 16422, 54859, 184275}));
}

TEST(ConnectM, LooksAsItsClientsExpect) {
  const auto state = After({1, 1, 0}, Size(2, 3, 3));
  EXPECT_EQ(json::Write(state->Observe(Viewer::Spectator())),
            R"({"turn":"Sam","players":{"Alex":"R","Sam":"Y"},"board":[[" ","Y"," "],["R","R"," "]]})");
  const json::Value data = *json::Parse(R"({"column":2})");
  ASSERT_TRUE(state->Validate(1, "drop", data).has_value());
  EXPECT_EQ(json::Write(state->Apply(1, "drop", data)), R"({"column":2})");
}

TEST(ConnectM, TellsEitherPlayerAtAnyTimeWhereDropsWin) {
  for (const auto& [columns, expected] : std::vector<std::pair<std::vector<Move>, std::string>>{
           {{0, 1, 0, 1},
            R"({"can_drop":[true,true,true],"drop_wins":{"Y":[false,true,false],"R":[true,false,false]}})"},
           {{0, 0, 0},
            R"({"can_drop":[false,true,true],"drop_wins":{"Y":[false,false,false],"R":[false,false,false]}})"}}) {
    const auto now = After(columns, Size(3, 3, 3));
    for (const SeatIndex seat : {0u, 1u}) {
      ASSERT_TRUE(now->Validate(seat, "drop_info", json::Object()).has_value());
      EXPECT_EQ(json::Write(now->Apply(seat, "drop_info", json::Object())), expected);
    }
  }
}

TEST(ConnectM, SaysWhatIsWrong) {
  const auto state = After({3, 3, 3, 3, 3, 3});
  EXPECT_EQ(Refusal(*state, R"({"column":3})"), (Error{ErrorCode::kIncorrectMove, "column 3 is full", "column"}));
  EXPECT_EQ(Refusal(*state, R"({"column":9})"),
            (Error{ErrorCode::kIncorrectMove, "column must be 0 to 6; got 9", "column"}));
  EXPECT_EQ(Refusal(*state, R"({"column":"3"})"),
            (Error{ErrorCode::kIncorrectData, R"(column must be a whole number; got "3")", "column"}));
  EXPECT_EQ(Refusal(*state, R"({"column":18446744073709551615})").code, ErrorCode::kIncorrectMove);
  EXPECT_EQ(Refusal(*state, "{}").code, ErrorCode::kIncorrectData);
  EXPECT_EQ(state->Validate(0, "fly", nullptr).error().message, R"(the action must be drop or drop_info; got "fly")");
  EXPECT_EQ(state->Validate(1, "drop", nullptr).error().code, ErrorCode::kNotYourTurn);
}

TEST(ConnectM, RefusesBoardsThatCannotBeWon) {
  EXPECT_EQ(TheGame().NewGame(Size(3, 3, 4), 0, {"A", "B"}).error().message,
            "m must be a whole number from 2 to 3; got 4");
  EXPECT_EQ(TheGame().NewGame(Size(21, 3, 4), 0, {"A", "B"}).error().message,
            "rows must be a whole number from 1 to 20; got 21");
  EXPECT_FALSE(TheGame().NewGame(Size(1, 1, 2), 0, {"A", "B"}).has_value());
}

}  // namespace
}  // namespace openseat::games

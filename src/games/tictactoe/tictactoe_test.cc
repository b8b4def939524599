#include "games/tictactoe/tictactoe.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <initializer_list>
#include <numeric>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "testing/game_conformance.h"
#include "testing/golden.h"
#include "testing/perft.h"
#include "testing/playthrough.h"

namespace openseat::games {
namespace {

const Game& TheGame() {
  static const std::unique_ptr<Game> game = MakeTicTacToe();
  return *game;
}

std::unique_ptr<GameState> Start() {
  return *TheGame().NewGame(nullptr, 0, {"Alex", "Sam"});
}

// Plays cells (3 * row + column) in turn.
std::unique_ptr<GameState> After(std::initializer_list<Move> cells) {
  std::unique_ptr<GameState> state = Start();
  for (const Move cell : cells) state->ApplyMove(state->Awaited().First(), cell);
  return state;
}

Error Refusal(const GameState& state, SeatIndex seat, std::string_view action, std::string_view data) {
  const Result<void> valid = state.Validate(seat, action, *json::Parse(data));
  return valid ? Error{ErrorCode::kInvalid, "accepted", {}} : valid.error();
}

TEST(TicTacToe, Conforms) {
  EXPECT_EQ(testing::CheckGame(TheGame()), testing::Conforms());
}

TEST(TicTacToe, PlaysAsItDid) {
  EXPECT_EQ(testing::CheckPlaythrough(TheGame(), {}, "src/games/tictactoe/testdata/playthrough.txt"), "");
}

TEST(TicTacToe, NamesCells) {
  EXPECT_EQ(Start()->MoveLabel(0, 5), "middle right");
}

TEST(TicTacToe, KeepsToTheVersionOfItsRules) {
  EXPECT_EQ(testing::CheckGolden(TheGame(), {}, "src/games/tictactoe/testdata/golden.txt"), "");
}

TEST(TicTacToe, HasTheKnownNumberOfGamesAndPositions) {
  EXPECT_EQ(testing::CountGames(*Start(), 9), 255'168u);
  const std::vector<std::uint64_t> positions = testing::CountPositions(*Start(), 9);
  EXPECT_EQ(std::accumulate(positions.begin(), positions.end(), std::uint64_t{0}), 5'478u);
}

TEST(TicTacToe, LooksAsTheChimeraDocumentShowsIt) {
  const auto state = After({2, 4, 5, 8});
  EXPECT_EQ(json::Write(state->Observe(Viewer::Spectator())),
            R"({"X":"Alex","O":"Sam","turn":"X","board":[[" "," ","X"],[" ","O","X"],[" "," ","O"]]})");
}

TEST(TicTacToe, AnswersAsTheChimeraDocumentShowsIt) {
  const auto state = Start();
  const json::Value data = *json::Parse(R"({"position":[0,0]})");
  ASSERT_TRUE(state->Validate(0, "move", data).has_value());
  EXPECT_EQ(json::Write(state->Apply(0, "move", data)), R"({"updated":{"position":[0,0],"value":"X"}})");
}

TEST(TicTacToe, SaysWhatIsWrongWithAChoice) {
  const auto state = After({0});
  const auto expect = [&](SeatIndex seat, std::string_view action, std::string_view data, ErrorCode code,
                          std::string_view message) {
    const Error error = Refusal(*state, seat, action, data);
    EXPECT_EQ(error.code, code) << data;
    EXPECT_EQ(error.message, message);
  };
  expect(0, "fly", "{}", ErrorCode::kNoSuchAction, R"(the action must be move; got "fly")");
  expect(0, "move", "{}", ErrorCode::kNotYourTurn, "it is not your turn: Sam must choose first");
  expect(7, "move", "{}", ErrorCode::kNotYourTurn, "seat 7 is not in this game");
  expect(1, "move", "[]", ErrorCode::kIncorrectData, "data must be an object with the member position; got []");
  expect(1, "move", "{}", ErrorCode::kIncorrectData, R"(data needs the member "position"; got {})");
  expect(1, "move", R"({"position":[1,1],"x":0})", ErrorCode::kIncorrectData, R"(data has the unexpected member "x")");
  expect(1, "move", R"({"position":[1,1.5]})", ErrorCode::kIncorrectData,
         "position must be [row, column], two whole numbers; got [1,1.5]");
  expect(1, "move", R"({"position":[1,3]})", ErrorCode::kIncorrectMove, "row and column must be 0 to 2; got [1,3]");
  expect(1, "move", R"({"position":[0,0]})", ErrorCode::kIncorrectMove, "position [0,0] is taken by X");
}

TEST(TicTacToe, EndsWithALineOrAFullBoard) {
  const auto won = After({0, 3, 1, 4, 2});
  EXPECT_EQ(won->GetOutcome(), (Outcome{{0}, {1, 0}, "three in a row"}));
  EXPECT_TRUE(won->Awaited().empty());
  EXPECT_EQ(Refusal(*won, 1, "move", R"({"position":[2,2]})").message, "the game is over");
  const auto drawn = After({0, 1, 2, 4, 3, 5, 7, 6, 8});
  EXPECT_EQ(drawn->GetOutcome(), (Outcome{{}, {0.5, 0.5}, "the board is full"}));
}

TEST(TicTacToe, RefusesOptionsAndNames) {
  EXPECT_EQ(TheGame().NewGame(*json::Parse(R"({"size":4})"), 0, {"A", "B"}).error().message,
            R"(this game has no options; got "size")");
  EXPECT_EQ(TheGame().NewGame(nullptr, 0, {"A"}).error().message, "Tic-Tac-Toe is for 2 players; got 1");
  EXPECT_EQ(TheGame().NewGame(nullptr, 0, {"A", "A"}).error().message,
            R"(the players need different names; two are called "A")");
}

TEST(TicTacToe, RestoresOnlyBoardsThatAGameLeadsTo) {
  for (const char* board : {"XXX      ", "XXXOOO   ", "XXXOO   O", "ABCDEFGHI", "X"}) {
    const json::Value saved = json::Object{{"names", json::Array{"A", "B"}}, {"board", board}};
    EXPECT_FALSE(TheGame().Restore(saved).has_value()) << board;
  }
}

std::string WithoutSpaces(std::string text) {
  std::erase_if(text, [](char c) { return c == ' ' || c == '\n'; });
  return text;
}

// The text without its spaces.
std::string Packed(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return WithoutSpaces(text.str());
}

// docs/adding_a_game.md shows this game: each block of code must be in one of these files, line by line and in order.
TEST(AddingAGame, ThePageShowsTheCodeOfThisGame) {
  const std::string folder = "src/games/tictactoe/";
  const std::array<std::string, 5> files{Packed(folder + "tictactoe.cc"), Packed(folder + "tictactoe_test.cc"),
                                         Packed(folder + "CMakeLists.txt"), Packed("src/games/CMakeLists.txt"),
                                         Packed("web/src/lib/boards/registry.ts")};
  std::ifstream page("docs/adding_a_game.md");
  std::vector<std::vector<std::string>> blocks;
  bool inside = false;
  for (std::string line; std::getline(page, line);) {
    if (line.starts_with("```")) {
      inside = !inside;
      if (inside) blocks.emplace_back();
    } else if (inside && WithoutSpaces(line) != "…") {
      blocks.back().push_back(line);
    }
  }
  const auto has = [](const std::string& file, const std::vector<std::string>& lines) {
    std::size_t at = 0;
    return std::ranges::all_of(lines, [&](const std::string& line) {
      const std::string packed = WithoutSpaces(line);
      at = file.find(packed, at);
      if (at == std::string::npos) return false;
      at += packed.size();
      return true;
    });
  };
  EXPECT_GT(blocks.size(), 5u);
  for (const std::vector<std::string>& block : blocks) {
    EXPECT_TRUE(std::ranges::any_of(files, [&](const std::string& file) { return has(file, block); }))
        << "no longer in any file of tic-tac-toe: " << (block.empty() ? "" : block.front());
  }
}

}  // namespace
}  // namespace openseat::games

#include "games/tictactoe/tictactoe.h"

#include <array>
#include <bit>
#include <cstdint>
#include <string>
#include <utility>

#include "core/game_base.h"

namespace openseat::games {
namespace {

// A set of cells: bit 3 * row + column.
using Cells = std::uint16_t;
constexpr Cells kAllCells = 0b111'111'111;
constexpr std::array<Cells, 8> kLines = {0b000'000'111, 0b000'111'000, 0b111'000'000, 0b001'001'001,
                                         0b010'010'010, 0b100'100'100, 0b100'010'001, 0b001'010'100};
constexpr std::array<std::string_view, 2> kMarks = {"X", "O"};
constexpr std::array<std::string_view, 9> kCellNames = {"top left",    "top center",    "top right",
                                                        "middle left", "center",        "middle right",
                                                        "bottom left", "bottom center", "bottom right"};

// Whether a set of cells holds a line, for each of the 512 sets.
constexpr std::array<bool, kAllCells + 1> kHasLine = [] {
  std::array<bool, kAllCells + 1> table{};
  for (unsigned cells = 0; cells <= kAllCells; ++cells) {
    for (const Cells line : kLines) table[cells] = table[cells] || (cells & line) == line;
  }
  return table;
}();

struct Board {
  std::array<Cells, 2> taken{};  // by each seat

  Cells Free() const { return static_cast<Cells>(kAllCells & ~(taken[0] | taken[1])); }
  // X starts, and they take turns.
  SeatIndex Turn() const { return static_cast<SeatIndex>(std::popcount(Free()) + 1) % 2; }
  bool Won(SeatIndex seat) const { return kHasLine[taken[seat]]; }
  bool Over() const { return Won(0) || Won(1) || Free() == 0; }
  std::string_view At(int cell) const {
    for (SeatIndex seat = 0; seat < 2; ++seat) {
      if ((taken[seat] >> cell & 1) != 0) return kMarks[seat];
    }
    return " ";
  }
  bool operator==(const Board&) const = default;
};

json::Value PositionOf(int cell) {
  return json::Array{cell / 3, cell % 3};
}

ActionSpec MoveAction(Cells free) {
  json::Array positions;
  for (int cell = 0; cell < 9; ++cell) {
    if ((free >> cell & 1) != 0) positions.push_back(PositionOf(cell));
  }
  return {.name = "move",
          .description = "Put your mark on a free cell. `position` is [row, column], each 0 to 2, from the top left.",
          .schema = OneMemberSchema("position", json::Object{{"enum", std::move(positions)}})};
}

const GameInfo& Info() {
  static const GameInfo info = {
      .id = "tictactoe",
      .title = "Tic-Tac-Toe",
      .description = "Three in a row on a board of three by three",
      .rules =
          "Two players, X and O, take turns to put their mark on a free cell of a board of 3 rows and 3 columns. X "
          "begins. The first player with three marks in a row, in a column or on a diagonal wins. If the board fills "
          "up without that, it is a draw.",
      .guide =
          "Take the first of these that applies:\n\n"
          "1. Win: complete a line that has two of your marks and a free cell.\n"
          "2. Block: take the free cell of a line that has two marks of the other player.\n"
          "3. Fork: take a cell that gives you two lines with two marks and a free cell each.\n"
          "4. Stop a fork of the other player: take that cell, or make two in a line elsewhere, so that the answer "
          "to it is not the fork.\n"
          "5. The center, then the corner opposite to one of theirs, then any corner, then a side.\n\n"
          "A player who follows this list never loses.",
      .roles = {"X", "O"},
      .options_schema = json::Object{{"type", "object"}, {"additionalProperties", false}},
      .actions = {MoveAction(kAllCells)},
      .max_moves = 9,
      .draws = true,
  };
  return info;
}

class TicTacToeState final : public MoveState<TicTacToeState, Board> {
 public:
  using MoveState::MoveState;

  SeatSet Awaited() const override { return position().Over() ? SeatSet() : SeatSet{position().Turn()}; }

  std::vector<ActionSpec> Actions(SeatIndex seat) const override {
    if (!Awaited().Contains(seat)) return {};
    return {MoveAction(position().Free())};
  }

  std::size_t Moves(SeatIndex seat, std::span<Move> out) const override {
    if (!Awaited().Contains(seat)) return 0;
    std::size_t count = 0;
    for (unsigned free = position().Free(); free != 0; free &= free - 1) {
      if (count < out.size()) out[count] = static_cast<Move>(std::countr_zero(free));
      ++count;
    }
    return count;
  }

  void ApplyMove(SeatIndex seat, Move cell) override {
    position().taken[seat] = static_cast<Cells>(position().taken[seat] | 1u << cell);
  }

  PlayedChoice ToChoice(SeatIndex, Move cell) const override {
    return {"move", json::Object{{"position", PositionOf(static_cast<int>(cell))}}};
  }

  std::string MoveLabel(SeatIndex, Move cell) const override { return std::string(kCellNames[cell]); }

  json::Value Observe(Viewer) const override {
    json::Array rows;
    for (int row = 0; row < 3; ++row) {
      rows.push_back(json::Array{position().At(3 * row), position().At(3 * row + 1), position().At(3 * row + 2)});
    }
    return json::Object{
        {"X", name(0)}, {"O", name(1)}, {"turn", kMarks[position().Turn()]}, {"board", std::move(rows)}};
  }

  std::string Describe(SeatIndex seat) const override {
    std::string text = "You are **" + std::string(kMarks[seat]) + "**; " + name(1 - seat) + " is " +
                       std::string(kMarks[1 - seat]) + ".\n\n```\n    0   1   2\n";
    for (int row = 0; row < 3; ++row) {
      if (row > 0) text += "   ---+---+---\n";
      text += std::to_string(row) + " ";
      for (int column = 0; column < 3; ++column) {
        text += (column == 0 ? "  " : " | ") + std::string(position().At(3 * row + column));
      }
      text += "\n";
    }
    text += "```\n";
    if (const std::optional<Outcome> outcome = GetOutcome()) {
      return text +
             (outcome->winners.empty()          ? "\nIt is a draw: "
              : outcome->winners.Contains(seat) ? "\nYou won: "
                                                : "\nYou lost: ") +
             outcome->reason + ".\n";
    }
    return text + (position().Turn() == seat ? "" : "\nIt is " + name(1 - seat) + "'s turn.\n");
  }

  std::vector<std::string> News(const GameState& before, Viewer) const override {
    const Board& was = static_cast<const TicTacToeState&>(before).position();
    std::vector<std::string> lines;
    for (SeatIndex seat = 0; seat < 2; ++seat) {
      for (unsigned fresh = position().taken[seat] & ~was.taken[seat]; fresh != 0; fresh &= fresh - 1) {
        lines.push_back(name(seat) + " put " + std::string(kMarks[seat]) + " in the " +
                        std::string(kCellNames[static_cast<std::size_t>(std::countr_zero(fresh))]) + ".");
      }
    }
    return lines;
  }

  std::optional<Outcome> GetOutcome() const override {
    for (SeatIndex seat = 0; seat < 2; ++seat) {
      if (position().Won(seat)) {
        return Outcome{{seat}, seat == 0 ? std::vector{1.0, 0.0} : std::vector{0.0, 1.0}, "three in a row"};
      }
    }
    if (position().Free() != 0) return std::nullopt;
    return Outcome{{}, {0.5, 0.5}, "the board is full"};
  }

  json::Value Serialize() const override {
    std::string board;
    for (int cell = 0; cell < 9; ++cell) board += position().At(cell);
    return json::Object{{"names", NamesJson()}, {"board", board}};
  }

 protected:
  const GameInfo& game_info() const override { return Info(); }

  Result<Move> Read(SeatIndex, std::string_view, const json::Value& data) const override {
    if (auto members = CheckMembers(data, {"position"}); !members) return Fail(members.error());
    const json::Value& given = *json::Find(data, "position");
    const json::Array* pair = given.if_array();
    const auto row = pair != nullptr && pair->size() == 2 ? IntegerOf((*pair)[0]) : std::nullopt;
    const auto column = row ? IntegerOf((*pair)[1]) : std::nullopt;
    if (!column) {
      return Fail(ErrorCode::kIncorrectData,
                  "position must be [row, column], two whole numbers; got " + json::Excerpt(given), "position");
    }
    if (*row < 0 || *row > 2 || *column < 0 || *column > 2) {
      return Fail(ErrorCode::kIncorrectMove, "row and column must be 0 to 2; got " + json::Excerpt(given), "position");
    }
    const int cell = static_cast<int>(3 * *row + *column);
    if ((position().Free() >> cell & 1) == 0) {
      return Fail(ErrorCode::kIncorrectMove,
                  "position " + json::Excerpt(given) + " is taken by " + std::string(position().At(cell)), "position");
    }
    return static_cast<Move>(cell);
  }

  json::Value ResultOf(SeatIndex seat, Move cell) const override {
    return json::Object{
        {"updated", json::Object{{"position", json::Array{cell / 3, cell % 3}}, {"value", kMarks[seat]}}}};
  }
};

class TicTacToe final : public Game {
 public:
  const GameInfo& info() const override { return Info(); }

  Result<std::unique_ptr<GameState>> NewGame(const json::Value& options, std::uint64_t,
                                             std::vector<std::string> names) const override {
    if (auto known = CheckOptions(options, {}); !known) return Fail(known.error());
    Result<PlayerNames> players = CheckNames(Info(), std::move(names));
    if (!players) return Fail(players.error());
    return std::make_unique<TicTacToeState>(*std::move(players), Board{});
  }

  Result<std::unique_ptr<GameState>> Restore(const json::Value& serialized) const override {
    Result<PlayerNames> players = RestoreNames(Info(), serialized);
    if (!players) return Fail(players.error());
    const json::Value* cells = json::Find(serialized, "board");
    if (cells == nullptr || !cells->is_string() || cells->get_string().size() != 9) return BadBoard();
    Board board;
    for (int cell = 0; cell < 9; ++cell) {
      const char mark = cells->get_string()[static_cast<std::size_t>(cell)];
      if (mark != 'X' && mark != 'O' && mark != ' ') return BadBoard();
      if (mark != ' ') board.taken[mark == 'O'] |= static_cast<Cells>(1u << cell);
    }
    const int lead = std::popcount(board.taken[0]) - std::popcount(board.taken[1]);
    // Only the player who moved last can have a line.
    const bool reached = (lead == 0 && !board.Won(0)) || (lead == 1 && !board.Won(1));
    if (!reached) return BadBoard();
    return std::make_unique<TicTacToeState>(*std::move(players), board);
  }

 private:
  static tl::unexpected<Error> BadBoard() {
    return Fail(ErrorCode::kInvalid, "board must be nine of X, O and blank that a game can lead to", "board");
  }
};

}  // namespace

std::unique_ptr<Game> MakeTicTacToe() {
  return std::make_unique<TicTacToe>();
}

}  // namespace openseat::games

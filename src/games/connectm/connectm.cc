#include "games/connectm/connectm.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/game_base.h"
#include "core/heuristics.h"
#include "games/connectm/board.h"
#include "games/connectm/tactics.h"

namespace openseat::games {
namespace {

constexpr std::array<std::string_view, 2> kColours = {"R", "Y"};
constexpr std::array<std::string_view, 2> kColourWords = {"red", "yellow"};
constexpr BoardSize kDefault;

// How many words a board needs: Connect Four and boards of its size fit into one, which is fast; every other size takes
// seven.
constexpr std::size_t kLargeWords = 7;
static_assert(kDefault.Bits() <= 64);
static_assert(BoardSize{kMaxSide, kMaxSide, 4}.Bits() <= static_cast<int>(64 * kLargeWords));

ActionSpec DropAction(json::Value column_schema) {
  return {.name = "drop",
          .description = "Drop one of your discs into a column; columns count from 0 at the left.",
          .schema = OneMemberSchema("column", std::move(column_schema))};
}

ActionSpec InfoAction() {
  return {.name = "drop_info",
          .description = "Ask which columns have room, and where a disc of each color would win.",
          .schema = nullptr,
          .any_time = true};
}

json::Value IntegerSchema(int low, int high, int fallback) {
  return json::Object{{"type", "integer"}, {"minimum", low}, {"maximum", high}, {"default", fallback}};
}

const GameInfo& Info() {
  static const GameInfo info = {
      .id = "connectm",
      .title = "Connect-M",
      .description = "Drop discs into columns and be the first with M in a line; Connect Four unless asked otherwise",
      .rules =
          "Two players, red and yellow, take turns to drop a disc of their color into a column of an upright board, "
          "where it falls on top of the discs already there. Red begins. The first player with M discs in a line "
          "(across, up or diagonal) wins; in Connect Four the board has 6 rows and 7 columns, and M is 4. If the board "
          "fills up without that, it is a draw. Columns count from 0 at the left.",
      .guide =
          "Before each move, look at every column: where would a disc fall, and what could be put on top of it?\n\n"
          "- If a column wins at once, play it. If the other player could win in a column at their next move, play "
          "there.\n"
          "- Never play below a cell in which the other player would win, except to win yourself.\n"
          "- Look for a move after which you threaten to win in two columns: only one of them can be blocked.\n"
          "- The middle columns are part of the most lines. Begin there.\n"
          "- When no quick win is left, count who will have to play below a threat: on a board with an even number "
          "of rows, red wants threats in odd rows (counted from 1 at the bottom), yellow in even rows.",
      .roles = {"Red", "Yellow"},
      .options_schema =
          json::Object{{"type", "object"},
                       {"properties", json::Object{{"rows", IntegerSchema(1, kMaxSide, kDefault.rows)},
                                                   {"columns", IntegerSchema(1, kMaxSide, kDefault.columns)},
                                                   {"m", IntegerSchema(2, kMaxSide, kDefault.m)}}},
                       {"additionalProperties", false}},
      .actions = {DropAction(json::Object{{"type", "integer"}, {"minimum", 0}, {"maximum", kMaxSide - 1}}),
                  InfoAction()},
      .max_moves = kMaxSide,
      .draws = true,
  };
  return info;
}

template <std::size_t kWords>
class ConnectMState final : public MoveState<ConnectMState<kWords>, Board<kWords>> {
 public:
  using Base = MoveState<ConnectMState<kWords>, Board<kWords>>;
  using Base::Base;

  const Board<kWords>& board() const { return this->position(); }

  SeatSet Awaited() const override { return board().Over() ? SeatSet() : SeatSet{board().Turn()}; }

  std::vector<ActionSpec> Actions(SeatIndex seat) const override {
    if (!Awaited().Contains(seat)) return {InfoAction()};
    json::Array open;
    for (int column = 0; column < columns(); ++column) {
      if (board().CanDrop(column)) open.emplace_back(column);
    }
    return {DropAction(json::Object{{"enum", std::move(open)}}), InfoAction()};
  }

  std::size_t Moves(SeatIndex seat, std::span<Move> out) const override {
    if (!Awaited().Contains(seat)) return 0;
    std::size_t count = 0;
    for (int column = 0; column < columns(); ++column) {
      if (!board().CanDrop(column)) continue;
      if (count < out.size()) out[count] = static_cast<Move>(column);
      ++count;
    }
    return count;
  }

  void ApplyMove(SeatIndex, Move column) override { this->position().Drop(static_cast<int>(column)); }

  PlayedChoice ToChoice(SeatIndex, Move column) const override { return {"drop", Column(column)}; }

  std::string MoveLabel(SeatIndex, Move column) const override { return "column " + std::to_string(column); }

  json::Value Observe(Viewer) const override {
    json::Array rows;
    for (int row = board().size().rows - 1; row >= 0; --row) {
      json::Array cells;
      for (int column = 0; column < columns(); ++column) cells.emplace_back(At(row, column));
      rows.push_back(std::move(cells));
    }
    return json::Object{{"turn", this->name(board().Turn())},
                        {"players", json::Object{{this->name(0), kColours[0]}, {this->name(1), kColours[1]}}},
                        {"board", std::move(rows)}};
  }

  std::string Describe(SeatIndex seat) const override {
    const std::string& other = this->name(1 - seat);
    std::string text = "You are **" + std::string(kColourWords[seat]) + "** (`" + std::string(kColours[seat]) + "`); " +
                       other + " is " + std::string(kColourWords[1 - seat]) + " (`" + std::string(kColours[1 - seat]) +
                       "`). " + std::to_string(board().size().m) + " in a line win.\n\n```\n";
    for (int row = board().size().rows - 1; row >= 0; --row) {
      for (int column = 0; column < columns(); ++column) {
        const auto disc = board().At(row, column);
        text += "  " + std::string(disc ? kColours[*disc] : ".");
      }
      text += "\n";
    }
    for (int column = 0; column < columns(); ++column) text += (column < 10 ? "  " : " ") + std::to_string(column);
    text += "\n```\n";
    if (const std::optional<Outcome> outcome = GetOutcome()) {
      return text +
             (outcome->winners.empty()          ? "\nIt is a draw: "
              : outcome->winners.Contains(seat) ? "\nYou won: "
                                                : "\nYou lost: ") +
             outcome->reason + ".\n";
    }
    return text + (board().Turn() == seat ? "" : "\nIt is " + other + "'s turn.\n");
  }

  std::vector<std::string> News(const GameState& before, Viewer) const override {
    const Board<kWords>& was = static_cast<const ConnectMState&>(before).board();
    std::vector<std::string> lines;
    for (int column = 0; column < columns(); ++column) {
      for (int row = was.Height(column); row < board().Height(column); ++row) {
        const SeatIndex seat = *board().At(row, column);
        lines.push_back(this->name(seat) + " (" + std::string(kColourWords[seat]) + ") dropped in column " +
                        std::to_string(column) + ".");
      }
    }
    return lines;
  }

  std::optional<Outcome> GetOutcome() const override {
    if (const std::optional<SeatIndex> winner = board().Winner()) {
      return Outcome{{*winner},
                     *winner == 0 ? std::vector{1.0, 0.0} : std::vector{0.0, 1.0},
                     std::to_string(board().size().m) + " in a line"};
    }
    if (!board().Full()) return std::nullopt;
    return Outcome{{}, {0.5, 0.5}, "the board is full"};
  }

  json::Value Serialize() const override {
    json::Array discs;  // for each column, from the bottom
    for (int column = 0; column < columns(); ++column) {
      std::string colors;
      for (int row = 0; row < board().Height(column); ++row) colors += At(row, column);
      discs.emplace_back(colors);
    }
    return json::Object{{"names", this->NamesJson()},
                        {"rows", board().size().rows},
                        {"columns", columns()},
                        {"m", board().size().m},
                        {"discs", std::move(discs)}};
  }

 protected:
  const GameInfo& game_info() const override { return Info(); }

  Result<Move> Read(SeatIndex, std::string_view, const json::Value& data) const override {
    if (auto members = CheckMembers(data, {"column"}); !members) return Fail(members.error());
    const json::Value& given = *json::Find(data, "column");
    const std::optional<std::int64_t> column = IntegerOf(given);
    if (!column) {
      return Fail(ErrorCode::kIncorrectData, "column must be a whole number; got " + json::Excerpt(given), "column");
    }
    if (*column < 0 || *column >= columns()) {
      return Fail(ErrorCode::kIncorrectMove,
                  "column must be 0 to " + std::to_string(columns() - 1) + "; got " + json::Excerpt(given), "column");
    }
    if (!board().CanDrop(static_cast<int>(*column))) {
      return Fail(ErrorCode::kIncorrectMove, "column " + std::to_string(*column) + " is full", "column");
    }
    return static_cast<Move>(*column);
  }

  json::Value ResultOf(SeatIndex, Move column) const override { return Column(column); }

  // The answer to drop_info, the only question.
  json::Value Answer(std::string_view, const json::Value&) const override {
    json::Array can_drop;
    std::array<json::Array, 2> wins;
    for (int column = 0; column < columns(); ++column) {
      const bool open = board().CanDrop(column);
      can_drop.emplace_back(open);
      for (SeatIndex seat = 0; seat < 2; ++seat) wins[seat].emplace_back(open && board().Wins(column, seat));
    }
    return json::Object{{"can_drop", std::move(can_drop)},
                        {"drop_wins", json::Object{{"Y", std::move(wins[1])}, {"R", std::move(wins[0])}}}};
  }

 private:
  int columns() const { return board().size().columns; }
  static json::Value Column(Move column) { return json::Object{{"column", static_cast<int>(column)}}; }
  std::string_view At(int row, int column) const {
    const std::optional<SeatIndex> seat = board().At(row, column);
    return seat ? kColours[*seat] : " ";
  }
};

class ConnectMHeuristics final : public Heuristics {
 private:
  // Calls it with the state's board.
  template <typename F>
  static auto On(const GameState& state, F judge) {
    if (typeid(state) == typeid(ConnectMState<1>)) return judge(static_cast<const ConnectMState<1>&>(state).board());
    return judge(static_cast<const ConnectMState<kLargeWords>&>(state).board());
  }

 public:
  Move Rollout(const GameState& state, SeatIndex, std::span<const Move> moves, Rng& rng) const override {
    return On(state, [&](const auto& board) { return Tactics(board).Pick(moves, rng); });
  }
  void Weigh(const GameState& state, SeatIndex, std::span<const Move> moves, std::span<float> weights) const override {
    On(state, [&](const auto& board) { Tactics(board).Weigh(moves, weights); });
  }
};

class ConnectM final : public Game {
 public:
  const Heuristics* heuristics() const override { return &heuristics_; }
  const GameInfo& info() const override { return Info(); }

  Result<std::unique_ptr<GameState>> NewGame(const json::Value& options, std::uint64_t,
                                             std::vector<std::string> names) const override {
    if (auto known = CheckOptions(options, {"rows", "columns", "m"}); !known) return Fail(known.error());
    const Result<BoardSize> size = ReadSize(options);
    if (!size) return Fail(size.error());
    Result<PlayerNames> players = CheckNames(Info(), std::move(names));
    if (!players) return Fail(players.error());
    return Make(*std::move(players), *size, {});
  }

  Result<std::unique_ptr<GameState>> Restore(const json::Value& saved) const override {
    Result<PlayerNames> players = RestoreNames(Info(), saved);
    if (!players) return Fail(players.error());
    const Result<BoardSize> size = ReadSize(saved);
    if (!size) return Fail(size.error());
    const json::Value* columns = json::Find(saved, "discs");
    if (columns == nullptr || !columns->is_array()) return BadDiscs();
    Discs discs;
    for (const json::Value& column : columns->get_array()) {
      if (!column.is_string()) return BadDiscs();
      discs.emplace_back(json::View(column.get_string()));
    }
    return Make(*std::move(players), *size, discs);
  }

 private:
  const ConnectMHeuristics heuristics_{};

  using Discs = std::vector<std::string>;  // the colors in each column, from the bottom

  static Result<BoardSize> ReadSize(const json::Value& options) {
    const Result<int> rows = IntegerOption(options, "rows", kDefault.rows, 1, kMaxSide);
    if (!rows) return Fail(rows.error());
    const Result<int> columns = IntegerOption(options, "columns", kDefault.columns, 1, kMaxSide);
    if (!columns) return Fail(columns.error());
    // Nobody could ever have a line that is longer than either side.
    const int longest = std::max(*rows, *columns);
    if (longest < 2) return Fail(ErrorCode::kInvalid, "a board of one cell has no lines", "rows");
    const Result<int> m = IntegerOption(options, "m", std::min(kDefault.m, longest), 2, longest);
    if (!m) return Fail(m.error());
    return BoardSize{*rows, *columns, *m};
  }

  static Result<std::unique_ptr<GameState>> Make(PlayerNames players, BoardSize size, const Discs& discs) {
    if (size.Bits() <= 64) return MakeSized<1>(std::move(players), size, discs);
    return MakeSized<kLargeWords>(std::move(players), size, discs);
  }

  template <std::size_t kWords>
  static Result<std::unique_ptr<GameState>> MakeSized(PlayerNames players, BoardSize size, const Discs& discs) {
    Board<kWords> board(size);
    if (discs.size() > static_cast<std::size_t>(size.columns)) return BadDiscs();
    for (int column = 0; column < static_cast<int>(discs.size()); ++column) {
      for (const char color : discs[static_cast<std::size_t>(column)]) {
        if ((color != 'R' && color != 'Y') || !board.Put(column, color == 'Y')) return BadDiscs();
      }
    }
    if (!board.Settle()) return BadDiscs();
    return std::make_unique<ConnectMState<kWords>>(std::move(players), board);
  }

  static tl::unexpected<Error> BadDiscs() {
    return Fail(ErrorCode::kInvalid, "discs must be columns of R and Y, from the bottom, that a game can lead to",
                "discs");
  }
};

}  // namespace

std::unique_ptr<Game> MakeConnectM() {
  return std::make_unique<ConnectM>();
}

}  // namespace openseat::games

#include "testing/roll_call.h"

#include <utility>

#include "core/game_base.h"

namespace openseat::testing {
namespace {

struct Called {
  SeatIndex count = 0;
  bool operator==(const Called&) const = default;
};

const GameInfo& Info() {
  static const GameInfo info = {
      .id = "roll-call",
      .title = "Roll Call",
      .description = "Each says that it is here, for tests",
      .rules = "In turn each player says that it is here. Then it is a draw.",
      .min_seats = 2,
      .max_seats = 4,
      .roles = {"First", "Second", "Third", "Fourth"},
      .options_schema = json::Object{{"type", "object"}, {"additionalProperties", false}},
      .actions = {{.name = "here", .description = "Say that you are here.", .schema = nullptr}},
      .max_moves = 1,
  };
  return info;
}

class RollCallState final : public MoveState<RollCallState, Called> {
 public:
  using MoveState::MoveState;

  SeatSet Awaited() const override {
    if (position().count == names().size()) return {};
    return {position().count};
  }
  std::vector<ActionSpec> Actions(SeatIndex seat) const override {
    if (!Awaited().Contains(seat)) return {};
    return Info().actions;
  }
  std::size_t Moves(SeatIndex seat, std::span<Move> out) const override {
    if (!Awaited().Contains(seat)) return 0;
    if (!out.empty()) out[0] = 0;
    return 1;
  }
  void ApplyMove(SeatIndex, Move) override { ++position().count; }
  PlayedChoice ToChoice(SeatIndex, Move) const override { return {"here", nullptr}; }
  json::Value Observe(Viewer) const override {
    return json::Object{{"players", NamesJson()}, {"here", position().count}};
  }
  std::string Describe(SeatIndex seat) const override {
    return "You are " + name(seat) + ". " + std::to_string(position().count) + " have said that they are here.\n";
  }
  std::vector<std::string> News(const GameState& before, Viewer) const override {
    std::vector<std::string> lines;
    for (SeatIndex seat = before.Awaited().First(); seat < position().count; ++seat)
      lines.push_back(name(seat) + " is here.");
    return lines;
  }
  std::optional<Outcome> GetOutcome() const override {
    if (!Awaited().empty()) return std::nullopt;
    return Outcome{{}, std::vector<double>(names().size(), 0), "all are here"};
  }
  json::Value Serialize() const override { return json::Object{{"names", NamesJson()}, {"count", position().count}}; }

 private:
  const GameInfo& game_info() const override { return Info(); }
  Result<Move> Read(SeatIndex, std::string_view, const json::Value& data) const override {
    if (auto none = CheckNoData(data); !none) return Fail(none.error());
    return Move{0};
  }
  json::Value ResultOf(SeatIndex seat, Move) const override { return json::Object{{"heard", name(seat)}}; }
};

class RollCall final : public Game {
 public:
  const GameInfo& info() const override { return Info(); }
  Result<std::unique_ptr<GameState>> NewGame(const json::Value& options, std::uint64_t,
                                             std::vector<std::string> names) const override {
    if (auto known = CheckOptions(options, {}); !known) return Fail(known.error());
    Result<PlayerNames> players = CheckNames(Info(), std::move(names));
    if (!players) return Fail(players.error());
    return std::make_unique<RollCallState>(*std::move(players), Called{});
  }
  Result<std::unique_ptr<GameState>> Restore(const json::Value& saved) const override {
    Result<PlayerNames> players = RestoreNames(Info(), saved);
    if (!players) return Fail(players.error());
    const json::Value* count = json::Find(saved, "count");
    const auto number = count == nullptr ? std::nullopt : IntegerOf(*count);
    if (!number || *number < 0 || static_cast<std::uint64_t>(*number) > players->size()) {
      return Fail(ErrorCode::kInvalid, "count must be how many have been called", "count");
    }
    return std::make_unique<RollCallState>(*std::move(players), Called{static_cast<SeatIndex>(*number)});
  }
};

}  // namespace

std::unique_ptr<Game> MakeRollCall() {
  return std::make_unique<RollCall>();
}

}  // namespace openseat::testing

#include "games/p1_wins/p1_wins.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/game_base.h"

namespace openseat::games {
namespace {

constexpr std::array<std::string_view, 3> kExamples = {"I win", "You win", "Nobody wins"};

struct Phrases {
  std::array<std::optional<std::string>, 2> said{};
  bool operator==(const Phrases&) const = default;
};

const GameInfo& Info() {
  static const GameInfo info = {
      .id = "p1-wins",
      .title = "Player One Wins",
      .description = "Each player says a phrase, then player one wins: for testing clients",
      .rules = "Player one says a phrase, then player two says one. Player one wins.",
      .roles = {"Player 1", "Player 2"},
      .options_schema = json::Object{{"type", "object"}, {"additionalProperties", false}},
      .actions = {{.name = "move",
                   .description = "Say a phrase, any text.",
                   .schema = OneMemberSchema("phrase", json::Object{{"type", "string"}})}},
      .hidden = true,
      .max_moves = kExamples.size(),
      .moves_complete = false,
  };
  return info;
}

class PlayerOneWinsState final : public PositionState<PlayerOneWinsState, Phrases> {
 public:
  using PositionState::PositionState;

  SeatSet Awaited() const override {
    for (SeatIndex seat = 0; seat < 2; ++seat) {
      if (!position().said[seat]) return {seat};
    }
    return {};
  }

  std::vector<ActionSpec> Actions(SeatIndex seat) const override {
    if (!Awaited().Contains(seat)) return {};
    return Info().actions;
  }

  Result<void> Validate(SeatIndex seat, std::string_view action, const json::Value& data) const override {
    if (const auto spec = CheckAction(Info(), *this, seat, action); !spec) return Fail(spec.error());
    if (auto members = CheckMembers(data, {"phrase"}); !members) return Fail(members.error());
    const json::Value& phrase = *json::Find(data, "phrase");
    if (!phrase.is_string()) {
      return Fail(ErrorCode::kIncorrectData, "phrase must be a string; got " + json::Excerpt(phrase), "phrase");
    }
    return {};
  }

  json::Value Apply(SeatIndex seat, std::string_view, const json::Value& data) override {
    const json::Value& phrase = *json::Find(data, "phrase");
    position().said[seat] = std::string(json::View(phrase.get_string()));
    return json::Object{{"received", phrase}};
  }

  std::size_t Moves(SeatIndex seat, std::span<Move> out) const override {
    if (!Awaited().Contains(seat)) return 0;
    for (Move move = 0; move < kExamples.size() && move < out.size(); ++move) out[move] = move;
    return kExamples.size();
  }

  void ApplyMove(SeatIndex seat, Move move) override { position().said[seat] = std::string(kExamples[move]); }

  PlayedChoice ToChoice(SeatIndex, Move move) const override {
    return {"move", json::Object{{"phrase", kExamples[move]}}};
  }

  std::string MoveLabel(SeatIndex, Move move) const override { return std::string(kExamples[move]); }

  json::Value Observe(Viewer) const override {
    return json::Object{{"player1_phrase", Said(0)}, {"player2_phrase", Said(1)}};
  }

  std::string Describe(SeatIndex seat) const override {
    std::string text = "You are **" + name(seat) + "**, player " + std::to_string(seat + 1) + ".\n";
    if (GetOutcome()) return text + (seat == 0 ? "\nYou won.\n" : "\nYou lost.\n");
    return text + (Awaited().Contains(seat) ? "" : "\nIt is " + name(1 - seat) + "'s turn.\n");
  }

  std::vector<std::string> News(const GameState& before, Viewer) const override {
    const Phrases& was = static_cast<const PlayerOneWinsState&>(before).position();
    std::vector<std::string> lines;
    for (SeatIndex seat = 0; seat < 2; ++seat) {
      // As JSON, it is one line.
      if (!was.said[seat] && position().said[seat])
        lines.push_back(name(seat) + " said " + json::Write(Said(seat)) + ".");
    }
    return lines;
  }

  std::optional<Outcome> GetOutcome() const override {
    if (!Awaited().empty()) return std::nullopt;
    return Outcome{{0}, {1, 0}, "player one always wins"};
  }

  json::Value Serialize() const override {
    return json::Object{{"names", NamesJson()}, {"phrases", json::Array{Said(0), Said(1)}}};
  }

 private:
  json::Value Said(SeatIndex seat) const {
    return position().said[seat] ? json::Value(*position().said[seat]) : json::Value();
  }
};

class PlayerOneWins final : public Game {
 public:
  const GameInfo& info() const override { return Info(); }

  Result<std::unique_ptr<GameState>> NewGame(const json::Value& options, std::uint64_t,
                                             std::vector<std::string> names) const override {
    if (auto known = CheckOptions(options, {}); !known) return Fail(known.error());
    Result<PlayerNames> players = CheckNames(Info(), std::move(names));
    if (!players) return Fail(players.error());
    return std::make_unique<PlayerOneWinsState>(*std::move(players), Phrases{});
  }

  Result<std::unique_ptr<GameState>> Restore(const json::Value& saved) const override {
    Result<PlayerNames> players = RestoreNames(Info(), saved);
    if (!players) return Fail(players.error());
    const json::Value* said = json::Find(saved, "phrases");
    if (said == nullptr || !said->is_array() || said->get_array().size() != 2) return BadPhrases();
    Phrases phrases;
    for (std::size_t seat = 0; seat < 2; ++seat) {
      const json::Value& phrase = said->get_array()[seat];
      if (!phrase.is_string() && !phrase.is_null()) return BadPhrases();
      if (phrase.is_string()) phrases.said[seat] = std::string(json::View(phrase.get_string()));
    }
    if (phrases.said[1] && !phrases.said[0]) return BadPhrases();
    return std::make_unique<PlayerOneWinsState>(*std::move(players), std::move(phrases));
  }

 private:
  static tl::unexpected<Error> BadPhrases() {
    return Fail(ErrorCode::kInvalid, "phrases must be two strings, or null for those not said yet", "phrases");
  }
};

}  // namespace

std::unique_ptr<Game> MakePlayerOneWins() {
  return std::make_unique<PlayerOneWins>();
}

}  // namespace openseat::games

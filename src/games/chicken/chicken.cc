#include "games/chicken/chicken.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/game_base.h"

namespace openseat::games {
namespace {

constexpr int kMaxRounds = 1000;

using Pair = std::array<bool, 2>;  // who swerved, by seat

std::array<int, 2> PointsOf(const Pair& swerved) {
  if (swerved[0] && swerved[1]) return {1, 1};
  if (swerved[0]) return {0, 3};
  if (swerved[1]) return {3, 0};
  return {0, 0};
}

struct Match {
  int max_rounds = kMaxRounds;
  std::vector<Pair> rounds{};                   // only complete rounds
  std::array<std::optional<bool>, 2> chosen{};  // in the current round

  bool Crashed() const { return !rounds.empty() && !rounds.back()[0] && !rounds.back()[1]; }
  bool Over() const { return Crashed() || static_cast<int>(rounds.size()) == max_rounds; }
  std::array<int, 2> Points() const {
    std::array<int, 2> points{};
    for (const Pair& round : rounds) {
      for (std::size_t seat = 0; seat < 2; ++seat) points[seat] += PointsOf(round)[seat];
    }
    return points;
  }
  bool operator==(const Match&) const = default;
};

const GameInfo& Info() {
  static const GameInfo info = {
      .id = "chicken",
      .title = "Chicken",
      .description = "Swerve or go straight, both at once, round after round until neither swerves",
      .rules =
          "Two drivers race towards each other, round after round. In each round both choose at the same time, without "
          "seeing the other's choice, to swerve or to go straight. If both swerve, each gets 1 point. If one swerves, "
          "the one who went straight gets 3 points and the other gets none. If neither swerves, both crash: nobody "
          "gets a point and the match is over. Then the driver with more points wins; equal points are a draw.",
      .guide =
          "Only the difference of points counts, and a crash ends the match. Who is ahead gains by going straight: "
          "a crash then wins the match. Who is behind has to go straight alone, so it should swerve when a crash "
          "is likely and go straight when the other has reason to swerve. When the points are equal, mix both at "
          "random, so that nobody can rely on what you will do, and watch how often the other one swerves. Near "
          "the last round, think about who wins if it ends now.",
      .roles = {"Player 1", "Player 2"},
      .options_schema =
          json::Object{{"type", "object"},
                       {"properties", json::Object{{"max_rounds", json::Object{{"type", "integer"},
                                                                               {"minimum", 1},
                                                                               {"maximum", kMaxRounds},
                                                                               {"default", kMaxRounds}}}}},
                       {"additionalProperties", false}},
      .actions = {{.name = "move",
                   .description = "Choose for this round: `swerve` true to swerve, false to go straight.",
                   .schema = OneMemberSchema("swerve", json::Object{{"type", "boolean"}})}},
      .hides = true,
      .max_moves = 2,
  };
  return info;
}

class ChickenState final : public MoveState<ChickenState, Match> {
 public:
  using MoveState::MoveState;

  SeatSet Awaited() const override {
    SeatSet seats;
    for (SeatIndex seat = 0; seat < 2; ++seat) {
      if (!position().Over() && !position().chosen[seat]) seats.Insert(seat);
    }
    return seats;
  }

  std::vector<ActionSpec> Actions(SeatIndex seat) const override {
    if (!Awaited().Contains(seat)) return {};
    return Info().actions;
  }

  std::size_t Moves(SeatIndex seat, std::span<Move> out) const override {
    if (!Awaited().Contains(seat)) return 0;
    for (Move move = 0; move < 2 && move < out.size(); ++move) out[move] = move;
    return 2;
  }

  void ApplyMove(SeatIndex seat, Move swerve) override {
    Match& match = position();
    match.chosen[seat] = swerve != 0;
    if (!match.chosen[0] || !match.chosen[1]) return;
    match.rounds.push_back({*match.chosen[0], *match.chosen[1]});
    match.chosen = {};
  }

  PlayedChoice ToChoice(SeatIndex, Move swerve) const override {
    return {"move", json::Object{{"swerve", swerve != 0}}};
  }

  std::string MoveLabel(SeatIndex, Move swerve) const override { return swerve != 0 ? "Swerve" : "Go straight"; }

  std::unique_ptr<GameState> Sample(SeatIndex seat, Rng&) const override {
    auto sample = std::make_unique<ChickenState>(*this);
    // Whether the other player has chosen in this round is hidden, so the sample may leave it open.
    sample->position().chosen[1 - seat].reset();
    return sample;
  }

  json::Value Observe(Viewer) const override {
    json::Array rounds;
    for (const Pair& swerved : position().rounds) {
      const std::array<int, 2> points = PointsOf(swerved);
      rounds.push_back(json::Object{
          {"p1_swerve", swerved[0]}, {"p2_swerve", swerved[1]}, {"p1_points", points[0]}, {"p2_points", points[1]}});
    }
    const std::array<int, 2> points = position().Points();
    return json::Object{{"p1_points", points[0]}, {"p2_points", points[1]}, {"rounds", std::move(rounds)}};
  }

  std::string Describe(SeatIndex seat) const override {
    const Match& match = position();
    const SeatIndex other = 1 - seat;
    std::string text = "You are **" + name(seat) + "**; you drive against " + name(other) + ".\n\n";
    const std::array<int, 2> points = match.Points();
    text +=
        "Points: you " + std::to_string(points[seat]) + ", " + name(other) + " " + std::to_string(points[other]) + ". ";
    if (match.Crashed()) return text + "Neither of you swerved in the last round: the match is over.\n";
    if (match.Over()) return text + "That was the last round.\n";
    text += "This is round " + std::to_string(match.rounds.size() + 1) + " of at most " +
            std::to_string(match.max_rounds) + ".";
    return text + (match.chosen[seat] ? " You have chosen; " + name(other) + " has not.\n" : "\n");
  }

  std::vector<std::string> News(const GameState& before, Viewer) const override {
    return Rounds(static_cast<const ChickenState&>(before).position().rounds.size());
  }

  std::optional<Outcome> GetOutcome() const override {
    if (!position().Over()) return std::nullopt;
    const std::array<int, 2> points = position().Points();
    Outcome outcome;
    if (points[0] != points[1]) outcome.winners.Insert(points[0] > points[1] ? 0 : 1);
    outcome.scores = {static_cast<double>(points[0]), static_cast<double>(points[1])};
    outcome.reason = position().Crashed() ? "neither swerved" : "the last round was played";
    return outcome;
  }

  json::Value Serialize() const override {
    json::Array rounds;
    for (const Pair& round : position().rounds) rounds.push_back(json::Array{round[0], round[1]});
    json::Array chosen;
    for (const std::optional<bool>& swerve : position().chosen) {
      chosen.push_back(swerve ? json::Value(*swerve) : json::Value());
    }
    return json::Object{{"names", NamesJson()},
                        {"max_rounds", position().max_rounds},
                        {"rounds", std::move(rounds)},
                        {"chosen", std::move(chosen)}};
  }

 protected:
  const GameInfo& game_info() const override { return Info(); }

  Result<Move> Read(SeatIndex, std::string_view, const json::Value& data) const override {
    if (auto members = CheckMembers(data, {"swerve"}); !members) return Fail(members.error());
    const json::Value& swerve = *json::Find(data, "swerve");
    if (!swerve.is_bool()) {
      return Fail(ErrorCode::kIncorrectData, "swerve must be true or false; got " + json::Excerpt(swerve), "swerve");
    }
    return Move{swerve.get_bool()};
  }

  json::Value ResultOf(SeatIndex, Move swerve) const override { return json::Object{{"swerve", swerve != 0}}; }

 private:
  // A sentence for each of them, beginning with this one.
  std::vector<std::string> Rounds(std::size_t first) const {
    std::vector<std::string> lines;
    for (std::size_t i = first; i < position().rounds.size(); ++i) {
      const Pair& swerved = position().rounds[i];
      const std::array<int, 2> points = PointsOf(swerved);
      std::string line = "Round " + std::to_string(i + 1) + ": ";
      for (SeatIndex seat = 0; seat < 2; ++seat) {
        line += (seat == 0 ? "" : ", ") + name(seat) + (swerved[seat] ? " swerved (+" : " went straight (+") +
                std::to_string(points[seat]) + ")";
      }
      lines.push_back(line + ".");
    }
    return lines;
  }
};

class Chicken final : public Game {
 public:
  const GameInfo& info() const override { return Info(); }

  Result<std::unique_ptr<GameState>> NewGame(const json::Value& options, std::uint64_t,
                                             std::vector<std::string> names) const override {
    if (auto known = CheckOptions(options, {"max_rounds"}); !known) return Fail(known.error());
    const Result<int> max_rounds = IntegerOption(options, "max_rounds", kMaxRounds, 1, kMaxRounds);
    if (!max_rounds) return Fail(max_rounds.error());
    Result<PlayerNames> players = CheckNames(Info(), std::move(names));
    if (!players) return Fail(players.error());
    return std::make_unique<ChickenState>(*std::move(players), Match{.max_rounds = *max_rounds});
  }

  Result<std::unique_ptr<GameState>> Restore(const json::Value& saved) const override {
    Result<PlayerNames> players = RestoreNames(Info(), saved);
    if (!players) return Fail(players.error());
    const Result<int> max_rounds = IntegerOption(saved, "max_rounds", kMaxRounds, 1, kMaxRounds);
    if (!max_rounds) return Fail(max_rounds.error());
    Match match{.max_rounds = *max_rounds};
    const json::Value* rounds = json::Find(saved, "rounds");
    if (rounds == nullptr || !rounds->is_array()) return Bad("rounds");
    for (const json::Value& round : rounds->get_array()) {
      const json::Array* pair = round.if_array();
      const bool fits = pair != nullptr && pair->size() == 2 && (*pair)[0].is_bool() && (*pair)[1].is_bool();
      if (!fits || match.Over()) return Bad("rounds");
      match.rounds.push_back({(*pair)[0].get_bool(), (*pair)[1].get_bool()});
    }
    const json::Value* chosen = json::Find(saved, "chosen");
    if (chosen == nullptr || !chosen->is_array() || chosen->get_array().size() != 2) return Bad("chosen");
    for (std::size_t seat = 0; seat < 2; ++seat) {
      const json::Value& swerve = chosen->get_array()[seat];
      if (!swerve.is_bool() && !swerve.is_null()) return Bad("chosen");
      if (swerve.is_bool()) match.chosen[seat] = swerve.get_bool();
    }
    const bool both = match.chosen[0] && match.chosen[1];
    const bool any = match.chosen[0] || match.chosen[1];
    if (both || (any && match.Over())) return Bad("chosen");
    return std::make_unique<ChickenState>(*std::move(players), std::move(match));
  }

 private:
  static tl::unexpected<Error> Bad(const std::string& member) {
    return Fail(ErrorCode::kInvalid, "a saved Chicken cannot have these " + member, member);
  }
};

}  // namespace

std::unique_ptr<Game> MakeChicken() {
  return std::make_unique<Chicken>();
}

}  // namespace openseat::games

#include "games/rps/rps.h"

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

constexpr int kDefaultBestOf = 3;
constexpr int kMaxBestOf = 99;
constexpr int kRoundsPerBestOf = 10;
constexpr std::array<std::string_view, 3> kHands = {"rock", "paper", "scissors"};

using Hand = std::uint8_t;  // index into kHands; each beats the one before it
using Pair = std::array<Hand, 2>;

// The seat that won a round.
std::optional<SeatIndex> WinnerOf(const Pair& hands) {
  if (hands[0] == hands[1]) return std::nullopt;
  return (hands[1] + 1) % 3 == hands[0] ? 0 : 1;
}

struct Match {
  int best_of = kDefaultBestOf;
  std::vector<Pair> rounds{};                   // only complete rounds
  std::array<std::optional<Hand>, 2> thrown{};  // in the current round
  std::array<int, 2> wins{};                    // follows from `rounds`

  bool Decided() const { return 2 * std::max(wins[0], wins[1]) > best_of; }
  bool Over() const { return Decided() || static_cast<int>(rounds.size()) == kRoundsPerBestOf * best_of; }
  void Add(const Pair& hands) {
    rounds.push_back(hands);
    if (const auto winner = WinnerOf(hands)) ++wins[*winner];
  }
  bool operator==(const Match&) const = default;
};

std::optional<Hand> HandOf(const json::Value& value) {
  if (!value.is_string()) return std::nullopt;
  const auto found = std::find(kHands.begin(), kHands.end(), json::View(value.get_string()));
  if (found == kHands.end()) return std::nullopt;
  return static_cast<Hand>(found - kHands.begin());
}

const GameInfo& Info() {
  static const GameInfo info = {
      .id = "rps",
      .title = "Rock-Paper-Scissors",
      .description = "Rock breaks scissors, scissors cut paper, paper wraps rock; best of three unless asked otherwise",
      .rules =
          "In each round both players throw a hand at the same time: rock, paper or scissors. Rock beats scissors, "
          "scissors beat paper, paper beats rock; if both throw the same hand, nobody wins the round. A match is best "
          "of N: the first player to win more than half of N rounds wins the match. After ten times N rounds in all, "
          "the player with more rounds won wins; equal wins are a draw.",
      .guide =
          "Against a player who may think as well as you, throw each hand equally often and at random: no plan can "
          "beat that. Leave it only when the rounds so far show a habit, such as a hand that comes too often or a "
          "reaction to the last result, and go back to chance when the habit ends.",
      .roles = {"Player 1", "Player 2"},
      .options_schema =
          json::Object{{"type", "object"},
                       {"properties", json::Object{{"rounds", json::Object{{"type", "integer"},
                                                                           {"minimum", 1},
                                                                           {"maximum", kMaxBestOf},
                                                                           {"not", json::Object{{"multipleOf", 2}}},
                                                                           {"default", kDefaultBestOf}}}}},
                       {"additionalProperties", false}},
      .actions = {{.name = "throw",
                   .description = "Throw your hand for this round. The other player sees it when both have thrown.",
                   .schema =
                       OneMemberSchema("hand", json::Object{{"enum", json::Array(kHands.begin(), kHands.end())}})}},
      .hides = true,
      .max_moves = kHands.size(),
  };
  return info;
}

class RpsState final : public MoveState<RpsState, Match> {
 public:
  using MoveState::MoveState;

  SeatSet Awaited() const override {
    SeatSet seats;
    for (SeatIndex seat = 0; seat < 2; ++seat) {
      if (!position().Over() && !position().thrown[seat]) seats.Insert(seat);
    }
    return seats;
  }

  std::vector<ActionSpec> Actions(SeatIndex seat) const override {
    if (!Awaited().Contains(seat)) return {};
    return Info().actions;
  }

  std::size_t Moves(SeatIndex seat, std::span<Move> out) const override {
    if (!Awaited().Contains(seat)) return 0;
    for (Move move = 0; move < kHands.size() && move < out.size(); ++move) out[move] = move;
    return kHands.size();
  }

  void ApplyMove(SeatIndex seat, Move hand) override {
    Match& match = position();
    match.thrown[seat] = static_cast<Hand>(hand);
    if (!match.thrown[0] || !match.thrown[1]) return;
    match.Add({*match.thrown[0], *match.thrown[1]});
    match.thrown = {};
  }

  PlayedChoice ToChoice(SeatIndex, Move hand) const override { return {"throw", json::Object{{"hand", kHands[hand]}}}; }

  std::string MoveLabel(SeatIndex, Move hand) const override { return std::string(kHands[hand]); }

  std::unique_ptr<GameState> Sample(SeatIndex seat, Rng&) const override {
    auto sample = std::make_unique<RpsState>(*this);
    // Whether the other player has thrown in this round is hidden, so the sample may leave it open.
    sample->position().thrown[1 - seat].reset();
    return sample;
  }

  json::Value Observe(Viewer) const override {
    const Match& match = position();
    json::Array rounds;
    for (const Pair& hands : match.rounds) {
      const auto winner = WinnerOf(hands);
      rounds.push_back(json::Object{{"p1_hand", kHands[hands[0]]},
                                    {"p2_hand", kHands[hands[1]]},
                                    {"winner", winner ? json::Value(name(*winner)) : json::Value()}});
    }
    return json::Object{{"players", NamesJson()},
                        {"best_of", match.best_of},
                        {"p1_wins", match.wins[0]},
                        {"p2_wins", match.wins[1]},
                        {"rounds", std::move(rounds)}};
  }

  std::string Describe(SeatIndex seat) const override {
    const Match& match = position();
    const SeatIndex other = 1 - seat;
    std::string text = "You are **" + name(seat) + "**; you play " + name(other) + ", best of " +
                       std::to_string(match.best_of) + " rounds.\n\n";
    text += "Rounds won: you " + std::to_string(match.wins[seat]) + ", " + name(other) + " " +
            std::to_string(match.wins[other]) + ". ";
    if (match.Over()) {
      return text + (match.wins[seat] == match.wins[other]  ? "The match is a draw.\n"
                     : match.wins[seat] > match.wins[other] ? "You won the match.\n"
                                                            : "You lost the match.\n");
    }
    text += "This is round " + std::to_string(match.rounds.size() + 1) + ".";
    return text + (match.thrown[seat] ? " You have thrown; " + name(other) + " has not.\n" : "\n");
  }

  std::vector<std::string> News(const GameState& before, Viewer) const override {
    return Rounds(static_cast<const RpsState&>(before).position().rounds.size());
  }

  std::optional<Outcome> GetOutcome() const override {
    const Match& match = position();
    if (!match.Over()) return std::nullopt;
    Outcome outcome;
    if (match.wins[0] != match.wins[1]) outcome.winners.Insert(match.wins[0] > match.wins[1] ? 0 : 1);
    outcome.scores = {static_cast<double>(match.wins[0]), static_cast<double>(match.wins[1])};
    outcome.reason = match.Decided() ? "more than half of the rounds won" : "the last round was played";
    return outcome;
  }

  json::Value Serialize() const override {
    json::Array rounds;
    for (const Pair& hands : position().rounds) rounds.push_back(json::Array{kHands[hands[0]], kHands[hands[1]]});
    json::Array thrown;
    for (const std::optional<Hand>& hand : position().thrown) {
      thrown.push_back(hand ? json::Value(kHands[*hand]) : json::Value());
    }
    return json::Object{{"names", NamesJson()},
                        {"best_of", position().best_of},
                        {"rounds", std::move(rounds)},
                        {"thrown", std::move(thrown)}};
  }

 protected:
  const GameInfo& game_info() const override { return Info(); }

  Result<Move> Read(SeatIndex, std::string_view, const json::Value& data) const override {
    if (auto members = CheckMembers(data, {"hand"}); !members) return Fail(members.error());
    const json::Value& given = *json::Find(data, "hand");
    if (const auto hand = HandOf(given)) return Move{*hand};
    return Fail(given.is_string() ? ErrorCode::kIncorrectMove : ErrorCode::kIncorrectData,
                "hand must be rock, paper or scissors; got " + json::Excerpt(given), "hand");
  }

  json::Value ResultOf(SeatIndex, Move hand) const override { return json::Object{{"hand", kHands[hand]}}; }

 private:
  // A sentence for each of them, beginning with this one.
  std::vector<std::string> Rounds(std::size_t first) const {
    std::vector<std::string> lines;
    for (std::size_t i = first; i < position().rounds.size(); ++i) {
      const Pair& hands = position().rounds[i];
      const auto winner = WinnerOf(hands);
      lines.push_back("Round " + std::to_string(i + 1) + ": " + name(0) + " threw " + std::string(kHands[hands[0]]) +
                      ", " + name(1) + " threw " + std::string(kHands[hands[1]]) + "; " +
                      (winner ? name(*winner) : "nobody") + " won it.");
    }
    return lines;
  }
};

class Rps final : public Game {
 public:
  const GameInfo& info() const override { return Info(); }

  Result<std::unique_ptr<GameState>> NewGame(const json::Value& options, std::uint64_t,
                                             std::vector<std::string> names) const override {
    if (auto known = CheckOptions(options, {"rounds"}); !known) return Fail(known.error());
    const Result<int> best_of = BestOf(options, "rounds");
    if (!best_of) return Fail(best_of.error());
    Result<PlayerNames> players = CheckNames(Info(), std::move(names));
    if (!players) return Fail(players.error());
    return std::make_unique<RpsState>(*std::move(players), Match{.best_of = *best_of});
  }

  Result<std::unique_ptr<GameState>> Restore(const json::Value& saved) const override {
    Result<PlayerNames> players = RestoreNames(Info(), saved);
    if (!players) return Fail(players.error());
    const Result<int> best_of = BestOf(saved, "best_of");
    if (!best_of) return Fail(best_of.error());
    Match match{.best_of = *best_of};
    const json::Value* rounds = json::Find(saved, "rounds");
    if (rounds == nullptr || !rounds->is_array()) return Bad("rounds");
    for (const json::Value& round : rounds->get_array()) {
      const json::Array* pair = round.if_array();
      const auto first = pair != nullptr && pair->size() == 2 ? HandOf((*pair)[0]) : std::nullopt;
      const auto second = first ? HandOf((*pair)[1]) : std::nullopt;
      if (!second || match.Over()) return Bad("rounds");
      match.Add({*first, *second});
    }
    const json::Value* thrown = json::Find(saved, "thrown");
    if (thrown == nullptr || !thrown->is_array() || thrown->get_array().size() != 2) return Bad("thrown");
    for (std::size_t seat = 0; seat < 2; ++seat) {
      match.thrown[seat] = HandOf(thrown->get_array()[seat]);
      if (!match.thrown[seat] && !thrown->get_array()[seat].is_null()) return Bad("thrown");
    }
    const bool both = match.thrown[0] && match.thrown[1];
    const bool any = match.thrown[0] || match.thrown[1];
    if (both || (any && match.Over())) return Bad("thrown");
    return std::make_unique<RpsState>(*std::move(players), std::move(match));
  }

 private:
  static Result<int> BestOf(const json::Value& options, std::string_view name) {
    Result<int> best_of = IntegerOption(options, name, kDefaultBestOf, 1, kMaxBestOf);
    if (best_of && *best_of % 2 == 0) {
      return Fail(ErrorCode::kInvalid,
                  std::string(name) + " must be an odd number, or nobody might win; got " + std::to_string(*best_of),
                  std::string(name));
    }
    return best_of;
  }
  static tl::unexpected<Error> Bad(const std::string& member) {
    return Fail(ErrorCode::kInvalid, "a saved match cannot have this in " + member, member);
  }
};

}  // namespace

std::unique_ptr<Game> MakeRockPaperScissors() {
  return std::make_unique<Rps>();
}

}  // namespace openseat::games

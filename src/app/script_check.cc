#include "app/script_check.h"

#include <algorithm>

#include "base/rng.h"
#include "games/script/script_game.h"
#include "testing/game_conformance.h"

namespace openseat::app {
namespace {

constexpr std::size_t kMostComplaints = 5;
constexpr std::size_t kLongestGame = 2000;  // choices
constexpr int kConformanceGames = 2;
constexpr SeatIndex kManySeats = 6;

std::vector<std::string> NamesFor(SeatIndex seats) {
  std::vector<std::string> names;
  for (SeatIndex seat = 0; seat < seats; ++seat) names.push_back("Player" + std::to_string(seat + 1));
  return names;
}

// The choices of a game, for a person to follow.
class ScriptGameRun {
 public:
  ScriptGameRun(const Game& game, const json::Value& options, SeatIndex seats, std::uint64_t seed, ScriptReport& report)
      : game_(game), options_(options), seats_(seats), seed_(seed), report_(report) {}

  void Play() {
    auto state = game_.NewGame(options_, seed_, NamesFor(seats_));
    if (!state) {
      Complain((state.error().path.empty() ? "" : state.error().path + ": ") + state.error().message, nullptr);
      return;
    }
    Rng rng(seed_);
    while (!(*state)->Awaited().empty() && choices_.size() < kLongestGame) {
      Measure(**state);
      const std::unique_ptr<GameState> before = (*state)->Clone();
      PlayOne(**state, rng);
      if (!games::FaultOf(**state).empty()) {
        Complain(games::FaultOf(**state), before.get());
        return;
      }
    }
    if (!(*state)->Awaited().empty()) {
      Complain("the game is not over after " + std::to_string(kLongestGame) + " random choices", nullptr);
    }
    Measure(**state);
    ++report_.games;
    report_.choices += choices_.size();
    report_.longest = std::max(report_.longest, choices_.size());
  }

 private:
  void PlayOne(GameState& state, Rng& rng) {
    const SeatSet awaited = state.Awaited();
    auto turn = awaited.begin();
    for (std::uint64_t skip = rng.Below(awaited.size()); skip > 0; --skip) ++turn;
    std::vector<Move> moves(state.Moves(*turn, {}));
    state.Moves(*turn, moves);
    const Move move = moves[rng.Below(moves.size())];
    const PlayedChoice choice = state.ToChoice(*turn, move);
    choices_.push_back("seat " + std::to_string(*turn) + " " + choice.action + " " + json::Write(choice.data));
    state.ApplyMove(*turn, move);
  }

  void Measure(const GameState& state) {
    report_.state_bytes = std::max(report_.state_bytes, json::Write(state.Serialize()).size());
    CheckView(state, Viewer::Spectator());
    for (SeatIndex seat = 0; seat < seats_; ++seat) {
      CheckView(state, Viewer::Seat(seat));
      report_.view_bytes = std::max(report_.view_bytes, json::Write(state.Observe(Viewer::Seat(seat))).size());
    }
  }

  void CheckView(const GameState& state, Viewer viewer) {
    const Result<std::string> view = games::ViewOf(state, viewer);
    if (view) return;
    Complain((view.error().path.empty() ? "" : view.error().path + ": ") + view.error().message, &state);
  }

  void Complain(const std::string& what, const GameState* before) {
    std::string text = what + "\n  with " + std::to_string(seats_) + " seats, seed " + std::to_string(seed_) +
                       ", after " + std::to_string(choices_.size()) + " choices";
    if (!choices_.empty()) text += "; the last: " + choices_.back();
    if (before != nullptr) {
      const json::Value saved = before->Serialize();
      if (const json::Value* state = json::Find(saved, "state")) {
        text += "\n  in the state " + json::Write(*state).substr(0, 2000);
      }
    }
    // The same mistake shows in many games.
    const bool is_known = std::ranges::any_of(report_.complaints,
                                              [&](const std::string& known) { return known.starts_with(what + "\n"); });
    if (!is_known) report_.complaints.push_back(std::move(text));
  }

  const Game& game_;
  const json::Value& options_;
  const SeatIndex seats_;
  const std::uint64_t seed_;
  ScriptReport& report_;
  std::vector<std::string> choices_;
};

}  // namespace

ScriptReport CheckScript(const Game& game, const json::Value& options, int games) {
  ScriptReport report;
  report.game = game.info().id;
  const auto full = [&report] { return report.complaints.size() >= kMostComplaints; };
  for (const SeatIndex seats : {game.info().min_seats, game.info().max_seats}) {
    for (int seed = 1; seed <= games && !full(); ++seed) {
      ScriptGameRun(game, options, seats, static_cast<std::uint64_t>(seed), report).Play();
    }
    if (game.info().min_seats == game.info().max_seats) break;
  }
  if (!report.complaints.empty()) return report;
  // Each state is looked at by each seat, in the samples of each other one.
  const bool is_large = game.info().max_seats > kManySeats;
  report.complaints = testing::CheckGame(game, {.options = options,
                                                .games = is_large ? 1 : kConformanceGames,
                                                .max_choices = is_large ? 12 : 40,
                                                .fuzzed_choices = 4,
                                                .moves_tried = 2,
                                                .fuzzed_saves = 1,
                                                .played_on = 4,
                                                .played_to_the_end = 0.02,
                                                .max_complaints = kMostComplaints});
  return report;
}

json::Object ToJson(const ScriptReport& report) {
  json::Array complaints;
  for (const std::string& complaint : report.complaints) complaints.emplace_back(complaint);
  return {{"ok", report.complaints.empty()},     {"game", report.game},
          {"complaints", std::move(complaints)}, {"games", report.games},
          {"choices", report.choices},           {"longest", report.longest},
          {"state_bytes", report.state_bytes},   {"view_bytes", report.view_bytes}};
}

}  // namespace openseat::app

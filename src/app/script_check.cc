#include "app/script_check.h"

#include <algorithm>

#include "base/rng.h"
#include "core/judge.h"
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

// What a complaint of the checks for all games means to somebody who writes a script; "" if it says so itself.
std::string_view HintOf(std::string_view complaint) {
  struct Hint {
    std::string_view part, text;
  };
  static constexpr Hint kHints[] = {
      {"a sample differs for its seat in",
       "redeal(state, seat, random) must return a state that this seat cannot tell from the real one. What the seat is "
       "told tells them apart: its observe, view, describe or actions, or who still has to choose. Draw again what "
       "others have chosen already; do not take it away."},
      {"samples of two states that the seat cannot tell apart differ",
       "redeal(state, seat, random) must not depend on what the seat does not know: collect all that is hidden from "
       "it, "
       "sort it, then shuffle and deal it."},
      {"cannot be seen, and is not a secret in a sample",
       "Say in observe who has chosen already (not what), and let redeal(state, seat, random) draw the choices of the "
       "others again."},
      {"is not a secret in a sample",
       "redeal(state, seat, random) must draw again, or take away, what others have chosen and the seat cannot see."},
      {"is not a secret",
       "While others still have to choose, nothing may show what this seat has chosen: not observe, "
       "view, describe, actions, the log or who is awaited."},
      {"the game hides nothing, and a", "Without redeal, everybody sees the same: the viewer is always null."},
      {"is told of what it cannot see",
       "A line of the log tells this seat of what observe does not show it: give the "
       "line to others only, {text, to: [seat]}."},
      {"a choice changed nothing", "apply must return another state than before: count the turns, for example."},
      {"the same choices led to another state",
       "What a function keeps outside of the state is gone when the next one runs: keep all of it in the state."},
  };
  const auto* const found =
      std::ranges::find_if(kHints, [&](const Hint& hint) { return complaint.find(hint.part) != complaint.npos; });
  return found == std::end(kHints) ? std::string_view() : found->text;
}

// The choices of a game, for a person to follow.
class ScriptGameRun {
 public:
  using Budget = std::shared_ptr<std::atomic<std::int64_t>>;
  ScriptGameRun(const Game& game, const json::Value& options, SeatIndex seats, std::uint64_t seed, Budget budget,
                ScriptReport& report)
      : game_(game), options_(options), seats_(seats), seed_(seed), budget_(std::move(budget)), report_(report) {}

  void Play() {
    auto begun = game_.NewGame(options_, seed_, NamesFor(seats_));
    if (!begun) {
      Complain((begun.error().path.empty() ? "" : begun.error().path + ": ") + begun.error().message, nullptr);
      return;
    }
    std::shared_ptr<const GameState> state = std::move(*begun);
    Rng rng(seed_);
    while (!state->Awaited().empty() && choices_.size() < kLongestGame) {
      Measure(*state);
      const std::shared_ptr<const GameState> before = state;
      const std::int64_t left = budget_ == nullptr ? 0 : budget_->load();
      Result<Ruling> ruling = PlayOne(*state, rng);
      if (budget_ != nullptr) report_.steps = std::max(report_.steps, left - *budget_);
      if (!ruling)
        return Complain("a choice that `actions` offers is refused: " + ruling.error().message, before.get());
      state = std::move(ruling->next);
      if (!games::FaultOf(*state).empty()) return Complain(games::FaultOf(*state), before.get());
    }
    if (!state->Awaited().empty()) {
      Complain("the game is not over after " + std::to_string(kLongestGame) + " random choices", nullptr);
    }
    Measure(*state);
    if (const std::optional<Outcome> outcome = state->GetOutcome()) CountEnding(*outcome);
    ++report_.games;
    report_.choices += choices_.size();
    report_.longest = std::max(report_.longest, choices_.size());
  }

 private:
  void CountEnding(const Outcome& outcome) {
    std::string winners;
    for (const SeatIndex seat : outcome.winners) winners += (winners.empty() ? "seat " : ", ") + std::to_string(seat);
    const std::string ending = (winners.empty() ? "a draw" : winners + " won") + ": " + outcome.reason;
    const auto found = report_.endings.find(ending);
    if (found != report_.endings.end()) {
      ++found->second;
    } else if (report_.endings.size() < ScriptReport::kMostEndings) {
      report_.endings.emplace(ending, 1);
    }
  }

  Result<Ruling> PlayOne(const GameState& state, Rng& rng) {
    const SeatSet awaited = state.Awaited();
    auto turn = awaited.begin();
    for (std::uint64_t skip = rng.Below(awaited.size()); skip > 0; --skip) ++turn;
    std::vector<Move> moves(state.Moves(*turn, {}));
    state.Moves(*turn, moves);
    const Move move = moves[rng.Below(moves.size())];
    const PlayedChoice choice = state.ToChoice(*turn, move);
    choices_.push_back("seat " + std::to_string(*turn) + " " + choice.action + " " + json::Write(choice.data));
    // As in a match: with all that people see and read.
    return Judge(state, *turn, choice.action, choice.data);
  }

  void Measure(const GameState& state) {
    const json::Value saved = state.Serialize();
    report_.state_bytes = std::max(report_.state_bytes, json::Write(*json::Find(saved, "state")).size());
    CheckView(state, Viewer::Spectator());
    for (SeatIndex seat = 0; seat < seats_; ++seat) {
      // Of many seats, one after the other.
      if (seats_ <= kManySeats || choices_.size() % seats_ == seat) CheckView(state, Viewer::Seat(seat));
      report_.observation_bytes =
          std::max(report_.observation_bytes, json::Write(state.Observe(Viewer::Seat(seat))).size());
    }
  }

  void CheckView(const GameState& state, Viewer viewer) {
    const Result<std::string> view = games::ViewOf(state, viewer);
    if (view) report_.view_bytes = std::max(report_.view_bytes, view->size());
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
  const Budget budget_;
  ScriptReport& report_;
  std::vector<std::string> choices_;
};

}  // namespace

ScriptReport CheckScript(const Game& game, const json::Value& options, int games,
                         std::shared_ptr<std::atomic<std::int64_t>> budget,
                         const std::function<void(const std::string&)>& progress) {
  ScriptReport report;
  report.game = game.info().id;
  const auto full = [&report] { return report.complaints.size() >= kMostComplaints; };
  for (const SeatIndex seats : {game.info().min_seats, game.info().max_seats}) {
    // What many see takes long.
    const int most = seats > kManySeats ? (games + 3) / 4 : games;
    for (int seed = 1; seed <= most && !full(); ++seed) {
      if (progress) progress("random game " + std::to_string(seed) + " of " + std::to_string(most));
      ScriptGameRun(game, options, seats, static_cast<std::uint64_t>(seed), budget, report).Play();
    }
    if (game.info().min_seats == game.info().max_seats) break;
  }
  if (!report.complaints.empty()) return report;
  if (progress) progress("secrets, copies and refusals");
  // Each state is looked at by each seat, in the samples of each other one.
  const bool is_large = game.info().max_seats > kManySeats;
  report.complaints = testing::CheckGame(game, {.options = options,
                                                .games = is_large ? 1 : kConformanceGames,
                                                .max_choices = is_large ? 12 : 40,
                                                .fuzzed_choices = 4,
                                                .moves_tried = 2,
                                                .fuzzed_saves = 0,  // a script need not know wrong states
                                                .played_on = 4,
                                                .played_to_the_end = 0.02,
                                                .max_complaints = kMostComplaints});
  for (std::string& complaint : report.complaints) {
    if (const std::string_view hint = HintOf(complaint); !hint.empty()) complaint.append("\n  ").append(hint);
  }
  return report;
}

json::Object ToJson(const ScriptReport& report) {
  json::Array complaints;
  for (const std::string& complaint : report.complaints) complaints.emplace_back(complaint);
  json::Object endings;
  for (const auto& [ending, games] : report.endings) endings[ending] = games;
  return {{"ok", report.complaints.empty()},     {"game", report.game},
          {"complaints", std::move(complaints)}, {"games", report.games},
          {"choices", report.choices},           {"longest", report.longest},
          {"state_bytes", report.state_bytes},   {"observation_bytes", report.observation_bytes},
          {"view_bytes", report.view_bytes},     {"steps", report.steps},
          {"endings", std::move(endings)}};
}

}  // namespace openseat::app

#include "testing/game_conformance.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "base/rng.h"
#include "schema/schema.h"
#include "testing/json_fuzz.h"
#include "testing/player_names.h"
#include "testing/state_checks.h"

namespace openseat::testing {
namespace {

constexpr int kFuzzedOptions = 200;

struct Step {
  SeatIndex seat;
  PlayedChoice choice;
};

class Run {
 public:
  Run(const Game& game, const ConformanceOptions& options)
      : game_(game), options_(options), complaints_(options.max_complaints) {}

  std::vector<std::string> All() {
    CheckInfo();
    CheckNewGame();
    for (int seed = 1; seed <= options_.games && !complaints_.full(); ++seed) Play(static_cast<std::uint64_t>(seed));
    complaints_.SetContext("samples: ");
    Expect(!game_.info().hides || sampled_another_ || complaints_.full(),
           "the game hides something, and each sample was the state itself");
    return complaints_.all();
  }

 private:
  void Expect(bool holds, std::string_view what) {
    if (!holds) complaints_.Add(what);
  }

  void CheckInfo() {
    complaints_.SetContext("info: ");
    const GameInfo& info = game_.info();
    Expect(!info.id.empty() && info.id.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-") == std::string::npos,
           "the id must be of a-z, 0-9 and -");
    Expect(!info.title.empty() && !info.description.empty() && !info.rules.empty(),
           "a game needs a title, a description and rules");
    Expect(info.min_seats > 0 && info.min_seats <= info.max_seats && info.max_seats <= SeatSet::kMaxSeats,
           "the numbers of seats are wrong");
    Expect(info.roles.size() == info.max_seats, "a game needs a role for each seat");
    Expect(!info.actions.empty(), "a game needs actions");
    Expect(info.rules_version > 0 && game_.OfVersion(info.rules_version) == &game_,
           "the rules have a version from 1 on, and the game is that of its own version");
    // The version of a script's rules is a large number.
    for (int version = 1; version < std::min(info.rules_version, 1000); ++version) {
      const Game* old = game_.OfVersion(version);
      Expect(old == nullptr || (old->info().rules_version == version && old->info().id == info.id),
             "the rules that were kept are those of another version or game");
    }
    Expect(schema::Schema::Compile(info.options_schema).has_value(), "the schema of the options does not compile");
    for (const ActionSpec& action : info.actions) {
      schemas_.Accepts(action.schema, nullptr, complaints_);
      Expect(!action.name.empty() && !action.description.empty(), "an action needs a name and a description");
    }
  }

  // Options that the schema accepts make a game, others do not; likewise names.
  void CheckNewGame() {
    complaints_.SetContext("NewGame: ");
    Rng rng(0);
    const std::vector<std::string> names = PlayersOf(game_);
    Expect(game_.NewGame(nullptr, 0, names).has_value(), "every option may be left out, and null be given for all");
    const auto options_schema = schema::Schema::Compile(game_.info().options_schema);
    for (int i = 0; i < kFuzzedOptions && options_schema; ++i) {
      json::Value options = options_.options.is_null() ? json::Value(json::Object()) : options_.options;
      if (i % 4 != 0) options = Mutated(options, rng);
      if (i % 5 == 0) options = RandomJson(rng);
      const auto state = game_.NewGame(options, 0, names);
      if (options.is_null()) continue;
      if (!state) Expect(state.error().code == ErrorCode::kInvalid, "wrong options are told kInvalid");
      Expect(!state || (*options_schema)->IsValid(options), "options beyond the schema make a game: " + Text(options));
    }
    std::vector<std::string> wrong = names;
    wrong.emplace_back("One too many");
    Expect(!game_.NewGame(nullptr, 0, wrong), "more names than seats make a game");
    wrong.resize(game_.info().min_seats - 1);
    Expect(!game_.NewGame(nullptr, 0, wrong), "fewer names than seats make a game");
    if (names.size() > 1)
      Expect(!game_.NewGame(nullptr, 0, {names.size(), "Same"}), "the same name twice makes a game");
    for (int i = 0; i < kFuzzedOptions; ++i) static_cast<void>(game_.Restore(RandomJson(rng)));
  }

  void Play(std::uint64_t seed) {
    Rng rng(seed);
    StateChecks checks(game_, options_, rng, schemas_, complaints_);
    auto start = game_.NewGame(options_.options, seed, PlayersOf(game_));
    complaints_.SetContext("seed " + std::to_string(seed) + ": ");
    if (!start) {
      complaints_.Add("there is no game with these options: " + start.error().message);
      return;
    }
    const std::unique_ptr<GameState> state = (*start)->Clone();
    std::vector<Step> steps;
    while (!complaints_.full()) {
      complaints_.SetContext("seed " + std::to_string(seed) + ", after " + std::to_string(steps.size()) + " choices: ");
      checks.Check(*state, **start);
      CheckSaves(*state, checks, rng);
      if (state->Awaited().empty() || static_cast<int>(steps.size()) >= options_.max_choices) break;
      if (!PlayOne(*state, rng, steps)) break;
    }
    sampled_another_ = sampled_another_ || checks.sampled_another();
    Replay(seed, steps, *state);
  }

  // Saved states that are almost right are refused, or make states that fulfill the contract.
  void CheckSaves(const GameState& state, StateChecks& checks, Rng& rng) {
    for (int i = 0; i < options_.fuzzed_saves; ++i) {
      const json::Value saved = Mutated(state.Serialize(), rng);
      const auto restored = game_.Restore(saved);
      if (!restored) {
        Expect(restored.error().code == ErrorCode::kInvalid, "a wrong saved state is told kInvalid");
        continue;
      }
      const std::size_t before = complaints_.all().size();
      checks.CheckRestored(**restored);
      if (complaints_.all().size() > before) complaints_.Add("… that was of the saved state " + Text(saved));
    }
  }

  bool PlayOne(GameState& state, Rng& rng, std::vector<Step>& steps) {
    const SeatSet awaited = state.Awaited();
    auto turn = awaited.begin();
    for (std::uint64_t skip = rng.Below(awaited.size()); skip > 0; --skip) ++turn;
    const SeatIndex seat = *turn;
    const std::vector<Move> moves = MovesOf(state, seat);
    if (moves.empty()) return false;  // the checks have complained
    const Move move = moves[rng.Below(moves.size())];
    steps.push_back({seat, state.ToChoice(seat, move)});
    if (rng.Chance(0.5)) {
      state.ApplyMove(seat, move);
    } else {
      state.Apply(seat, steps.back().choice.action, steps.back().choice.data);
    }
    return true;
  }

  void Replay(std::uint64_t seed, const std::vector<Step>& steps, const GameState& end) {
    complaints_.SetContext("seed " + std::to_string(seed) + ", replayed: ");
    const auto again = game_.NewGame(options_.options, seed, PlayersOf(game_));
    if (!again) {
      complaints_.Add("the same game cannot begin again: " + again.error().message);
      return;
    }
    for (const Step& step : steps) {
      if (const auto valid = (*again)->Validate(step.seat, step.choice.action, step.choice.data); !valid) {
        complaints_.Add("a choice that was legal is refused: " + valid.error().message);
        return;
      }
      (*again)->Repeat(step.seat, step.choice.action, step.choice.data);
    }
    Expect((*again)->Equals(end), "the same choices led to another state");
    Expect(json::Write((*again)->Serialize()) == json::Write(end.Serialize()), "the same choices save another state");
  }

  static std::string Text(const json::Value& value) { return json::Excerpt(value, 300); }

  const Game& game_;
  const ConformanceOptions& options_;
  Complaints complaints_;
  SchemaCache schemas_;
  bool sampled_another_ = false;
};

}  // namespace

std::vector<std::string> CheckGame(const Game& game, const ConformanceOptions& options) {
  return Run(game, options).All();
}

}  // namespace openseat::testing

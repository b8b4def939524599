// The checks of game_conformance.h that look at one state.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/rng.h"
#include "core/game.h"
#include "schema/schema.h"
#include "testing/game_conformance.h"

namespace openseat::testing {

// What was found wrong, and where.
class Complaints {
 public:
  explicit Complaints(std::size_t max) : max_(max) {}

  void SetContext(std::string context) { context_ = std::move(context); }
  // A mistake that shows at many states is one complaint: the same words up to the values.
  void Add(std::string_view what) {
    if (full()) return;
    ++found_;
    if (kinds_.emplace(what.substr(0, what.find_first_of(":\""))).second) all_.push_back(context_ + std::string(what));
  }
  bool full() const { return found_ >= max_; }
  const std::vector<std::string>& all() const { return all_; }

 private:
  const std::size_t max_;
  std::string context_;
  std::size_t found_ = 0;  // with those that were known
  std::set<std::string, std::less<>> kinds_;
  std::vector<std::string> all_;
};

// All legal moves of a seat.
std::vector<Move> MovesOf(const GameState& state, SeatIndex seat);

// Which data a schema accepts; null stands for an action without data. Caches compiled schemas.
class SchemaCache {
 public:
  // False, with a complaint, if the schema does not compile.
  bool Accepts(const json::Value& schema, const json::Value& data, Complaints& complaints);
  // nullptr, with a complaint, if the schema does not compile. REQUIRES that it is not null.
  const schema::Schema* Compiled(const json::Value& schema, Complaints& complaints);

 private:
  std::map<std::string, std::shared_ptr<const schema::Schema>> compiled_;
};

class StateChecks {
 public:
  StateChecks(const Game& game, const ConformanceOptions& options, Rng& rng, SchemaCache& schemas,
              Complaints& complaints)
      : game_(game), options_(options), rng_(rng), schemas_(schemas), complaints_(complaints) {}

  // All checks. `start` is any state of the same game and options.
  void Check(const GameState& state, const GameState& start);
  // Checks that apply to a state that Restore made from data other than a real game's.
  void CheckRestored(const GameState& state);
  // Whether any sample differed from the state that it was drawn from.
  bool sampled_another() const { return sampled_another_; }

 private:
  void Expect(bool holds, std::string_view what) {
    if (!holds) complaints_.Add(what);
  }
  void CheckCopies(const GameState& state, const GameState& start);
  void CheckLooks(const GameState& a, const GameState& b, std::string_view what);
  // The complaint, and where the two differ.
  void ExpectSame(const json::Value& one, const json::Value& other, const std::string& complaint);
  void CheckOutcome(const GameState& state);
  void CheckActions(const GameState& state, SeatIndex seat);
  void CheckMoves(const GameState& state, SeatIndex seat);
  void CheckMove(const GameState& state, SeatIndex seat, Move move, const std::vector<ActionSpec>& actions);
  void CheckOffered(const GameState& state, SeatIndex seat, const std::vector<ActionSpec>& actions);
  void CheckNews(const GameState& before, const GameState& after, SeatIndex mover, const std::string& text);
  void CheckQuestions(const GameState& state, SeatIndex seat);
  void CheckFuzzed(const GameState& state, SeatIndex seat);
  void CheckGenerated(const GameState& state, SeatIndex seat);
  void CheckChoice(const GameState& state, SeatIndex seat, const PlayedChoice& choice);
  void CheckSecrets(const GameState& state, SeatIndex seat);
  void CheckSample(const GameState& state, SeatIndex seat);
  static std::unique_ptr<GameState> SampleOf(const GameState& state, SeatIndex seat, std::uint64_t seed);
  PlayedChoice FuzzedChoice(const GameState& state);
  const ActionSpec* InCatalogue(std::string_view action) const;

  const Game& game_;
  const ConformanceOptions& options_;
  Rng& rng_;
  SchemaCache& schemas_;
  Complaints& complaints_;
  bool sampled_another_ = false;
};

}  // namespace openseat::testing

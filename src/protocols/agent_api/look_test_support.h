// For tests: a hosted game whose seats are looked at, without a match around it.
#pragma once

#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/rng.h"
#include "core/game.h"
#include "protocols/agent_api/look.h"

namespace openseat::agent_api {

class LookedAt {
 public:
  LookedAt(const Game& game, std::uint64_t seed, const json::Value& options = nullptr)
      : game_(game), state_(*game.NewGame(options, seed, {"Alex", "Sam"})), rng_(seed) {}

  GameState& state() { return *state_; }
  bool over() const { return state_->Awaited().empty(); }
  SeatIndex awaited() const { return *state_->Awaited().begin(); }
  std::uint64_t decisions() const { return decisions_; }

  SeatView Look(SeatIndex seat) const {
    SeatView look;
    look.table = TableId("some-game");
    look.game = &game_;
    look.title = game_.info().title;
    look.names = {"Alex", "Sam"};
    look.outcome = state_->GetOutcome();
    look.viewer = Viewer::Seat(seat);
    look.sight = std::make_shared<Sight>(game_, state_->Clone(), look.viewer);
    look.version = decisions_;
    if (!state_->Awaited().Contains(seat)) return look;
    look.decision.emplace();
    look.decision->id = DecisionId(decisions_);
    look.decision->query = "It is your turn.";
    look.decision->sight = look.sight;
    for (ActionSpec& spec : look.sight->Actions()) {
      if (!spec.offered) continue;
      auto action = std::make_shared<Action>();
      action->name = std::move(spec.name);
      action->description = std::move(spec.description);
      if (!spec.schema.is_null()) action->schema = std::move(spec.schema);
      look.decision->actions.Put(std::move(action));
    }
    return look;
  }

  // Plays a random move for whichever seat is asked.
  void Step() {
    std::vector<Move> moves(game_.info().max_moves);
    const std::size_t count = state_->Moves(awaited(), moves);
    state_->ApplyMove(awaited(), moves[rng_.Below(count)]);
    ++decisions_;
  }
  void Play(const std::string& action, const json::Value& data) {
    state_->Apply(awaited(), action, data);
    ++decisions_;
  }

 private:
  const Game& game_;
  std::unique_ptr<GameState> state_;
  Rng rng_;
  std::uint64_t decisions_ = 1;
};

// Every text that stands for a card anywhere in the value.
inline void CollectCids(const json::Value& value, std::set<std::string>& out) {
  if (value.is_array()) {
    for (const json::Value& each : value.get_array()) CollectCids(each, out);
  } else if (value.is_object()) {
    for (const auto& [name, member] : value.get_object()) {
      if (json::View(name) == "cid" && member.is_string()) out.emplace(json::View(member.get_string()));
      CollectCids(member, out);
    }
  }
}

}  // namespace openseat::agent_api

// For tests: a hosted game whose seats are looked at, without a match around it.
#pragma once

#include <memory>
#include <optional>
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

  SeatLook Look(SeatIndex seat) const {
    SeatLook look;
    look.gameid = "some-game";
    look.game = game_.info().id;
    look.hosted = true;
    look.seat = seat;
    look.names = {"Alex", "Sam"};
    look.roles = game_.info().roles;
    look.observation = state_->Observe(Viewer::Seat(seat));
    look.version = decisions_;
    if (state_->Awaited().Contains(seat)) {
      look.asked = Asked{DecisionId(decisions_), "It is your turn.", state_->Describe(seat), {}};
      for (ActionSpec& spec : state_->Actions(seat)) {
        auto action = std::make_shared<Action>();
        action->name = std::move(spec.name);
        action->description = std::move(spec.description);
        if (!spec.schema.is_null()) action->schema = std::move(spec.schema);
        look.actions.Put(std::move(action));
      }
    }
    if (const std::optional<Outcome> outcome = state_->GetOutcome()) {
      look.over = true;
      if (!outcome->winners.empty()) look.winner = look.names[*outcome->winners.begin()];
      look.reason = outcome->reason;
    }
    return look;
  }

  // Plays a move at random for whoever is asked.
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

// Every text that stands for a card somewhere in the value.
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

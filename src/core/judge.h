// The rules' word on a choice. Whoever lets a game be played asks here, and nowhere else: outside of tests and playouts
// nothing else calls GameState::Validate and Apply. Pure; any thread.
#pragma once

#include <memory>
#include <string_view>

#include "base/json.h"
#include "base/result.h"
#include "core/game.h"
#include "core/ids.h"

namespace openseat {

// What a choice leads to. Where it only asks (ActionSpec::any_time) the state is as before.
struct Ruling {
  std::shared_ptr<const GameState> next;
  json::Value result;  // the action's, for the one who chose
};

// Errors: GameState::Validate's. `state` stays as it is.
Result<Ruling> Judge(const GameState& state, SeatIndex seat, std::string_view action, const json::Value& data);

// Whether the action only asks something (ActionSpec::any_time).
bool IsQuestion(const GameInfo& game, std::string_view action);

// Whether anybody, a spectator or a player, sees a difference between a state and the one that a choice made of it.
// Half a round of choices that are made at the same time is none, as a rule.
bool LooksDifferent(const GameState& before, const GameState& after);

}  // namespace openseat

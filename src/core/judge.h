// The rules' verdict on a choice. Outside of tests and playouts, nothing else calls GameState::Validate and Apply.
// Pure; any thread.
#pragma once

#include <memory>
#include <string_view>

#include "base/json.h"
#include "base/result.h"
#include "core/game.h"
#include "core/ids.h"

namespace openseat {

// The result of a choice. If it only asks (ActionSpec::any_time), the state is unchanged.
struct Ruling {
  std::shared_ptr<const GameState> next;
  json::Value result;  // the action's, for the seat that chose
};

// Errors: GameState::Validate's. `state` is unchanged.
Result<Ruling> Judge(const GameState& state, SeatIndex seat, std::string_view action, const json::Value& data);
// The same for a choice that counted before, and after which there were others (GameState::Repeat): the result is null.
Result<Ruling> JudgeAgain(const GameState& state, SeatIndex seat, std::string_view action, const json::Value& data);

// Whether the action only asks something (ActionSpec::any_time).
bool IsQuestion(const GameInfo& game, std::string_view action);

// Whether any viewer, a spectator or a player, sees a difference between a state and the one that a choice made of it.
// Usually none is seen after half a round of simultaneous choices.
bool LooksDifferent(const GameState& before, const GameState& after);

}  // namespace openseat

// What an agent at a seat of a hosted match is told and asked: the same in a match and when a recorded decision is put
// to somebody else (arena/asker.h). Pure; any thread.
#pragma once

#include <memory>
#include <string>

#include "core/action.h"
#include "core/decision.h"
#include "core/game.h"
#include "core/seat.h"
#include "core/sight.h"

namespace openseat {

// "Ann (X)": a player with its role, if the game has one for the seat.
std::string WithRole(const GameInfo& game, SeatIndex seat, const std::string& name);
// The rules, and the seat's part in them.
Briefing BriefingOf(const GameInfo& game, SeatIndex seat, const std::string& name);
ActionPtr MakeAction(ActionSpec spec);
// The actions that `sight` offers, with the schemas of this state.
ActionSet LegalActions(const Sight& sight);
// The question to choose one of `actions`.
Decision QuestionOf(std::shared_ptr<const Sight> sight, DecisionId id, ActionSet actions);
// What has happened since `first`, as a seat may know it, for an agent that comes now: the end of it. "" if nothing
// has.
std::string NewsSoFar(const GameState& first, const GameState& now, SeatIndex seat);

}  // namespace openseat

// Commands as players send them: the names and data of actions, as in the agents' API.
#pragma once

#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "core/game.h"
#include "games/netrunner/engine/command.h"
#include "games/netrunner/engine/state.h"

namespace openseat::games::netrunner {

// Every action, with schemas for any state.
std::vector<ActionSpec> Catalog();
// What the side that is asked may do, with schemas that list exactly what is legal.
std::vector<ActionSpec> ActionsNow(const State& state);
PlayedChoice ToChoice(const State& state, const Command& command);
// REQUIRES an action in the catalog, and that a side is asked. Errors: kIncorrectData, kIncorrectMove.
Result<Command> ReadCommand(const State& state, std::string_view action, const json::Value& data);

}  // namespace openseat::games::netrunner

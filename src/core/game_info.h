// The description of a hosted game, for use before a match of it is made.
#pragma once

#include <string>

#include "base/json.h"
#include "core/game.h"

namespace openseat {

// {"id", "title", "description", "rules", "min_seats", "max_seats", "rules_version", "hides", "roles",
// "options_schema", "actions": [{"name", "description", "schema"?}, …]}: /api/v1/hosted-games and `openseat games
// --json`.
json::Object ToJson(const GameInfo& info);

// The rules and, if the game has it, the guide: what a player is given to read.
std::string RulesAndGuide(const GameInfo& info);

}  // namespace openseat

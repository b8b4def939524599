// The options of a game of Netrunner.
#pragma once

#include "base/json.h"
#include "base/result.h"
#include "games/netrunner/setup.h"

namespace openseat::games::netrunner {

json::Value OptionsSchema();
// Null or an object. Errors: kInvalid with the option as path.
Result<GameSetup> ReadOptions(const json::Value& options);

}  // namespace openseat::games::netrunner

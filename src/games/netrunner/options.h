// The options of a game of Netrunner.
#pragma once

#include <optional>
#include <string_view>

#include "base/json.h"
#include "base/result.h"
#include "games/netrunner/setup.h"

namespace openseat::games::netrunner {

// The formats: the two pairs of teaching decks, and custom decks.
inline constexpr std::string_view kBeginnerFormat = "system-gateway-beginner";
inline constexpr std::string_view kIntermediateFormat = "system-gateway-intermediate";
inline constexpr std::string_view kOwnDecksFormat = "system-gateway";

json::Value OptionsSchema();
// Null or an object. Errors: kInvalid with the option as path.
Result<GameSetup> ReadOptions(const json::Value& options);
// The options as a side, or a spectator (nullopt), may see them: only the identity of another's deck, and the viewer's
// own deck without its order. REQUIRES options that ReadOptions accepts.
json::Value OptionsSeenBy(const json::Value& options, std::optional<Side> viewer);

}  // namespace openseat::games::netrunner

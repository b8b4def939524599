// The state as a viewer may see it, by allowlist, as JSON for programs. The keys follow the published clients
// (docs/netrunner.md lists them).
#pragma once

#include <optional>
#include <span>
#include <string>

#include "base/json.h"
#include "games/netrunner/engine/state.h"

namespace openseat::games::netrunner {

// `viewer`: nullopt for spectators. `names`: of the Corp's and the Runner's player; `deck_names`: of their decks, if
// any.
json::Object ObserveState(const State& state, std::optional<Side> viewer, std::span<const std::string> names,
                          std::span<const std::string> deck_names = {});

std::string_view PhaseName(const State& state);  // "main", "run" …
// "hq", "remote1".
std::string ServerKey(Server server);

}  // namespace openseat::games::netrunner

// What a prompt says to the one it asks, and how cards are called.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "games/netrunner/state.h"
#include "games/netrunner/types.h"

namespace openseat::games::netrunner {

// Whether this viewer may know which card it is; nullopt is a spectator, who sees what both may see.
bool CanSee(const State& state, Inst inst, std::optional<Side> viewer);

// The public name of an object: "c12". Empty for cards in decks.
std::string CidOf(const State& state, Inst inst);
// The title, or what it looks like: "an unrezzed ice protecting HQ".
std::string CardName(const State& state, Inst inst, std::optional<Side> viewer);

// For the side that is asked.
std::string PromptMessage(const State& state);
// What each option says.
std::vector<std::string> OptionValues(const State& state);
// One a option, all different: a second "End the run" is "End the run (2)".
std::vector<std::string> OptionLabels(const State& state);
// "mulligan", "choice" or "select"; empty where the prompt is no question but a moment to act.
std::string_view PromptType(const State& state);

}  // namespace openseat::games::netrunner

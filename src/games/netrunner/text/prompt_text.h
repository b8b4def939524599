// The text of a prompt for the side that is asked, and the names of cards.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "games/netrunner/engine/state.h"
#include "games/netrunner/types.h"

namespace openseat::games::netrunner {

// Whether this viewer may know the card; nullopt is a spectator, who sees what both sides may see.
bool CanSee(const State& state, Inst inst, std::optional<Side> viewer);

// The public name of an object: "c12". Empty for cards in decks.
std::string CidOf(const State& state, Inst inst);
// The title, or a description: "an unrezzed ice protecting HQ".
std::string CardName(const State& state, Inst inst, std::optional<Side> viewer);

// "1 [Click], 2 [Credits]"; empty where it costs nothing.
std::string AbilityCost(const State& state, Inst inst, std::size_t ability);
// The Runner's ability to break by clicks, which is printed on ice.
inline constexpr std::string_view kRunnerAbilityLabel = "Break 1 subroutine";
inline constexpr std::string_view kRunnerAbilityCost = "Lose 1 [Click]";
// What the open prompt is about, for programs: "discard", "trash", "memory" …; docs/netrunner.md lists them.
std::string_view PromptPurpose(const State& state);

// For the side that is asked.
std::string PromptMessage(const State& state);
// The text of each option.
std::vector<std::string> OptionValues(const State& state);
// One per option, all different: a second "End the run" is "End the run (2)".
std::vector<std::string> OptionLabels(const State& state);
// "mulligan", "choice" or "select"; empty if the prompt is not a question but an opportunity to act.
std::string_view PromptType(const State& state);

}  // namespace openseat::games::netrunner

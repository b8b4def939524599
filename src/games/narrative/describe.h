// A story in words: what its narrator and its players are told (GameState::Describe), in about a given number of tokens
// (base/tokens.h), however long the story is. What does not fit is left out, the oldest first; the scenario's own
// text is always included.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "core/game_base.h"
#include "games/narrative/story.h"

namespace openseat::games::narrative {

// Default: half of a model's default context.
inline constexpr std::size_t kDescribedTokens = 8'000;

// For the narrator: the scenario with its secrets, recent events, what the player wants, and, as the last line,
// "Facts: " with the state as one JSON object: {"scenario", "schemaVersion", "turn", "maxTurns", "seed",
// "player", "wish"?: {"choiceId"?, "text"}, "relationships", "factions", "world", "cut"?: true}, where `turn` is the
// one to tell now. "cut" means that some of it was too long: long texts end with "…", other values become such texts of
// their JSON, and the longest members may be missing.
std::string DescribeToNarrator(const Story& story, const PlayerNames& names, std::size_t tokens = kDescribedTokens);
// For a player: the story's latest turns, and the available choices.
std::string DescribeToPlayer(const Story& story, const PlayerNames& names, SeatIndex player,
                             std::size_t tokens = kDescribedTokens);

inline constexpr std::string_view kFacts = "Facts: ";

}  // namespace openseat::games::narrative

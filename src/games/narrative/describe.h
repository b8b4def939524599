// A story in words: what its narrator and its players are told (GameState::Describe), in about so many tokens
// (base/tokens.h), however long the story is: what does not fit is left out, the oldest first. What a scenario itself
// says is always there.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "core/game_base.h"
#include "games/narrative/story.h"

namespace openseat::games::narrative {

// Unless asked otherwise: half of what a model is asked with unless its operator says otherwise.
inline constexpr std::size_t kDescribedTokens = 8'000;

// For the narrator: the scenario with its secrets, what happened lately, what the player wants, and, as the last line,
// "Facts: " with how things stand as one JSON object: {"scenario", "schemaVersion", "turn", "maxTurns", "seed",
// "player", "wish"?: {"choiceId"?, "text"}, "relationships", "factions", "world", "cut"?: true}, `turn` being the one
// to tell now. With "cut" some of it was too long: long texts end with "…", other values are such texts of their JSON,
// and the longest members may be missing.
std::string DescribeToNarrator(const Story& story, const PlayerNames& names, std::size_t tokens = kDescribedTokens);
// For a player: the story's latest turns, and the choices on offer.
std::string DescribeToPlayer(const Story& story, const PlayerNames& names, SeatIndex player,
                             std::size_t tokens = kDescribedTokens);

inline constexpr std::string_view kFacts = "Facts: ";

}  // namespace openseat::games::narrative

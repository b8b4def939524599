// Narrative games: a story that a narrator tells and players act in. docs/narrative.md describes it for users.
//
// Seats: 0 is the narrator, 1 to 4 are players, who take turns. Actions:
//   narrate  the narrator's only one; its data is one object as LlmResultV1 (or V2) has it; result {"turn": N}
//   choose   {"choiceId", "ref"?}: a choice on offer. Result {}
//   say      {"text", "ref"?}: something else, in the player's own words. Result {}
// The first turn is the narrator's alone. After that a turn is a player's choice and its narration, which count
// together or not at all (GameState::Whole). `ref` is a mark of the player's own that stands by the choice in the
// story.
//
// Options, all optional: "scenario" (the first one), "turns" (1 to 200: when the story is over at the latest; the
// scenario's own number), "schema_version" (1), "ref" (a mark of whoever made the story; up to 200 characters).
//
// It is over when its last turn was told, or when a narration changes the world's "ending" to a text. Everyone wins.
//
// Observed, the same for all but the narrator, who sees "secrets", too:
//   {"scenario", "title", "schemaVersion", "turn", "maxTurns", "awaiting"?: a name, "pending"?: {"by", "choiceId"?,
//    "text"}, "story": [{"turn", "by"?, "choiceId"?, "text"?, "narrative", "emotion", "npcResponses"?}, …],
//    "choices": [{"id", "label", "description"?}, …], "relationships", "factions", "world", "over", "ending"?}
//
// Moves: a player's are the choices on offer, and 10, a few words; the narrator's are seven short narrations, one an
// emotion. They are examples.
#pragma once

#include <cstddef>
#include <memory>

#include "core/game.h"
#include "games/narrative/story.h"

namespace openseat::games {

std::unique_ptr<Game> MakeNarrative();

namespace narrative {

inline constexpr const char* kGameId = "narrative";
inline constexpr std::size_t kMaxText = 2000;             // characters of what a player says
inline constexpr std::size_t kMaxRef = 200;               // characters of a mark
inline constexpr std::size_t kMaxNarration = 256u << 10;  // bytes of a narration as JSON

// nullptr for a state of another game.
const Story* StoryOf(const GameState& state);

}  // namespace narrative
}  // namespace openseat::games

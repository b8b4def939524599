// Narrative games: a story that a narrator tells and players act in. docs/narrative.md has the user documentation.
//
// Seats: 0 is the narrator, 1 to 4 are players, who take turns. Actions:
//   narrate  the narrator's only action; its data is one LlmResultV1 (or V2) object; result {"turn": N}
//   choose   {"choiceId", "ref"?}: one of the available choices. Result {}
//   say      {"text", "ref"?}: something else, in the player's own words. Result {}
// The first turn is the narrator's alone. After that, a turn is a player's choice and its narration, which count
// together or not at all (GameState::Whole). `ref` is the player's own reference, stored with the choice in the
// story.
//
// Options, all optional: "scenario" (default: the first one), "turns" (1 to 200: maximum length; default: the
// scenario's), "schema_version" (1), "ref" (the story creator's own reference; up to 200 characters), "begun" (the
// first turns, as SavedTurn writes them: the story continues where another one was), "unlike" (how
// the turn after those was told before; the narrator is asked to tell it differently).
//
// It is over when its last turn was told, when a narration sets the world's "ending" to a text, or when its turns have
// 2 MiB. Everyone wins.
//
// Observation, the same for all except the narrator, who also sees "secrets":
//   {"scenario", "title", "schemaVersion", "turn", "maxTurns", "awaiting"?: a name, "pending"?: {"by", "choiceId"?,
//    "text"}, "story": [{"turn", "by"?, "choiceId"?, "text"?, "narrative", "emotion", "npcResponses"?}, …],
//    "choices": [{"id", "label", "description"?}, …], "relationships", "factions", "world", "over", "ending"?}
//
// Moves: a player's are the available choices, and 10, a few words; the narrator's are seven short narrations, one per
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
// GameInfo::rules_version. 2 added kMaxStory and kMaxKept.
inline constexpr int kRulesVersion = 2;
inline constexpr std::size_t kMaxText = 2000;             // characters of a player's text
inline constexpr std::size_t kMaxRef = 200;               // characters of a reference
inline constexpr std::size_t kMaxNarration = 256u << 10;  // bytes of a narration as JSON
inline constexpr std::size_t kMaxUnlike = 10'000;         // characters of a turn that is told differently
inline constexpr std::size_t kMaxBegun = 2u << 20;        // bytes of the turns that a story begins with
inline constexpr std::size_t kMaxKept = 64u << 10;        // bytes of standings and world as JSON

// nullptr for a state of another game.
const Story* StoryOf(const GameState& state);

}  // namespace narrative
}  // namespace openseat::games

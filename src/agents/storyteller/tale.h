// Tales: what the storyteller tells, one for each scenario, as scenes that lead to one another. Stored as data
// (tales/*.json):
//
//   {"scenario", "opening": scene, "last": scene, "asides": [text, …], "onward": [text, …],
//    "scenes": {scene: {"texts": [text, …], "emotion",
//    "says"?: [{"npcId", "lines": [text, …], "emotion"}], "relationships"?, "factions"?, "world"?,
//    "choices": [{"label", "description"?, "to": scene}]}}}
//
// In texts, {player} stands for the player's name; in asides, {words} stands for what the player said instead of
// choosing. A scene whose world has an "ending" ends the story. No text is told twice: "onward" leads from a scene
// whose texts are all told to another one, or to the last.
#pragma once

#include <string_view>

#include "base/json.h"
#include "base/rng.h"

namespace openseat::storyteller {

// The tale for that scenario; nullptr if there is none.
const json::Object* FindTale(std::string_view scenario);

// The narration of the turn that `facts` (games/narrative/describe.h) request, valid in every version of the schema.
// `told` contains the narrations so far. REQUIRES a tale for the facts' scenario.
json::Object Narrate(const json::Object& tale, const json::Object& facts, std::string_view told, Rng& rng);

}  // namespace openseat::storyteller

// Scenarios: where a story starts and who is in it. Data (scenarios/*.json), built in.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"

namespace openseat::games::narrative {

// A character or a faction.
struct Party {
  std::string id;  // "npc.kiera"
  std::string name;
  std::string about;
  double standing = 0;  // with the player at the start of the story: -100 to 100
};

struct Scenario {
  std::string id;  // "whispering-woods"
  std::string title;
  std::string summary;  // a sentence or two, to help people choose a story
  std::string premise;  // how it begins, for everyone
  std::string style;    // for the narrator, how to tell it
  std::string secrets;  // only for the narrator
  int turns = 0;        // intended length
  std::vector<Party> characters;
  std::vector<Party> factions;
  json::Object world;  // facts at the start
};

// In display order.
std::span<const Scenario> Scenarios();
// nullptr if there is none with that id.
const Scenario* FindScenario(std::string_view id);

}  // namespace openseat::games::narrative

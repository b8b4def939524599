// Scenarios: where a story begins and who is in it. Data (scenarios/*.json), built in.
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
  double standing = 0;  // with the player when the story begins: -100 to 100
};

struct Scenario {
  std::string id;  // "whispering-woods"
  std::string title;
  std::string summary;  // a sentence or two, for whoever chooses a story
  std::string premise;  // how it begins, for everyone
  std::string style;    // for the narrator, how to tell it
  std::string secrets;  // for the narrator alone
  int turns = 0;        // how many it is meant to have
  std::vector<Party> characters;
  std::vector<Party> factions;
  json::Object world;  // facts at the beginning
};

// In the order in which people are shown them.
std::span<const Scenario> Scenarios();
// nullptr where there is none of that id.
const Scenario* FindScenario(std::string_view id);

}  // namespace openseat::games::narrative

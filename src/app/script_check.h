// Whether a game written as a script keeps to the rules for games: random games to the end, and the checks that every
// game of the program passes (testing/game_conformance.h).
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "core/game.h"

namespace openseat::app {

struct ScriptReport {
  std::string game;                     // its id
  std::vector<std::string> complaints;  // each with how to reproduce it; empty: the script conforms
  int games = 0;                        // played to the end
  std::size_t choices = 0;              // made in them
  std::size_t longest = 0;              // choices of the longest game
  std::size_t state_bytes = 0;          // of the largest state
  std::size_t observation_bytes = 0;    // of the largest observation
  std::size_t view_bytes = 0;           // of the largest view: the table as it is drawn
  std::int64_t steps = 0;               // of the longest choice; 0 without a budget
  std::map<std::string, int> endings;   // how many games ended so: "seat 0 won: three in a row"; at most kMostEndings
  static constexpr std::size_t kMostEndings = 20;
  std::vector<std::string> notes;  // what the check could not look at
};

// Plays `games` games with the fewest and as many with the most seats; a quarter, if these are more than six; fewer,
// with a note, if these use more than a third of `budget`. REQUIRES a game of MakeScriptGame; `budget` is that of its
// limits. `progress` is told what is being done, in a few words. The games have the seeds `seed`, `seed` + 1 …
ScriptReport CheckScript(const Game& game, const json::Value& options, int games,
                         std::shared_ptr<std::atomic<std::int64_t>> budget = nullptr,
                         const std::function<void(const std::string&)>& progress = {}, std::uint64_t seed = 1);
// The size of "game.js:12:5: " at the start of a complaint; 0 if it names no place.
std::size_t SizeOfPlace(std::string_view complaint);
json::Object ToJson(const ScriptReport& report);

}  // namespace openseat::app

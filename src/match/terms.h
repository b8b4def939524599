// MatchTerms: how long the players of a match may take and stay away, as agreed when it was made. Plain values; any
// thread. docs/protocols/chimera.md, "Terms", describes them.
#pragma once

#include <optional>

#include "base/json.h"
#include "base/result.h"
#include "base/time.h"

namespace openseat {

struct MatchTerms {
  std::optional<Duration> move_time;  // for one choice
  std::optional<Duration> game_time;  // for all choices of one seat …
  Duration increment{0};              // … plus this for each
  std::optional<Duration> grace;      // how long the seat of an absent player is kept; nullopt: Match decides
  bool agents_chat = false;           // whether agents are told what players say

  // Whether players need not be there: they have an hour or more for each choice.
  bool correspondence() const { return move_time && *move_time >= std::chrono::hours(1); }
  bool clocked() const { return move_time || game_time; }
  bool operator==(const MatchTerms&) const = default;
};

// From {"move_time"?, "game_time"?, "increment"?, "grace"?, "agents_chat"?}, times in seconds. kInvalid for anything
// else, with the member as path.
Result<MatchTerms> ReadTerms(const json::Value& terms);
// What ReadTerms reads: without the members that have their defaults.
json::Object ToJson(const MatchTerms& terms);

// Seconds, as a number for JSON.
json::Value SecondsJson(Duration duration);

}  // namespace openseat

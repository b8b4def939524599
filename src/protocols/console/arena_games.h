// The games of a run as the arena's API shows them: found, ordered, paged and counted. Pure; any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "arena/game_line.h"
#include "base/json.h"
#include "base/result.h"
#include "net/http.h"
#include "net/paging.h"

namespace openseat::console {

// Which games to list, and in which order. "" asks for nothing.
struct GameQuery {
  std::string agent;
  std::string opponent;  // REQUIRES an agent
  std::string game_id;
  std::string result;   // "win", "draw", "loss" (with an agent: its own), "forfeit" (with an agent: its own), "void"
  std::string code;     // of a void game or a forfeit
  std::string culprit;  // the agent that a void game or a forfeit is due to
  std::string with;     // "illegal", "repaired", "asked_again": games in which a seat (of the agent) has such answers
  std::string sort = "game";  // or, highest first: "cost", "tokens", "latency", "turns", "seconds"
};

// Errors: kInvalid for a value that is not known, and for what only an agent can have without an agent.
Result<GameQuery> GameQueryOf(const net::HttpRequest& request);

// {"games": [line…], "total", "next"?}. Errors: kInvalid for a cursor of another order.
Result<json::Object> FindGames(const std::vector<arena::GameLine>& games, const GameQuery& query,
                               const net::Page& page);

// {"games": that count, "void", "forfeits", "half_pairs", "causes": [{"culprit"?, "code", "void", "games",
// "example"}…], "more_causes"}: how the games ended. A half pair is one in which not all games count, or are not played
// yet.
json::Object CountGames(const std::vector<arena::GameLine>& games, bool fixed_roles);

}  // namespace openseat::console

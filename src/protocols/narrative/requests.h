// The narrative protocol's request bodies. Pure: JSON in, values or a failure to report out.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <tl/expected.hpp>

#include "agents/kinds.h"
#include "core/agent.h"
#include "net/http.h"
#include "protocols/narrative/replies.h"

namespace openseat::narrative {

template <typename T>
using Read = tl::expected<T, Failure>;

// Where a new story begins: with the first turns of another one.
struct BranchPoint {
  std::string id;            // of the other story, with its invitation if that is needed
  std::size_t turn = 0;      // the last one that they share
  bool differently = false;  // the turn after it is to be told differently
};

// POST /api/games
struct NewGameRequest {
  std::string scenario;  // "" for a branch: that of the other story
  std::optional<BranchPoint> from;
  std::string player;
  std::optional<AgentSpec> narrator;
  std::optional<int> turns;
  std::optional<std::int64_t> version;
  std::optional<bool> is_private;  // nullopt if the request does not say
  bool debug = false;
  std::string key;     // Idempotency-Key, "" for none
  std::string digest;  // of the body
};
// The narrator is one of `kinds` that the caller may name.
Read<NewGameRequest> ReadNewGame(const net::HttpRequest& request, const AgentKinds& kinds);

// POST /api/games/:id/turns
struct TurnRequest {
  std::string choice_id;  // "" if `text` is given
  std::string text;
  std::optional<std::int64_t> version;
  bool debug = false;
  std::string key;
};
Read<TurnRequest> ReadTurn(const net::HttpRequest& request);

// The bodies' schemas, also used in the description of the routes.
const json::Value& NewGameSchema();
const json::Value& TurnSchema();

// ?debug=true.
bool WantsDebug(const net::HttpRequest& request);

}  // namespace openseat::narrative

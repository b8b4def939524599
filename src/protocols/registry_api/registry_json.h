// The registry's data as JSON, and its schemas: what a body must be, and what an answer is.
#pragma once

#include <vector>

#include "base/json.h"
#include "core/deck.h"
#include "core/registry.h"

namespace openseat::registry_api {

json::Object AccountJson(const Account& account);
// Never includes the secret, which is not stored.
json::Object KeyJson(const ApiKey& key);
json::Object DeckJson(const StoredDeck& deck, const std::vector<DeckProblem>& problems);

json::Value AccountSchema();
json::Value KeySchema();
json::Value DeckSchema();
json::Value CardSchema();

json::Value AccountBodySchema();
json::Value KeyBodySchema();
json::Value DeckBodySchema();

json::Value AccountExample();
json::Value KeyExample();
json::Value DeckExample();

}  // namespace openseat::registry_api

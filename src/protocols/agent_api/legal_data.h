// The values of an action's data, one by one, read from its schema. Pure.
#pragma once

#include <cstddef>
#include <vector>

#include "base/json.h"
#include "core/action.h"

namespace openseat::agent_api {

// Every value that the schema lists (objects of enums, alternatives of them); {null} for an action without data. Empty
// if the schema leaves it open; at most `limit`.
std::vector<json::Value> LegalData(const Action& action, std::size_t limit = 512);

}  // namespace openseat::agent_api

// The vocabulary in which routes describe the JSON that they take and answer (RouteInfo, net/openapi.h). Each function
// returns a JSON Schema; a description may be empty.
#pragma once

#include <string_view>

#include "base/json.h"

namespace openseat::net::schemas {

json::Object Any(std::string_view description);
json::Object Typed(json::Value type, std::string_view description = {});  // a type's name, or an array of them
json::Object Text(std::string_view description = {});
json::Object Whole(std::string_view description = {}, int least = 0);  // a whole number
json::Object Moment(std::string_view description = {});                // ISO 8601
json::Object Nullable(std::string_view type, std::string_view description = {});
json::Object OneOf(json::Array values, std::string_view description = {});
json::Object ListOf(json::Object items, std::string_view description = {});
json::Object ObjectOf(json::Object properties, json::Array required = {});
// One of Router::AddSchema.
json::Object Ref(std::string_view name);

}  // namespace openseat::net::schemas

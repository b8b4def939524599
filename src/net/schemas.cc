#include "net/schemas.h"

#include <string>
#include <utility>

namespace openseat::net::schemas {
namespace {

json::Object Described(json::Object schema, std::string_view description) {
  if (!description.empty()) schema["description"] = description;
  return schema;
}

}  // namespace

json::Object Any(std::string_view description) {
  return Described({}, description);
}

json::Object Typed(json::Value type, std::string_view description) {
  return Described({{"type", std::move(type)}}, description);
}

json::Object Text(std::string_view description) {
  return Typed("string", description);
}

json::Object Whole(std::string_view description, int least) {
  json::Object schema = Typed("integer", description);
  schema["minimum"] = least;
  return schema;
}

json::Object Moment(std::string_view description) {
  json::Object schema = Text(description);
  schema["format"] = "date-time";
  return schema;
}

json::Object Nullable(std::string_view type, std::string_view description) {
  return Typed(json::Array{type, "null"}, description);
}

json::Object OneOf(json::Array values, std::string_view description) {
  return Described({{"enum", std::move(values)}}, description);
}

json::Object ListOf(json::Object items, std::string_view description) {
  return Described({{"type", "array"}, {"items", std::move(items)}}, description);
}

json::Object ObjectOf(json::Object properties, json::Array required) {
  json::Object schema{{"type", "object"}, {"properties", std::move(properties)}};
  if (!required.empty()) schema["required"] = std::move(required);
  return schema;
}

json::Object Ref(std::string_view name) {
  return {{"$ref", "#/components/schemas/" + std::string(name)}};
}

}  // namespace openseat::net::schemas

// The meta-schemas of JSON Schema 2020-12, built in, so that a schema may $ref them without a network.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "base/json.h"

namespace openseat::schema {

inline constexpr std::string_view kDraftUri = "https://json-schema.org/draft/2020-12/schema";

// `uri` without a fragment; nullptr if it names none of them. Parsed once, shared, any thread.
std::shared_ptr<const json::Value> FindMetaSchema(std::string_view uri);

}  // namespace openseat::schema

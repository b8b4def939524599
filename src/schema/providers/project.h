// Project: converts a schema to the dialect of a model provider's structured output. Constraints that it cannot
// express are left out and still enforced here, by the schema itself. The result never excludes an answer that the
// schema accepts, except for members it does not name and types it does not mention. See docs/models.md per provider.
#pragma once

#include <string>
#include <vector>

#include "base/json.h"
#include "schema/schema.h"

namespace openseat::schema {

enum class Dialect {
  // response_format json_schema with strict: true. Every object is closed and lists all of its members as required; an
  // optional one also accepts null, which Unproject removes again.
  kOpenAi,
  // The same without bounds, patterns and formats: what every provider with strict schemas takes, and the servers that
  // speak like OpenAI; also Anthropic's output_config.format.
  kCommon,
  kGemini,         // generationConfig.responseJsonSchema
  kAnthropicTool,  // input_schema of a tool
};

// A keyword that the dialect cannot express.
struct DroppedKeyword {
  std::string keyword;
  std::string pointer;  // its place in the source
  bool operator==(const DroppedKeyword&) const = default;
};

struct Projection {
  json::Value schema;  // an object
  // For kOpenAi and kCommon: whether `schema` keeps to the strict subset. If it cannot (an object with free names,
  // say), it is the unchanged schema, for strict: false.
  bool strict = true;
  std::vector<DroppedKeyword> dropped;
};

// `source` is a schema of an object. Accepts any JSON: an invalid schema becomes one that accepts any object.
// Errors: kTooLarge if the budget is not enough.
Result<Projection> Project(const json::Value& source, Dialect dialect, Budget& budget);

// Removes the null members that stand for omitted ones in an answer to kOpenAi's or kCommon's form: those that
// `schema` names but neither accepts nor requires. If the budget is not enough, some may remain.
void Unproject(const Schema& schema, json::Value& answer, Budget& budget);

}  // namespace openseat::schema

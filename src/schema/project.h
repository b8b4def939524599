// Project: a schema as a model provider's structured output takes it. What the dialect cannot say is left out there and
// still enforced here, by the schema itself; what it can say never excludes an answer that the schema accepts, but for
// members that it does not name and types that it does not mean. docs/models.md says what each provider takes.
#pragma once

#include <string>
#include <vector>

#include "base/json.h"
#include "schema/schema.h"

namespace openseat::schema {

enum class Dialect {
  // response_format json_schema with strict: true. Every object is closed and lists all of its members as required; one
  // that may be left out takes null as well, which Unproject takes away again.
  kOpenAi,
  kGemini,     // generationConfig.responseJsonSchema
  kAnthropic,  // input_schema of a tool
};

// A keyword that the dialect cannot say.
struct DroppedKeyword {
  std::string keyword;
  std::string pointer;  // its place in the source
  bool operator==(const DroppedKeyword&) const = default;
};

struct Projection {
  json::Value schema;  // an object
  // Of kOpenAi: whether `schema` keeps to the strict subset. Where it cannot (an object of free names, say) it is the
  // schema itself, for strict: false.
  bool strict = true;
  std::vector<DroppedKeyword> dropped;
};

// `source` is a schema of an object. Total over any JSON: what is no schema becomes one that accepts any object.
// Errors: kTooLarge where the budget is not enough.
Result<Projection> Project(const json::Value& source, Dialect dialect, Budget& budget);

// Takes out the null members by which an answer to kOpenAi's form says that it leaves something out: those that
// `schema` does not accept, but names, and does not require. Where the budget is not enough, some may stay.
void Unproject(const Schema& schema, json::Value& answer, Budget& budget);

}  // namespace openseat::schema

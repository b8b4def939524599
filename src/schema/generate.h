// Generate: a random value that a schema accepts. For random agents, for examples in prompts, and for tests.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string_view>

#include "base/json.h"
#include "base/result.h"
#include "base/rng.h"
#include "schema/schema.h"

namespace openseat::schema {

struct GenerateOptions {
  int max_tries = 64;                 // whole values drawn before giving up
  std::size_t max_depth = 24;         // beyond it only what is required, and the smallest of it
  std::size_t max_values = 5'000;     // JSON values in one result, about
  std::size_t preferred_items = 3;    // arrays get up to minItems plus this many, within maxItems
  std::size_t preferred_length = 12;  // strings likewise
  double optional_property = 0.5;     // chance of a property that is not required
  bool use_examples = true;           // now and then take the schema's own `examples` or `default`
  // Proposes a realistic value for a string, number or boolean; taken where the subschema accepts it. `property_name`
  // is the name of the nearest property ("" at the root).
  std::function<std::optional<json::Value>(std::string_view property_name, const json::Object& subschema, Rng& rng)>
      suggest;
};

// A value for which schema.IsValid holds. The same schema, options and state of `rng` give the same value. Schemas of
// the keywords that the Neuro API recommends always succeed where they can be satisfied; allOf, anyOf, oneOf, if, $ref,
// dependent*, multipleOf, uniqueItems, min/maxProperties and additionalProperties are followed as far as they go, `not`
// and unevaluated* are left to chance. Errors: kInvalid where no try was valid.
Result<json::Value> Generate(const Schema& schema, Rng& rng, const GenerateOptions& options = {});

}  // namespace openseat::schema

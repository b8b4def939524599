// Generate: a random value that a schema accepts. For random agents, for examples in prompts, and for tests.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string_view>

#include "base/json.h"
#include "base/result.h"
#include "base/rng.h"
#include "schema/schema.h"

namespace openseat::schema {

// A place in the value that needs a string, a number or a boolean; valid only during the call.
struct Blank {
  std::span<const std::string_view> path;           // names of the properties around it, innermost last
  std::span<const json::Object* const> subschemas;  // all subschemas that apply here and are objects
  bool may_be_string = false;
  bool may_be_integer = false;
  bool may_be_fraction = false;
  std::uint64_t min_length = 0;  // of a string, in code points
  std::uint64_t max_length = 0;
  bool has_pattern = false;
  std::optional<double> minimum;  // approximate: exclusive bounds are checked later
  std::optional<double> maximum;
  int attempt = 0;  // how often this place was requested before

  // The value of the first of these keywords that is a string, or "": "format", "title", "description".
  std::string_view Text(std::string_view keyword) const;
};

struct GenerateOptions {
  int max_tries = 64;                 // whole values drawn before giving up
  std::size_t max_depth = 24;         // beyond it, only required values, as small as possible
  std::size_t max_values = 5'000;     // approximate number of JSON values in one result
  std::size_t preferred_items = 3;    // arrays get up to minItems plus this many, within maxItems
  std::size_t preferred_length = 12;  // the same for strings
  double optional_property = 0.5;     // probability of an optional property
  double examples = 0.25;             // how often the schema's own `examples` or `default` are used: 0 to 1
  // Proposes a realistic value. It is used if the subschemas accept it. Otherwise it is asked again, up to
  // `max_suggestions` times; then (or at once after nullopt) a value is drawn as usual.
  std::function<std::optional<json::Value>(const Blank& blank, Rng& rng)> suggest{};
  int max_suggestions = 24;
  Budget* budget = nullptr;  // used instead of the call's own budget
};

// A value for which schema.IsValid holds. The same schema, options and state of `rng` give the same value. Schemas
// with only the keywords that the Neuro API recommends always succeed if they are satisfiable. allOf, anyOf, oneOf, if,
// $ref, dependent*, multipleOf, uniqueItems, min/maxProperties and additionalProperties are followed if possible; `not`
// and unevaluated* are left to chance. Errors: kInvalid if no attempt was valid, kTooLarge if the budget was not
// enough.
Result<json::Value> Generate(const Schema& schema, Rng& rng, const GenerateOptions& options = {});

}  // namespace openseat::schema

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

// A place in the value that waits for a string, a number or a boolean; valid during the call only.
struct Blank {
  std::span<const std::string_view> path;           // names of the properties around it, the nearest last
  std::span<const json::Object* const> subschemas;  // all that apply here, and are objects
  bool may_be_string = false;
  bool may_be_integer = false;
  bool may_be_fraction = false;
  std::uint64_t min_length = 0;  // of a string, in code points
  std::uint64_t max_length = 0;
  bool has_pattern = false;
  std::optional<double> minimum;  // about: exclusive or not is checked afterwards
  std::optional<double> maximum;
  int attempt = 0;  // how often this place was asked for before

  // The value of the first such keyword that is a string, "" where there is none: "format", "title", "description".
  std::string_view Text(std::string_view keyword) const;
};

struct GenerateOptions {
  int max_tries = 64;                 // whole values drawn before giving up
  std::size_t max_depth = 24;         // beyond it only what is required, and the smallest of it
  std::size_t max_values = 5'000;     // JSON values in one result, about
  std::size_t preferred_items = 3;    // arrays get up to minItems plus this many, within maxItems
  std::size_t preferred_length = 12;  // strings likewise
  double optional_property = 0.5;     // chance of a property that is not required
  bool use_examples = true;           // now and then take the schema's own `examples` or `default`
  // Proposes a realistic value. It is taken where the subschemas accept it; else asked again, up to `max_suggestions`
  // times, and then (or at once after nullopt) a value is drawn as without it.
  std::function<std::optional<json::Value>(const Blank& blank, Rng& rng)> suggest{};
  int max_suggestions = 24;
  Budget* budget = nullptr;  // what the call draws on, instead of one of its own
};

// A value for which schema.IsValid holds. The same schema, options and state of `rng` give the same value. Schemas of
// the keywords that the Neuro API recommends always succeed where they can be satisfied; allOf, anyOf, oneOf, if, $ref,
// dependent*, multipleOf, uniqueItems, min/maxProperties and additionalProperties are followed as far as they go, `not`
// and unevaluated* are left to chance. Errors: kInvalid where no try was valid, kTooLarge where the budget was not
// enough.
Result<json::Value> Generate(const Schema& schema, Rng& rng, const GenerateOptions& options = {});

}  // namespace openseat::schema

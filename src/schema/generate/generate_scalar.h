// Random numbers and strings within bounds: the leaves of Generate.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/rng.h"
#include "schema/generate/generate_pattern.h"
#include "schema/validate/program.h"

namespace openseat::schema {

// Combined minimum, maximum and multipleOf of several schemas.
struct NumberRange {
  struct Limit {
    const json::Value* value = nullptr;  // null: no limit
    bool exclusive = false;
  };
  Limit lower;
  Limit upper;
  std::vector<const json::Value*> divisors;

  // Keeps the narrower limit.
  void NarrowLower(const json::Value& value, bool exclusive);
  void NarrowUpper(const json::Value& value, bool exclusive);
};

// The nearest double. REQUIRES a number.
double AsDouble(const json::Value& number);

// One attempt; with `whole`, only integers. The caller checks the result.
std::optional<json::Value> GenerateNumber(const NumberRange& range, bool whole, Rng& rng);

// `count` lowercase letters, in words if there are many.
std::string GenerateText(std::size_t count, Rng& rng);
std::string GenerateFormatted(Format format, Rng& rng);

}  // namespace openseat::schema

// Inspect: the structure of a schema, without compiling it: the keywords it uses and where, unknown ones, its size
// and depth. For diagnostics such as "the schema uses oneOf, which Neuro does not support".
//
// It knows which members of a schema contain schemas (properties/x), which are names (a property called "oneOf" is not
// the keyword) and which are plain data (enum, const, default, examples).
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "schema/budget.h"
#include "schema/paths.h"

namespace openseat::schema {

// One keyword in one subschema; views into the source.
struct KeywordUse {
  std::string_view keyword;
  const json::Object* schema = nullptr;  // contains the keyword
  PathId path{};                         // of `schema`
  std::uint32_t data_depth = 0;          // number of `properties` and `items` on the path to `schema`
};

// REQUIRES the source to outlive it.
struct Inspection {
  std::vector<KeywordUse> uses;         // every known keyword at every subschema, in document order
  std::vector<KeywordUse> unknown;      // members of subschemas that no 2020-12 vocabulary defines
  std::vector<std::string> root_types;  // the root's `type` values, as written; empty if absent
  std::size_t max_depth = 0;            // nested JSON arrays and objects
  std::size_t nodes = 0;                // JSON values
  std::size_t subschemas = 0;           // including the root
  std::size_t bytes = 0;                // about the length of json::Write's output
  bool is_schema = false;               // the root is an object or a boolean
  Paths paths;

  // RFC 6901, of the keyword itself: "/properties/a/oneOf". Built by each call; the cost grows with the path's names.
  std::string PointerOf(const KeywordUse& use) const { return paths.PointerOf(use.path, use.keyword); }

  // Number of uses, by keyword.
  std::map<std::string_view, std::size_t> Counts() const;
  // The first use of `keyword`, or nullptr.
  const KeywordUse* FirstUse(std::string_view keyword) const;
};

// Any JSON value. Iterative: no depth is too deep. Time and memory grow at most linearly with the source. Errors:
// kTooLarge if the budget is not enough.
Result<Inspection> Inspect(const json::Value& source, Budget& budget);
Result<Inspection> Inspect(json::Value&&, Budget&) = delete;  // would not outlive the result

}  // namespace openseat::schema

// Schema: a JSON Schema (draft 2020-12), compiled once into a flat program (docs/schema.md) and run against instances.
//
// A Schema is immutable: share it between threads as std::shared_ptr<const Schema> and run it from any of them. It
// keeps a copy of its source and of every document that it refers to.
//
// Schemas and instances may both be untrusted. Compile and validation never throw, never use the network, and
// are bounded in depth, time and memory, whatever the schema says (budget.h): an instance whose validation would exceed
// the bounds (a $ref that leads back to itself, a pattern that backtracks endlessly) is not valid, and the violation
// says so.
// REQUIRES of instances only what json::Parse guarantees: valid UTF-8 and a bounded depth.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "schema/budget.h"
#include "schema/documents.h"

namespace openseat::schema {

struct Program;

// One reason why an instance is not valid.
struct Violation {
  std::string instance_path;     // for people: "position[0]", "cards[2].name"; "" is the whole value
  std::string instance_pointer;  // RFC 6901: "/position/0"
  std::string schema_pointer;    // of the keyword: "/properties/position/items/enum"; in other documents "<uri>#/…"
  std::string keyword;           // "enum"; "false" for a false schema, "limit" if a bound was exceeded
  std::string message;           // one sentence: "`position[0]` must be one of 0, 1, 2; got 7"

  bool operator==(const Violation&) const = default;
};

// The violations' messages, joined into one short text for a person or a model: "a; b". "" for none.
std::string Explain(const std::vector<Violation>& violations);

// The defaults fit untrusted schemas. A schema beyond them does not compile (kTooLarge).
struct CompileLimits {
  std::size_t max_bytes = 1u << 20;          // text and structure of the source, about the length of Write's output
  std::size_t max_nodes = 50'000;            // JSON values in the source, and subschemas in all referenced documents
  std::size_t max_depth = 96;                // nested JSON arrays and objects
  std::size_t max_pattern_bytes = 4096;      // of one regular expression
  std::size_t max_patterns = 512;            // total regular expressions
  std::uint64_t max_steps = 20'000'000;      // to compile; about a fifth of a second
  std::uint32_t max_run_depth = 768;         // nested subschemas during validation
  std::uint64_t max_run_steps = kCallSteps;  // subschemas applied, items compared … in one validation
};

struct CompileOptions {
  bool assert_formats = false;  // `format` is an annotation unless set (or the $schema's vocabulary asserts it)
  std::string base_uri;         // base for a relative $id or $ref of the root; may be empty
  const Documents* documents = nullptr;  // documents for $ref; used only during Compile
  CompileLimits limits;
  Budget* budget = nullptr;  // used instead of limits.max_steps; only during Compile
};

class Schema {
 public:
  // Checks that `source` is a schema (by the rules of the meta-schema, including patterns and references) within the
  // limits. Errors: kSchema or kTooLarge with a sentence and the JSON pointer of the location as path, kUnsupported for
  // an unknown $schema or required vocabulary.
  static Result<std::shared_ptr<const Schema>> Compile(const json::Value& source, const CompileOptions& options = {});

  ~Schema();
  Schema(const Schema&) = delete;
  Schema& operator=(const Schema&) = delete;

  // The fast check: no text, and no allocation unless unevaluatedItems/-Properties must track more than 64 members.
  bool IsValid(const json::Value& instance) const;
  // Draws on `budget` instead of the schema's own limit. False if that is not enough; it is exhausted then.
  bool IsValid(const json::Value& instance, Budget& budget) const;
  // Empty if and only if IsValid. In a fixed order (the schema's, then the instance's), at most `max_violations`.
  // REQUIRES max_violations > 0.
  std::vector<Violation> Validate(const json::Value& instance, std::size_t max_violations = 8) const;
  std::vector<Violation> Validate(const json::Value& instance, Budget& budget, std::size_t max_violations = 8) const;

  const json::Value& source() const;
  // About how many bytes it takes, including its copy of the source and of documents.
  std::size_t memory() const;
  // For this module's own generator and tests.
  const Program& program() const { return *program_; }

 private:
  explicit Schema(std::unique_ptr<const Program> program);
  std::unique_ptr<const Program> program_;
};

}  // namespace openseat::schema

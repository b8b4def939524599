#include "schema/schema.h"

#include <utility>

#include "base/check.h"
#include "schema/validate/compile.h"
#include "schema/validate/program.h"
#include "schema/validate/run.h"

namespace openseat::schema {

Result<std::shared_ptr<const Schema>> Schema::Compile(const json::Value& source, const CompileOptions& options) {
  Result<std::unique_ptr<const Program>> program = CompileProgram(source, options);
  if (!program) return Fail(program.error());
  return std::shared_ptr<const Schema>(new Schema(std::move(*program)));
}

Schema::Schema(std::unique_ptr<const Program> program) : program_(std::move(program)) {}
Schema::~Schema() = default;

// The other IsValid is with its loop, in validate/quick.cc.

bool Schema::IsValid(const json::Value& instance, Budget& budget) const {
  return RunFast(*program_, program_->root, instance, budget);
}

std::vector<Violation> Schema::Validate(const json::Value& instance, std::size_t max_violations) const {
  Budget budget(program_->limits.max_run_steps);
  return Validate(instance, budget, max_violations);
}

std::vector<Violation> Schema::Validate(const json::Value& instance, Budget& budget, std::size_t max_violations) const {
  OPENSEAT_CHECK(max_violations > 0, "Validate must be allowed to report something");
  // The fast verdict decides, so the two cannot differ near a bound.
  if (IsValid(instance, budget)) return {};
  std::vector<Violation> found = RunCollecting(*program_, program_->root, instance, max_violations, budget);
  if (found.empty()) found.push_back(LimitViolation(*program_, budget));
  return found;
}

std::size_t Schema::memory() const {
  return program_->memory;
}

const json::Value& Schema::source() const {
  return program_->source;
}

}  // namespace openseat::schema

#include "schema/run.h"

#include <utility>

#include "schema/runner.h"
#include "schema/runner_combinators.h"
#include "schema/runner_containers.h"

namespace openseat::schema {

bool ApplyGenerally(State& state, NodeId id, const json::Value& value, Evaluated* evaluated) {
  return Runner<false>(state).Apply(id, state.program.nodes[id], value, nullptr, evaluated);
}

Violation LimitViolation(const Program& program) {
  return {"", "", program.paths.PointerOf(program.origins[program.root].path), "limit",
          "the value is too deep or too large to be checked against this schema"};
}

std::vector<Violation> RunCollecting(const Program& program, NodeId start, const json::Value& instance,
                                     std::size_t max_violations) {
  std::vector<Violation> found;
  State state(program, program.limits.max_run_steps);
  state.found = &found;
  state.max_found = max_violations;
  Runner<true>(state).Check(start, instance, nullptr, nullptr);
  // Where a bound was exceeded, what was found until then may hang on what was not finished.
  if (state.exhausted) found.assign(1, LimitViolation(program));
  return found;
}

}  // namespace openseat::schema

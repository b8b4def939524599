#include "schema/validate/run.h"

#include <string>
#include <utility>

#include "schema/validate/runner.h"
#include "schema/validate/runner_combinators.h"
#include "schema/validate/runner_containers.h"

namespace openseat::schema {

bool ApplyGenerally(State& state, NodeId id, const json::Value& value, Evaluated* evaluated) {
  return Runner<false>(state).Apply(id, state.program.nodes[id], value, nullptr, evaluated);
}

Violation LimitViolation(const Program& program, const Budget& budget) {
  return {"", "", program.paths.PointerOf(program.origins[program.root].path), "limit",
          "the schema needs more than " + std::to_string(budget.granted()) +
              " steps to check this value, or nests too deep"};
}

std::vector<Violation> RunCollecting(const Program& program, NodeId start, const json::Value& instance,
                                     std::size_t max_violations, Budget& budget) {
  std::vector<Violation> found;
  State state(program, budget.left());
  state.found = &found;
  state.max_found = max_violations;
  Runner<true>(state).Check(start, instance, nullptr, nullptr);
  // If a bound was exceeded, earlier findings may depend on unfinished checks.
  budget.SetLeft(state.exhausted ? 0 : state.steps);
  if (state.exhausted) found.assign(1, LimitViolation(program, budget));
  return found;
}

}  // namespace openseat::schema

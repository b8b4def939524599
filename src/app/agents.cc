#include "app/agents.h"

#include <utility>

#include "agents/make_agent.h"
#include "protocols/neuro/dial_agent.h"

namespace openseat::app {

Result<std::unique_ptr<Agent>> MakeAgent(const AgentSpec& spec) {
  if (spec.kind == "neuro") {
    Result<neuro::DialAgentOptions> options = neuro::ParseDialAgentOptions(spec.options);
    if (!options) return Fail(options.error());
    return std::make_unique<neuro::DialAgent>(std::move(*options), neuro::DialOverNetwork());
  }
  if (TakesSeed(spec.kind)) return MakeLocalAgent(spec);
  return Fail(ErrorCode::kNotFound, "no agent \"" + spec.kind + "\"; there are random, script and neuro", "kind");
}

bool TakesSeed(std::string_view kind) {
  return kind == "random" || kind == "script";
}

}  // namespace openseat::app

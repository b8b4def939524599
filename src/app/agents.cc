#include "app/agents.h"

#include <utility>

#include "agents/make_agent.h"
#include "agents/netrunner_bot/netrunner_bot.h"
#include "protocols/neuro/dial_agent.h"

namespace openseat::app {

Result<std::unique_ptr<Agent>> MakeAgent(const AgentSpec& spec, const llm::Models& models) {
  if (spec.kind == "neuro") {
    Result<neuro::DialAgentOptions> options = neuro::ParseDialAgentOptions(spec.options);
    if (!options) return Fail(options.error());
    return std::make_unique<neuro::DialAgent>(std::move(*options), neuro::DialOverNetwork());
  }
  if (spec.kind == "llm") return models.MakeAgent(spec.options);
  if (spec.kind == "bot") return MakeNetrunnerBot(spec.options);
  if (spec.kind == "random" || spec.kind == "script") return MakeLocalAgent(spec);
  return Fail(ErrorCode::kNotFound, "no agent \"" + spec.kind + "\"; there are random, script, bot, neuro and llm",
              "kind");
}

AgentFactory AgentsWith(const llm::Models& models) {
  return [&models](const AgentSpec& spec) { return MakeAgent(spec, models); };
}

bool TakesSeed(std::string_view kind) {
  return kind == "random" || kind == "script" || kind == "llm" || kind == "bot";
}

}  // namespace openseat::app

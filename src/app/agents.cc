#include "app/agents.h"

#include <utility>

#include "agents/external/external_agent.h"
#include "agents/make_agent.h"
#include "agents/netrunner_bot/netrunner_bot.h"
#include "agents/storyteller/storyteller.h"
#include "protocols/neuro/dial_agent.h"

namespace openseat::app {

Result<std::unique_ptr<Agent>> MakeAgent(const AgentSpec& spec, const AgentSupplies& supplies) {
  if (spec.kind == "neuro") {
    Result<neuro::DialAgentOptions> options = neuro::ParseDialAgentOptions(spec.options);
    if (!options) return Fail(options.error());
    return std::make_unique<neuro::DialAgent>(std::move(*options), neuro::DialOverNetwork());
  }
  if (spec.kind == "llm") return supplies.models.MakeAgent(spec.options);
  if (spec.kind == "external") {
    Result<ExternalAgentOptions> options = ParseExternalAgentOptions(spec.options);
    if (!options) return Fail(std::move(options).error());
    return std::make_unique<ExternalAgent>(std::move(*options));
  }
  if (spec.kind == "webhook" && supplies.webhooks != nullptr) {
    Result<agent_api::WebhookAgentOptions> options =
        agent_api::ParseWebhookAgentOptions(spec.options, supplies.webhooks->rules.policy);
    if (!options) return Fail(std::move(options).error());
    return std::make_unique<agent_api::WebhookAgent>(std::move(*options), *supplies.webhooks);
  }
  if (spec.kind == "bot") return MakeNetrunnerBot(spec.options);
  if (spec.kind == "storyteller") return MakeStoryteller(spec.options);
  if (spec.kind == "random" || spec.kind == "script") return MakeLocalAgent(spec);
  return Fail(ErrorCode::kNotFound,
              "no agent \"" + spec.kind +
                  "\"; there are random, script, bot, storyteller, neuro, llm, external and, on a server, webhook",
              "kind");
}

AgentFactory AgentsWith(const AgentSupplies& supplies) {
  return [supplies](const AgentSpec& spec) { return MakeAgent(spec, supplies); };
}

AgentFactory JournalledAgentsWith(const AgentSupplies& supplies) {
  return [supplies](const AgentSpec& spec) -> Result<std::unique_ptr<Agent>> {
    if (spec.kind == "webhook" && spec.options.contains("url")) {
      return Fail(
          ErrorCode::kInvalid,
          "a match with a webhook agent is made by POST /api/v1/matches, which keeps the key out of the journal",
          "url");
    }
    return MakeAgent(spec, supplies);
  };
}

bool TakesSeed(std::string_view kind) {
  return kind == "random" || kind == "script" || kind == "llm" || kind == "bot" || kind == "storyteller";
}

}  // namespace openseat::app

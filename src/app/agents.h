// The one table of the kinds of agents that can be seated: adding an agent is a row of it.
#pragma once

#include <string>
#include <memory>

#include "agents/kinds.h"
#include "agents/llm/models.h"
#include "core/agent.h"
#include "protocols/agent_api/webhook_agent.h"

namespace openseat::app {

// What agents need besides their options; outlives them and their table. Where something is nullptr, the agents that
// need it are described and cannot be made.
struct AgentSupplies {
  const llm::Models* models = nullptr;
  agent_api::WebhookWorld* webhooks = nullptr;
};

AgentKinds AgentsWith(const AgentSupplies& supplies);
// The table without any supplies: to read what names an agent, and to describe them.
const AgentKinds& DescribedAgents();
// All kinds with their options, for `--help`.
std::string AgentHelp();

// `kinds` outlives the factories.
AgentFactory FactoryOf(const AgentKinds& kinds);
// For tables that journal their agents' options: refuses those with a secret in them.
AgentFactory JournalledFactoryOf(const AgentKinds& kinds);

}  // namespace openseat::app

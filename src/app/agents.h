// The one table of the kinds of agents that can be seated: to add an agent, add a row.
#pragma once

#include <memory>
#include <string>

#include "agents/kinds.h"
#include "agents/llm/models.h"
#include "base/worker_pool.h"
#include "core/agent.h"
#include "protocols/agent_api/webhook_agent.h"

namespace openseat::app {

// What agents need besides their options; outlives them and their table. If a member is nullptr, the agents that need
// it are described but cannot be made.
struct AgentSupplies {
  const llm::Models* models = nullptr;
  agent_api::WebhookWorld* webhooks = nullptr;
  WorkerPool* thinkers = nullptr;  // for those who search
};

AgentKinds AgentsWith(const AgentSupplies& supplies);
// The table without any supplies: to parse agents' names, and to describe the agents.
const AgentKinds& DescribedAgents();
// All kinds with their options, for `--help`.
std::string AgentHelp();

// `kinds` outlives the factories.
AgentFactory FactoryOf(const AgentKinds& kinds);
// For tables that journal their agents' options: rejects options that contain a secret.
AgentFactory JournalledFactoryOf(const AgentKinds& kinds);

}  // namespace openseat::app

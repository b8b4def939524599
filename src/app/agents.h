// The explicit table of the agents that can be seated, by kind: random, script, bot (Netrunner), storyteller
// (narrative games), neuro, llm, external and webhook.
#pragma once

#include <memory>
#include <string_view>

#include "agents/llm/models.h"
#include "core/agent.h"
#include "protocols/agent_api/webhook_agent.h"

namespace openseat::app {

// What agents need besides their options; outlives them and their factory.
struct AgentSupplies {
  const llm::Models& models;
  agent_api::WebhookWorld* webhooks = nullptr;  // null: no webhook agents here
};

// Errors: kNotFound for a kind that is not among them, else what is wrong with the options. Connects to nothing yet.
Result<std::unique_ptr<Agent>> MakeAgent(const AgentSpec& spec, const AgentSupplies& supplies);
// The same as a factory.
AgentFactory AgentsWith(const AgentSupplies& supplies);
// For tables that journal their agents' options: refuses those with a secret in them.
AgentFactory JournalledAgentsWith(const AgentSupplies& supplies);

// Every kind with its options, as help shows it; a test compares it with what the kinds take.
extern const char* const kAgentHelp;

// Whether the kind has the option "seed".
bool TakesSeed(std::string_view kind);

}  // namespace openseat::app

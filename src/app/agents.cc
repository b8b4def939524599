#include "app/agents.h"

#include <utility>

#include "agents/command/command_agent.h"
#include "agents/external/external_agent.h"
#include "agents/netrunner_bot/netrunner_bot.h"
#include "agents/random_agent.h"
#include "agents/script_agent.h"
#include "agents/search/search_agent.h"
#include "agents/storyteller/storyteller.h"
#include "protocols/neuro/dial_agent.h"

namespace openseat::app {
namespace {

AgentKind BotKind() {
  return {.kind = "bot",
          .title = "Bot",
          .description = "Plays Netrunner sensibly, without a model.",
          .game = "netrunner",
          .plays_from = PlaysFrom::kHere,
          .named_by = Namer::kPlayer,
          .options = R"({
            "type": "object",
            "properties": {
              "seed": {"type": "integer", "minimum": 0, "maximum": 9007199254740991, "x-namedBy": "player",
                "description": "The same seed plays the same; a fresh one by default."}
            },
            "additionalProperties": false
          })",
          .make = MakeNetrunnerBot};
}

AgentKind ExternalKind() {
  return {.kind = "external",
          .title = "Agent from outside",
          .description = "Played by the holder of the seat's token, over REST or MCP.",
          .plays_from = PlaysFrom::kOutside,
          .named_by = Namer::kAdmin,
          .options = R"({
            "type": "object",
            "properties": {
              "account": {"type": "string", "description": "The account, by id or name, whose API keys play the seat."},
              "token_sha256": {"type": "string", "x-namedBy": "server"},
              "key_sha256": {"type": "string", "x-namedBy": "server"}
            },
            "additionalProperties": false
          })",
          .make = [](const json::Object& options) -> Result<std::unique_ptr<Agent>> {
            Result<ExternalAgentOptions> read = ParseExternalAgentOptions(options);
            if (!read) return Fail(std::move(read).error());
            return std::make_unique<ExternalAgent>(std::move(*read));
          }};
}

}  // namespace

AgentKinds AgentsWith(const AgentSupplies& supplies) {
  return AgentKinds({
      RandomKind(),
      ScriptKind(),
      CommandKind(),
      BotKind(),
      search::SearchKind(supplies.thinkers),
      StorytellerKind(),
      llm::LlmKind(supplies.models),
      neuro::DialKind(),
      ExternalKind(),
      agent_api::WebhookKind(supplies.webhooks),
  });
}

const AgentKinds& DescribedAgents() {
  static const AgentKinds kinds = AgentsWith({});
  return kinds;
}

AgentFactory FactoryOf(const AgentKinds& kinds) {
  return [&kinds](const AgentSpec& spec) { return kinds.Make(spec); };
}

AgentFactory JournalledFactoryOf(const AgentKinds& kinds) {
  return [&kinds](const AgentSpec& spec) -> Result<std::unique_ptr<Agent>> {
    if (spec.kind == "webhook" && spec.options.contains("url")) {
      return Fail(
          ErrorCode::kInvalid,
          "a match with a webhook agent is made by POST /api/v1/matches, which keeps the key out of the journal",
          "url");
    }
    return kinds.Make(spec);
  };
}

}  // namespace openseat::app

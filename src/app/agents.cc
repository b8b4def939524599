#include "app/agents.h"

#include <utility>

#include "agents/command/command_agent.h"
#include "agents/external/external_agent.h"
#include "agents/random_agent.h"
#include "agents/script_agent.h"
#include "agents/search/search_agent.h"
#include "agents/storyteller/storyteller.h"
#include "base/json_members.h"
#include "base/secure_random.h"
#include "protocols/neuro/dial_agent.h"

namespace openseat::app {
namespace {

// About 5 ms a choice.
constexpr std::uint64_t kBotIterations = 60;

AgentKind BotKind(WorkerPool* pool) {
  return {
      .kind = "bot",
      .title = "Bot",
      .description = "Plays Netrunner by playing ahead a little, without a model: quick, and always as well as it can.",
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
      .make = [pool](const json::Object& options) -> Result<std::unique_ptr<Agent>> {
        search::SearchAgentOptions bot{.kind = "bot"};
        const std::optional<std::uint64_t> seed = json::WholeOf(options, "seed");
        bot.search.seed = seed ? *seed : SecureRandom64();
        bot.search.limits.iterations = kBotIterations;
        return std::make_unique<search::SearchAgent>(std::move(bot), pool);
      }};
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
      BotKind(supplies.thinkers),
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

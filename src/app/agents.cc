#include "app/agents.h"

#include <utility>

#include "agents/external/external_agent.h"
#include "agents/make_agent.h"
#include "agents/netrunner_bot/netrunner_bot.h"
#include "agents/storyteller/storyteller.h"
#include "protocols/neuro/dial_agent.h"

namespace openseat::app {

const char* const kAgentHelp = R"(Agents, as KIND or KIND:OPTION=VALUE,OPTION=VALUE:
  random        chooses at random; its data always fits the schema
                  seed=N           makes it repeatable
                  delay_ms=MS      answers only after so long
                  act_every_ms=MS  acts unasked as well, about this often
                  invalid=SHARE    0 to 1: how many choices are wrong on purpose
                  answer=false     answers nothing
  script:FILE   plays a file: {"ACTION": DATA, ...}, or [{"action": ..., "data": ...}, ...]
                  In the config file: file, script (the same inline) and seed.
  bot           the built-in player of Netrunner: seed
  storyteller   the built-in narrator of stories: seed, delay_ms
  llm:NAME      a language model of --model or [models.NAME] (docs/models.md)
                  model=NAME       the same as llm:NAME
                  instructions=TEXT  what it is told besides the rules
                  voluntary=true   acts unasked as well
                  voluntary_every=S  at most this often (30)
                  seed=N           makes the tries repeatable
  neuro:URL     a backend of the Neuro API elsewhere plays the seat
                  url=URL          the same as neuro:URL
                  game=NAME        what the game is called there
                  patience_ms=MS   how long to wait for its answer
                  force_again_ms=MS  how soon it is asked again
  external      whoever has the seat's token: over REST or MCP (docs/protocols/agent_api.md)
  webhook       the same, told by webhooks; made by POST /api/v1/matches, which keeps its key secret)";

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

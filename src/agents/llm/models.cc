#include "agents/llm/models.h"

#include "agents/llm/llm_agent.h"
#include "base/check.h"
#include "base/json_members.h"
#include "base/secure_random.h"
#include "base/text.h"

namespace openseat::llm {
namespace {

// Tables that are over are forgotten when there are more than this.
constexpr std::size_t kMaxTables = 10'000;
constexpr double kVoluntaryEvery = 30;  // seconds

}  // namespace

std::shared_ptr<Spending> ModelEntry::SpendingAt(const TableId& table) {
  const std::lock_guard lock(mutex_);
  if (spendings_.size() > kMaxTables) {
    std::erase_if(spendings_, [](const auto& entry) { return entry.second.use_count() == 1; });
  }
  std::shared_ptr<Spending>& spending = spendings_[table];
  if (!spending) spending = std::make_shared<Spending>();
  return spending;
}

Models::Models(std::vector<Model> models, net::HttpCaller& http, CallPolicy policy) : http_(http), policy_(policy) {
  for (Model& model : models) {
    std::string name = model.name;
    models_[std::move(name)] = std::make_unique<ModelEntry>(std::move(model));
  }
}

ModelEntry* Models::Find(std::string_view name) const {
  const auto found = models_.find(name);
  return found == models_.end() ? nullptr : found->second.get();
}

std::vector<const ModelEntry*> Models::All() const {
  std::vector<const ModelEntry*> all;
  for (const auto& [name, entry] : models_) all.push_back(entry.get());
  return all;
}

std::string Models::Names() const {
  std::string names;
  for (const auto& [name, entry] : models_) names += (names.empty() ? "" : ", ") + name;
  return names;
}

Result<std::unique_ptr<Agent>> Models::MakeAgent(const json::Object& options) const {
  const std::string name(json::TextOf(options, "model"));
  ModelEntry* entry = Find(name);
  if (entry == nullptr) {
    const std::string names = Names();
    return Fail(ErrorCode::kNotFound,
                "there is no model " + Quote(name) + "; " +
                    (names.empty() ? "none is configured (--model or [models.NAME])" : "available: " + names),
                "model");
  }
  LlmAgentOptions read;
  read.instructions = json::TextOf(options, "instructions");
  read.voluntary = json::BoolOf(options, "voluntary", false);
  const double every = json::NumberOf(options, "voluntary_every", kVoluntaryEvery);
  read.voluntary_every = Duration(static_cast<std::int64_t>(every * 1e6));
  const std::optional<std::uint64_t> seed = json::WholeOf(options, "seed");
  read.seed = seed ? *seed : SecureRandom64();
  return std::make_unique<LlmAgent>(*entry, http_, policy_, std::move(read));
}

AgentKind LlmKind(const Models* models) {
  return {.kind = "llm",
          .title = "Language model",
          .description = "A language model that the server was given.",
          .plays_from = PlaysFrom::kElsewhere,
          // The spending caps belong to the model's description.
          .named_by = Namer::kPlayer,
          .options = R"({
            "type": "object",
            "properties": {
              "model": {"type": "string", "minLength": 1, "x-namedBy": "player",
                "description": "Its name, by --model or [models.NAME]; GET /api/v1/models has them."},
              "instructions": {"type": "string", "maxLength": 20000,
                "description": "What it is told after the rules: a character, a strategy."},
              "voluntary": {"type": "boolean",
                "description": "Whether it may act on what it is told without being asked; false by default."},
              "voluntary_every": {"type": "number", "minimum": 0, "maximum": 86400,
                "description": "At most this often, in seconds; 30 by default."},
              "seed": {"type": "integer", "minimum": 0, "maximum": 18446744073709551615, "x-namedBy": "player",
                "description": "Of the pauses between its tries; a fresh one by default."}
            },
            "required": ["model"],
            "additionalProperties": false
          })",
          .bare = "model",
          .make = [models](const json::Object& options) -> Result<std::unique_ptr<Agent>> {
            OPENSEAT_CHECK(models != nullptr, "this table of agents describes only");
            return models->MakeAgent(options);
          }};
}

}  // namespace openseat::llm

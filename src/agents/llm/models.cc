#include "agents/llm/models.h"

#include "agents/llm/llm_agent.h"
#include "agents/options.h"
#include "base/secure_random.h"

namespace openseat::llm {
namespace {

// Tables that are over are forgotten when there are more than this.
constexpr std::size_t kMaxTables = 10'000;
constexpr std::size_t kMaxInstructions = 20'000;  // bytes
constexpr double kLargestSeed = 9007199254740992.0;

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

Models::Models(std::vector<Model> models, net::HttpCaller& http) : http_(http) {
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
  if (auto known =
          agents::CheckKnown(options, "llm", {"model", "instructions", "voluntary", "voluntary_every", "seed"});
      !known) {
    return Fail(known.error());
  }
  const auto name = agents::TextOption(options, "model", "");
  if (!name) return Fail(name.error());
  ModelEntry* entry = Find(*name);
  if (entry == nullptr) {
    const std::string names = Names();
    return Fail(ErrorCode::kNotFound,
                "there is no model \"" + *name + "\"; " +
                    (names.empty() ? "none is configured (--model or [models.NAME])" : "there are " + names),
                "model");
  }
  LlmAgentOptions parsed;
  const auto instructions = agents::TextOption(options, "instructions", "");
  if (!instructions) return Fail(instructions.error());
  if (instructions->size() > kMaxInstructions) {
    return Fail(ErrorCode::kTooLarge, "instructions are at most 20,000 bytes", "instructions");
  }
  parsed.instructions = *instructions;
  const auto voluntary = agents::BoolOption(options, "voluntary", false);
  if (!voluntary) return Fail(voluntary.error());
  parsed.voluntary = *voluntary;
  const auto every = agents::NumberOption(options, "voluntary_every", 30, 0, 86'400);
  if (!every) return Fail(every.error());
  parsed.voluntary_every = Duration(static_cast<std::int64_t>(*every * 1e6));
  const auto seed = agents::NumberOption(options, "seed", -1, -1, kLargestSeed);
  if (!seed) return Fail(seed.error());
  parsed.seed = *seed < 0 ? SecureRandom64() : static_cast<std::uint64_t>(*seed);
  return std::make_unique<LlmAgent>(*entry, http_, std::move(parsed));
}

}  // namespace openseat::llm

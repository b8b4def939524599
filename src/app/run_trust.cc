#include "app/run_trust.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>

#include "agents/llm/redact.h"
#include "app/agents.h"
#include "app/config.h"
#include "app/data_dir.h"
#include "base/file.h"
#include "base/secure_random.h"
#include "base/text.h"

namespace openseat::app {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kRunKeyLength = 52;  // 260 bits

// The options of agents that say what they reach.
constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kVerbs{
    {{"program", "run the program"}, {"log", "append to the file"}, {"file", "read the file"}, {"url", "connect to"}}};

std::string InQuotes(std::string_view text) {
  return " \"" + std::string(text) + "\"";
}

void AddDeeds(const std::string& agent, std::set<std::string>& asked, std::vector<std::string>& deeds) {
  const std::size_t before = deeds.size();
  const Result<AgentSpec> spec = DescribedAgents().Parse(agent);
  if (spec && spec->kind == "llm") {
    asked.emplace(json::TextOf(spec->options, "model"));
    return;
  }
  if (spec) {
    for (const auto& [option, verb] : kVerbs) {
      if (!spec->options.contains(option)) continue;
      deeds.push_back(std::string(verb) + InQuotes(json::TextOf(spec->options, option)));
    }
  }
  if (deeds.size() == before && ReachesOut(agent)) deeds.push_back("play with the agent" + InQuotes(agent));
}

std::string Asking(const llm::Model& model, const std::string& keys) {
  std::string deed = "ask the model" + InQuotes(model.name) + " (" + std::string(llm::ProviderName(model.provider)) +
                     ", " + model.model + ") at " + model.base_url;
  if (!keys.empty()) deed += ", with " + keys;
  if (model.proxy && !model.proxy->empty()) deed += ", through the proxy " + *model.proxy;
  return llm::Redactor(model)(deed);
}

std::vector<llm::Model> ModelsIn(const std::string& file) {
  std::error_code error;
  if (!fs::is_regular_file(file, error)) return {};
  Config config;
  if (!ReadConfigFile(file, config)) return {};
  return std::move(config.models);
}

void AddModels(const arena::RunSpec& spec, const std::set<std::string>& asked, std::vector<std::string>& deeds) {
  std::set<std::string> known;
  for (const std::string& flag : spec.model_flags) {
    std::string keys;
    const auto environment = [&keys](const std::string& name) {
      std::optional<std::string> value = FromEnvironment(name);
      if (value && !value->empty()) keys += (keys.empty() ? "" : " and ") + name;
      return value;
    };
    const Result<llm::Model> model = llm::ParseModelFlag(flag, environment);
    if (model) known.insert(model->name);
    deeds.push_back(model ? Asking(*model, keys) : "ask the model" + InQuotes(flag));
  }
  if (!spec.config.empty()) {
    deeds.push_back("take the models of the file" + InQuotes(spec.config));
    for (const llm::Model& model : ModelsIn(spec.config)) {
      if (!asked.contains(model.name) || !known.insert(model.name).second) continue;
      deeds.push_back(Asking(model, model.api_key.empty() ? "" : "the key that it names"));
    }
  }
  for (const std::string& name : asked) {
    if (!known.contains(name)) deeds.push_back("ask the model" + InQuotes(name));
  }
  if (asked.empty()) return;
  deeds.push_back(spec.budget.cost ? fmt::format("spend up to ${:g} on models", *spec.budget.cost)
                                   : "spend on models without a limit of --max-cost");
}

std::string KeyFile(const std::string& data_dir) {
  return data_dir + "/run-key";
}

}  // namespace

bool ReachesOut(const std::string& agent) {
  const AgentKinds& kinds = DescribedAgents();
  const Result<AgentSpec> spec = kinds.Parse(agent);
  if (!spec || kinds.Find(spec->kind)->CostsOperator()) return true;
  const Result<void> allowed = kinds.Check(*spec, Namer::kAdmin);
  return !allowed && allowed.error().code == ErrorCode::kDenied;
}

bool ReachesOut(const arena::RunSpec& spec) {
  return !spec.model_flags.empty() || !spec.config.empty() || spec.pool ||
         std::ranges::any_of(spec.agents, [](const std::string& agent) { return ReachesOut(agent); });
}

std::vector<std::string> DeedsOf(const arena::RunSpec& spec) {
  std::vector<std::string> deeds;
  std::set<std::string> asked;  // models, by name
  for (const std::string& agent : spec.agents) AddDeeds(agent, asked, deeds);
  AddModels(spec, asked, deeds);
  if (spec.pool) deeds.push_back("read the ladder" + InQuotes(spec.pool->file) + " with its runs, and write it");
  for (std::string& deed : deeds) deed = Printable(deed);
  return deeds;
}

Result<std::string> ReadRunKey(const std::string& data_dir) {
  const std::string path = KeyFile(data_dir);
  const int file = open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (file < 0 && errno == ENOENT) return Fail(ErrorCode::kNotFound, "there is no " + path, path);
  if (file < 0) return Fail(FileError("read", path));
  struct stat status{};
  const bool ours =
      fstat(file, &status) == 0 && S_ISREG(status.st_mode) && status.st_uid == geteuid() && (status.st_mode & 077) == 0;
  std::string key(kRunKeyLength + 1, '\0');
  const ssize_t size = ours ? read(file, key.data(), key.size()) : 0;
  close(file);
  if (!ours) {
    return Fail(ErrorCode::kDenied, path + " must be a file of yours that nobody else can read (mode 0600)", path);
  }
  key.resize(static_cast<std::size_t>(std::max<ssize_t>(size, 0)));
  if (key.size() == kRunKeyLength) return key;
  return Fail(ErrorCode::kParse,
              path + " should contain a key of " + std::to_string(kRunKeyLength) +
                  " characters; delete it, and runs that are under way need --trust to go on",
              path);
}

Result<std::string> MakeRunKey(const std::string& data_dir) {
  if (Result<std::string> key = ReadRunKey(data_dir); key || key.error().code != ErrorCode::kNotFound) return key;
  if (Result<void> opened = OpenDataDir(data_dir); !opened) return Fail(opened.error());
  // Another run may begin at the same time: a key is there as a whole or not at all, and the first one counts.
  const std::string path = KeyFile(data_dir);
  const std::string made = path + "." + SecureToken(8);
  if (Result<void> written = ReplaceFile(made, SecureToken(kRunKeyLength)); !written) return Fail(written.error());
  Result<void> kept;
  if (link(made.c_str(), path.c_str()) != 0 && errno != EEXIST) kept = Fail(FileError("create", path));
  unlink(made.c_str());
  return kept ? ReadRunKey(data_dir) : Fail(kept.error());
}

}  // namespace openseat::app

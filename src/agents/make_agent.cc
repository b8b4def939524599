#include "agents/make_agent.h"

#include <utility>

#include "agents/options.h"
#include "agents/random_agent.h"
#include "agents/script_agent.h"

namespace openseat {

Result<std::unique_ptr<Agent>> MakeLocalAgent(const AgentSpec& spec) {
  if (spec.kind == "random") {
    const Result<RandomAgentOptions> options = ParseRandomAgentOptions(spec.options);
    if (!options) return Fail(options.error());
    return std::make_unique<RandomAgent>(*options);
  }
  if (spec.kind == "script") {
    if (auto known = agents::CheckKnown(spec.options, "script", {"file", "seed", "script"}); !known)
      return Fail(known.error());
    const auto seed = agents::NumberOption(spec.options, "seed", 0, 0, 9007199254740992.0);
    if (!seed) return Fail(seed.error());
    Result<Script> script = Fail(ErrorCode::kInvalid, "the agent \"script\" needs a file: script:FILE", "file");
    if (const json::Value* given = json::Find(spec.options, "script")) {
      script = ParseScript(*given);
    } else if (const auto file = agents::TextOption(spec.options, "file", ""); !file) {
      return Fail(file.error());
    } else if (!file->empty()) {
      script = LoadScript(*file);
    }
    if (!script) return Fail(script.error());
    return std::make_unique<ScriptAgent>(std::move(*script), static_cast<std::uint64_t>(*seed));
  }
  return Fail(ErrorCode::kNotFound, "no agent \"" + spec.kind + "\"; there are random and script", "kind");
}

Result<AgentSpec> ParseAgentSpec(std::string_view text) {
  AgentSpec spec;
  const std::size_t colon = text.find(':');
  spec.kind = std::string(text.substr(0, colon));
  if (spec.kind.empty())
    return Fail(ErrorCode::kInvalid, "an agent is random or script:FILE; got \"" + std::string(text) + "\"");
  if (colon == std::string_view::npos) return spec;
  std::string_view rest = text.substr(colon + 1);
  if (spec.kind == "script") {
    spec.options["file"] = std::string(rest);
    return spec;
  }
  while (!rest.empty()) {
    const std::string_view option = rest.substr(0, rest.find(','));
    rest.remove_prefix(option.size() == rest.size() ? rest.size() : option.size() + 1);
    if (option.starts_with("ws://") || option.starts_with("wss://")) {
      spec.options["url"] = std::string(option);
      continue;
    }
    const std::size_t equals = option.find('=');
    if (spec.kind == "llm" && equals == std::string_view::npos && !spec.options.contains("model")) {
      spec.options["model"] = std::string(option);
      continue;
    }
    if (equals == std::string_view::npos || equals == 0) {
      return Fail(ErrorCode::kInvalid, "an agent's options are name=value,…; got \"" + std::string(option) + "\"");
    }
    const std::string value(option.substr(equals + 1));
    const Result<json::Value> parsed = json::Parse(value);
    spec.options[std::string(option.substr(0, equals))] = parsed ? *parsed : json::Value(value);
  }
  return spec;
}

}  // namespace openseat

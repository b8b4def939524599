#include "agents/llm/model.h"

#include <algorithm>
#include <initializer_list>
#include <iterator>

#include "agents/options.h"
#include "base/text.h"

namespace openseat::llm {
namespace {

using agents::NumberOption;
using agents::TextOption;

struct ProviderInfo {
  Provider provider;
  std::string_view name;
  std::string_view base_url;
  std::string_view key_variable;
};
constexpr ProviderInfo kProviders[] = {
    {Provider::kOpenAi, "openai", "https://api.openai.com/v1", "OPENAI_API_KEY"},
    {Provider::kResponses, "responses", "https://api.openai.com/v1", "OPENAI_API_KEY"},
    {Provider::kGemini, "gemini", "https://generativelanguage.googleapis.com/v1beta", "GEMINI_API_KEY"},
    {Provider::kAnthropic, "anthropic", "https://api.anthropic.com/v1", "ANTHROPIC_API_KEY"},
};

constexpr std::string_view kOptions[] = {"provider",
                                         "base_url",
                                         "model",
                                         "api_key",
                                         "api_key_env",
                                         "headers",
                                         "proxy",
                                         "body",
                                         "temperature",
                                         "top_p",
                                         "seed",
                                         "structured",
                                         "reasoning",
                                         "effort",
                                         "stream",
                                         "cache",
                                         "thinking_tokens",
                                         "tokens_member",
                                         "max_tokens",
                                         "context_tokens",
                                         "timeout",
                                         "total_timeout",
                                         "retries",
                                         "backoff",
                                         "max_wait",
                                         "max_concurrent",
                                         "requests_per_minute",
                                         "input_price",
                                         "cached_price",
                                         "created_price",
                                         "output_price",
                                         "table_tokens",
                                         "table_cost",
                                         "daily_tokens",
                                         "daily_cost"};

const ProviderInfo& InfoOf(Provider provider) {
  return *std::find_if(std::begin(kProviders), std::end(kProviders),
                       [&](const ProviderInfo& info) { return info.provider == provider; });
}

Result<const ProviderInfo*> FindProvider(std::string_view name) {
  for (const ProviderInfo& info : kProviders) {
    if (info.name == name) return &info;
  }
  return Fail(ErrorCode::kInvalid,
              "a provider is openai (and whatever speaks like it), responses, gemini or anthropic; got " + Quote(name),
              "provider");
}

Result<std::string> CheckUrl(std::string url, Provider provider) {
  if (url.empty()) return std::string(InfoOf(provider).base_url);
  if (!url.starts_with("http://") && !url.starts_with("https://")) {
    return Fail(ErrorCode::kInvalid, "a model's URL begins with http:// or https://; got " + Quote(url), "base_url");
  }
  if (url.find_first_of("?#") != std::string::npos || url.find('@') != std::string::npos) {
    return Fail(ErrorCode::kInvalid, "a model's URL has no query and no password; keys belong in api_key_env",
                "base_url");
  }
  while (url.ends_with('/')) url.pop_back();
  // A bare host stands for the path of the provider's own API.
  if (url.find('/', url.find("://") + 3) == std::string::npos) {
    url += provider == Provider::kGemini ? "/v1beta" : "/v1";
  }
  return url;
}

Result<void> CheckName(std::string_view name) {
  const bool fits = !name.empty() && name.size() <= 64 && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_' ||
           c == '.';
  });
  if (fits) return {};
  return Fail(ErrorCode::kInvalid,
              "a model's name has letters, digits, dots, dashes and underscores; got " + Quote(name), "models");
}

Duration Seconds(double seconds) {
  return Duration(static_cast<std::int64_t>(seconds * 1e6));
}

Result<std::string> ReadKey(const json::Object& options, Provider provider, const Environment& environment) {
  const auto given = TextOption(options, "api_key", "");
  if (!given) return Fail(ErrorCode::kInvalid, "api_key must be a string", "api_key");  // without its value
  const json::Value* named = json::Find(options, "api_key_env");
  if (named == nullptr) {
    if (!given->empty()) return *given;
    return environment(std::string(InfoOf(provider).key_variable)).value_or("");
  }
  if (!given->empty()) return Fail(ErrorCode::kInvalid, "give api_key or api_key_env, not both", "api_key");
  const auto variable = TextOption(options, "api_key_env", "");
  if (!variable) return Fail(variable.error());
  if (variable->empty()) return std::string();
  if (auto value = environment(*variable); value && !value->empty()) return *value;
  return Fail(ErrorCode::kInvalid, "the environment has no " + *variable, "api_key_env");
}

Result<void> ReadNumbers(const json::Object& options, Model& model) {
  const auto number = [&](std::string_view name, double low, double high, auto use) -> Result<void> {
    if (!options.contains(name)) return {};
    const auto value = NumberOption(options, name, 0, low, high);
    if (!value) return Fail(value.error());
    use(*value);
    return {};
  };
  const auto count = [](std::uint64_t& out) {
    return [&out](double value) { out = static_cast<std::uint64_t>(value); };
  };
  constexpr double kMany = 1e12;
  constexpr double kDay = 86'400;
  for (const Result<void>& read :
       {number("temperature", 0, 2, [&](double value) { model.temperature = value; }),
        number("top_p", 0, 1, [&](double value) { model.top_p = value; }),
        number("seed", 0, 9'007'199'254'740'991, [&](double value) { model.seed = static_cast<std::uint64_t>(value); }),
        number("thinking_tokens", 0, 10'000'000, count(model.thinking_tokens)),
        number("total_timeout", 0.001, kDay, [&](double value) { model.total_timeout = Seconds(value); }),
        number("max_concurrent", 0, 100'000, count(model.max_concurrent)),
        number("requests_per_minute", 0, kMany, [&](double value) { model.requests_per_minute = value; }),
        number("max_tokens", 1, 10'000'000, count(model.max_tokens)),
        number("context_tokens", 256, 100'000'000, count(model.context_tokens)),
        number("timeout", 0.001, kDay, [&](double value) { model.timeout = Seconds(value); }),
        number("retries", 0, 100, [&](double value) { model.retries = static_cast<int>(value); }),
        number("backoff", 0, kDay, [&](double value) { model.backoff = Seconds(value); }),
        number("max_wait", 0, kDay, [&](double value) { model.max_wait = Seconds(value); }),
        number("input_price", 0, kMany, [&](double value) { model.input_price = value; }),
        number("cached_price", 0, kMany, [&](double value) { model.cached_price = value; }),
        number("created_price", 0, kMany, [&](double value) { model.created_price = value; }),
        number("output_price", 0, kMany, [&](double value) { model.output_price = value; }),
        number("table_tokens", 0, kMany, count(model.table_tokens)),
        number("table_cost", 0, kMany, [&](double value) { model.table_cost = value; }),
        number("daily_tokens", 0, kMany, count(model.daily_tokens)),
        number("daily_cost", 0, kMany, [&](double value) { model.daily_cost = value; })}) {
    if (!read) return read;
  }
  return {};
}

Result<void> ReadHeaders(const json::Object& options, Model& model) {
  const json::Value* headers = json::Find(options, "headers");
  if (headers == nullptr) return {};
  if (!headers->is_object()) return Fail(ErrorCode::kInvalid, "headers must be a table of strings", "headers");
  for (const auto& member : headers->get_object()) {
    const std::string name(member.key());
    if (!member.value().is_string())
      return Fail(ErrorCode::kInvalid, "the header " + name + " must be a string", "headers");
    const std::string_view value = json::View(member.value().get_string());
    if (name.empty() || (name + std::string(value)).find_first_of("\r\n") != std::string::npos) {
      return Fail(ErrorCode::kInvalid, "the header " + name + " may not have line breaks", "headers");
    }
    model.headers.emplace_back(name, value);
  }
  return {};
}

// One of several words, each with its value.
template <typename T>
Result<T> WordOption(const json::Object& options, std::string_view name, T fallback,
                     std::initializer_list<std::pair<std::string_view, T>> words) {
  const auto given = TextOption(options, name, "");
  if (!given) return Fail(given.error());
  if (given->empty() && !options.contains(name)) return fallback;
  std::string known;
  for (const auto& [word, value] : words) {
    if (*given == word) return value;
    known += (known.empty() ? "\"" : ", \"") + std::string(word) + "\"";
  }
  return Fail(ErrorCode::kInvalid, std::string(name) + " must be one of " + known + "; got " + Quote(*given),
              std::string(name));
}

Result<void> ReadAnswering(const json::Object& options, Model& model) {
  const auto structured = WordOption<Structured>(options, "structured", Structured::kSchema,
                                                 {{"schema", Structured::kSchema},
                                                  {"tool", Structured::kTool},
                                                  {"object", Structured::kObject},
                                                  {"none", Structured::kNone}});
  if (!structured) return Fail(structured.error());
  model.structured = *structured;
  const auto stream = agents::BoolOption(options, "stream", true);
  if (!stream) return Fail(stream.error());
  model.stream = *stream;
  const auto cache = agents::BoolOption(options, "cache", true);
  if (!cache) return Fail(cache.error());
  model.cache = *cache;
  if (!options.contains("tokens_member")) return {};
  const auto member = TextOption(options, "tokens_member", "");
  if (!member) return Fail(member.error());
  model.tokens_member = *member;
  return {};
}

constexpr std::uint64_t kAnswerTokens = 4'096;  // next to a given number for thoughts

// By default a model thinks by itself where its API always offers that, or where an effort is set; elsewhere it gives
// its reasons in the answer.
Result<void> ReadThinking(const json::Object& options, Model& model) {
  const auto effort = TextOption(options, "effort", "");
  if (!effort) return Fail(effort.error());
  model.effort = *effort;
  const bool asked = !model.effort.empty() || options.contains("thinking_tokens");
  const Thinking usual = asked || model.provider != Provider::kOpenAi ? Thinking::kNative : Thinking::kField;
  const auto reasoning = WordOption<Thinking>(options, "reasoning", usual,
                                              {{"native", Thinking::kNative},
                                               {"field", Thinking::kField},
                                               {"free", Thinking::kFree},
                                               {"none", Thinking::kNone}});
  if (!reasoning) return Fail(reasoning.error());
  model.thinking = *reasoning;
  if (asked && model.thinking != Thinking::kNative) {
    return Fail(ErrorCode::kInvalid, "effort and thinking_tokens are for reasoning = \"native\"", "reasoning");
  }
  if (model.thinking == Thinking::kNative) {
    // Both include the thoughts.
    model.max_tokens = 16'384;
    const json::Value* budget = json::Find(options, "thinking_tokens");
    if (budget != nullptr && budget->is_number()) {
      const double tokens = std::clamp(budget->to_number<double>(), 0.0, 1e7);
      model.max_tokens = std::max(model.max_tokens, static_cast<std::uint64_t>(tokens) + kAnswerTokens);
    }
    model.timeout = std::chrono::minutes(5);
  }
  return {};
}

}  // namespace

std::string_view ProviderName(Provider provider) {
  return InfoOf(provider).name;
}

static_assert(std::size(kOptions) == kModelOptions);

bool IsModelOption(std::string_view name) {
  return std::find(std::begin(kOptions), std::end(kOptions), name) != std::end(kOptions);
}

Error NoModelOption(std::string_view name) {
  return Error{ErrorCode::kInvalid, "a model has no option " + Quote(name) + "; the options are " + Listing(kOptions),
               Ellipsize(name, kQuotedBytes)};
}

std::string_view MissingKey(const Model& model) {
  const ProviderInfo& info = InfoOf(model.provider);
  const bool needed = model.base_url == info.base_url && model.api_key.empty() && model.headers.empty();
  return needed ? info.key_variable : std::string_view();
}

Result<Model> ParseModel(const std::string& name, const json::Object& options, const Environment& environment) {
  if (auto fits = CheckName(name); !fits) return Fail(fits.error());
  for (const auto& member : options) {
    if (!IsModelOption(json::KeyOf(member))) return Fail(NoModelOption(json::KeyOf(member)));
  }
  Model model;
  model.name = name;
  const auto provider = TextOption(options, "provider", "openai");
  if (!provider) return Fail(provider.error());
  const auto info = FindProvider(*provider);
  if (!info) return Fail(info.error());
  model.provider = (*info)->provider;
  const auto id = TextOption(options, "model", "");
  if (!id) return Fail(id.error());
  if (id->empty()) return Fail(ErrorCode::kInvalid, "a model needs model = \"…\", as its provider calls it", "model");
  model.model = *id;
  auto url = TextOption(options, "base_url", "");
  if (!url) return Fail(url.error());
  url = CheckUrl(*url, model.provider);
  if (!url) return Fail(url.error());
  model.base_url = *url;
  auto key = ReadKey(options, model.provider, environment);
  if (!key) return Fail(key.error());
  model.api_key = *key;
  if (model.api_key.find_first_of("\r\n") != std::string::npos) {
    return Fail(ErrorCode::kInvalid, "the key may not have line breaks", "api_key");
  }
  if (options.contains("proxy")) {
    const auto proxy = TextOption(options, "proxy", "");
    if (!proxy) return Fail(proxy.error());
    model.proxy = *proxy;
  }
  if (const json::Value* body = json::Find(options, "body")) {
    if (!body->is_object()) return Fail(ErrorCode::kInvalid, "body must be a table", "body");
    model.body = body->get_object();
  }
  for (const Result<void>& read : {ReadAnswering(options, model), ReadThinking(options, model),
                                   ReadHeaders(options, model), ReadNumbers(options, model)}) {
    if (!read) return Fail(read.error());
  }
  for (const auto& [cap, cost] : {std::pair("table_cost", model.table_cost), {"daily_cost", model.daily_cost}}) {
    if (cost == 0 || model.priced()) continue;
    return Fail(ErrorCode::kInvalid, std::string(cap) + " needs input_price and output_price", cap);
  }
  if (model.seed && (model.provider == Provider::kAnthropic || model.provider == Provider::kResponses)) {
    return Fail(ErrorCode::kInvalid, std::string(ProviderName(model.provider)) + " has no seeds", "seed");
  }
  return model;
}

}  // namespace openseat::llm

#include "agents/llm/model.h"

#include <algorithm>

#include "agents/options.h"

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
    {Provider::kGemini, "gemini", "https://generativelanguage.googleapis.com/v1beta", "GEMINI_API_KEY"},
    {Provider::kAnthropic, "anthropic", "https://api.anthropic.com/v1", "ANTHROPIC_API_KEY"},
};

const ProviderInfo& InfoOf(Provider provider) {
  return *std::find_if(std::begin(kProviders), std::end(kProviders),
                       [&](const ProviderInfo& info) { return info.provider == provider; });
}

Result<const ProviderInfo*> FindProvider(std::string_view name) {
  for (const ProviderInfo& info : kProviders) {
    if (info.name == name) return &info;
  }
  return Fail(
      ErrorCode::kInvalid,
      "a provider is openai (and whatever speaks like it), gemini or anthropic; got \"" + std::string(name) + "\"",
      "provider");
}

Result<std::string> CheckUrl(std::string url, Provider provider) {
  if (url.empty()) return std::string(InfoOf(provider).base_url);
  if (!url.starts_with("http://") && !url.starts_with("https://")) {
    return Fail(ErrorCode::kInvalid, "a model's URL begins with http:// or https://; got \"" + url + "\"", "base_url");
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
              "a model's name has letters, digits, dots, dashes and underscores; got \"" + std::string(name) + "\"",
              "models");
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
        number("table_cost", 0, kMany, [&](double value) { model.table_cost = value; })}) {
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

}  // namespace

std::string_view ProviderName(Provider provider) {
  return InfoOf(provider).name;
}

Result<Model> ParseModel(const std::string& name, const json::Object& options, const Environment& environment) {
  if (auto fits = CheckName(name); !fits) return Fail(fits.error());
  if (auto known = agents::CheckKnown(
          options, "model " + name,
          {"provider",       "base_url",      "model",        "api_key",      "api_key_env", "headers",
           "proxy",          "body",          "temperature",  "top_p",        "structured",  "max_tokens",
           "context_tokens", "timeout",       "retries",      "backoff",      "max_wait",    "input_price",
           "cached_price",   "created_price", "output_price", "table_tokens", "table_cost"});
      !known) {
    return Fail(ErrorCode::kInvalid, "a model has no option \"" + known.error().path + "\"", known.error().path);
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
  const auto structured = TextOption(options, "structured", "schema");
  if (!structured) return Fail(structured.error());
  if (*structured == "object") {
    model.structured = Structured::kObject;
  } else if (*structured == "none") {
    model.structured = Structured::kNone;
  } else if (*structured != "schema") {
    return Fail(ErrorCode::kInvalid,
                "structured must be \"schema\", \"object\" or \"none\"; got \"" + *structured + "\"", "structured");
  }
  if (auto read = ReadHeaders(options, model); !read) return Fail(read.error());
  if (auto read = ReadNumbers(options, model); !read) return Fail(read.error());
  if (model.table_cost > 0 && !model.priced()) {
    return Fail(ErrorCode::kInvalid, "table_cost needs input_price and output_price", "table_cost");
  }
  return model;
}

namespace {

// "ftp://host", "127.0.0.1:11434/v1", "localhost:8080".
bool LooksLikeAddress(std::string_view text) {
  if (text.find("://") != std::string_view::npos) return true;
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos) return false;
  const std::string_view port = text.substr(colon + 1, text.find('/', colon) - colon - 1);
  return !port.empty() && port.find_first_not_of("0123456789") == std::string_view::npos;
}

}  // namespace

Result<Model> ParseModelFlag(std::string_view text, const Environment& environment) {
  const std::size_t equals = text.find('=');
  const std::size_t colon = text.find(':', equals == std::string_view::npos ? 0 : equals);
  if (equals == std::string_view::npos || colon == std::string_view::npos) {
    return Fail(ErrorCode::kInvalid,
                "a model is NAME=PROVIDER:MODEL@URL, as in big=openai:gpt-4o@https://host/v1; got \"" +
                    std::string(text) + "\"");
  }
  std::string_view model = text.substr(colon + 1);
  json::Object options;
  options["provider"] = text.substr(equals + 1, colon - equals - 1);
  std::size_t at = std::min(model.find("@http://"), model.find("@https://"));
  if (at != std::string_view::npos) {
    const std::string_view url = model.substr(at + 1);
    if (url.find_first_of(" \t\r\n") != std::string_view::npos) {
      return Fail(ErrorCode::kInvalid, "a model's URL has no blanks; got \"" + std::string(url) + "\"");
    }
    options["base_url"] = url;
    model = model.substr(0, at);
  } else if (at = model.rfind('@'); at != std::string_view::npos && LooksLikeAddress(model.substr(at + 1))) {
    // Model names may contain "@", too; but text that was meant as an address would go to the provider's own.
    return Fail(ErrorCode::kInvalid,
                "a model's URL begins with http:// or https://; got \"" + std::string(model.substr(at + 1)) + "\"");
  }
  options["model"] = model;
  return ParseModel(std::string(text.substr(0, equals)), options, environment);
}

}  // namespace openseat::llm

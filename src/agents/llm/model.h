// Model: a language model that the operator described, under a name. Agents and APIs know only the name, so a caller of
// an API cannot point the server at an address. docs/models.md lists the options.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "agents/llm/usage.h"
#include "base/json.h"
#include "base/result.h"
#include "base/time.h"

namespace openseat::llm {

enum class Provider : std::uint8_t { kOpenAi, kGemini, kAnthropic };
std::string_view ProviderName(Provider provider);  // "openai", "gemini", "anthropic"

// How a model is made to answer in JSON.
enum class Structured : std::uint8_t {
  kSchema,  // the provider's structured output, with the answer's schema
  kObject,  // the provider's "any JSON object" mode, if it has one
  kNone,    // the prompt alone
};

struct Model {
  std::string name;
  Provider provider = Provider::kOpenAi;
  std::string base_url;  // without a trailing slash
  std::string model;     // as the provider names it
  std::string api_key;   // "": none is sent
  std::vector<std::pair<std::string, std::string>> headers;
  std::optional<std::string> proxy;  // nullopt: the environment's
  json::Object body;                 // members added to every request unchanged: sampling options and the like
  std::optional<double> temperature;
  std::optional<double> top_p;
  Structured structured = Structured::kSchema;
  std::uint64_t max_tokens = 4'096;             // per answer
  std::uint64_t context_tokens = 16'000;        // per request, by our estimate
  Duration timeout = std::chrono::seconds(60);  // per try
  int retries = 3;
  Duration backoff = std::chrono::milliseconds(500);  // before the first retry; doubled for each further one
  Duration max_wait = std::chrono::seconds(60);       // a longer Retry-After is not waited for
  // Dollars per million tokens. nullopt: input_price.
  double input_price = 0;
  std::optional<double> cached_price;
  std::optional<double> created_price;
  double output_price = 0;
  // Caps for one table, all its seats and decisions together; 0: no cap.
  std::uint64_t table_tokens = 0;
  double table_cost = 0;

  bool priced() const { return input_price > 0 || output_price > 0; }
  // In dollars.
  double Cost(const Usage& usage) const {
    return (static_cast<double>(usage.input) * input_price +
            static_cast<double>(usage.cached) * cached_price.value_or(input_price) +
            static_cast<double>(usage.created) * created_price.value_or(input_price) +
            static_cast<double>(usage.output) * output_price) /
           1e6;
  }
};

// The environment: the value of a variable, nullopt if it is not set.
using Environment = std::function<std::optional<std::string>(const std::string& name)>;

// From [models.NAME] of the config file. Errors: kInvalid, with the option as path and never with the key's value.
Result<Model> ParseModel(const std::string& name, const json::Object& options, const Environment& environment);

// "NAME=openai:MODEL@http://127.0.0.1:11434/v1", "NAME=gemini:MODEL": the form of --model. The key comes from the
// provider's usual variable (OPENAI_API_KEY, GEMINI_API_KEY, ANTHROPIC_API_KEY) if it is set.
Result<Model> ParseModelFlag(std::string_view text, const Environment& environment);

}  // namespace openseat::llm

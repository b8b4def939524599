// Model: a language model that the operator described, under a name. Agents and APIs know only the name, so a caller of
// an API cannot point the server at an address. docs/models.md lists the options.
#pragma once

#include <algorithm>
#include <cstddef>
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

enum class Provider : std::uint8_t { kOpenAi, kResponses, kGemini, kAnthropic };
std::string_view ProviderName(Provider provider);  // "openai", "responses", "gemini", "anthropic"

// How a model is made to answer in JSON.
enum class Structured : std::uint8_t {
  kSchema,  // the provider's structured output, with the answer's schema
  kTool,    // Anthropic: a tool that it must use; elsewhere like kSchema
  kObject,  // the provider's "any JSON object" mode, if it has one
  kNone,    // the prompt alone
};

// Where a model thinks before it answers.
enum class Thinking : std::uint8_t {
  kNone,    // nowhere: the answer alone
  kNative,  // by itself, before the answer
  kField,   // in the answer's member "reasoning"
  kFree,    // in free text, which ends with the answer
};

std::string_view StructuredName(Structured structured);  // "schema", "tool", "object", "none"
std::string_view ThinkingName(Thinking thinking);        // "native", "field", "free", "none"

// A game decides how much text a request has, and an event loop writes it. Beyond these limits, that would hold others
// up, whatever the model could read: about 512 KiB of text, of which 128 KiB are names, descriptions and schemas of
// actions.
inline constexpr std::size_t kMostRequestTokens = 131'072;
inline constexpr std::size_t kMostActionTokens = 32'768;

struct Model {
  std::string name;
  Provider provider = Provider::kOpenAi;
  std::string base_url;  // without a trailing slash
  std::string model;     // as the provider names it
  std::string api_key;   // "": none is sent
  std::vector<std::pair<std::string, std::string>> headers;
  std::optional<std::string> proxy;  // nullopt: the environment's
  // Members added to every request: sampling options and the like. Null removes one that is sent otherwise.
  json::Object body;
  std::optional<double> temperature;
  std::optional<double> top_p;
  std::optional<std::uint64_t> seed;  // where the provider has seeds
  Structured structured = Structured::kSchema;
  Thinking thinking = Thinking::kNone;
  std::string effort;                 // of its own thinking, in the provider's words; "": the provider's default
  std::uint64_t thinking_tokens = 0;  // of its own thinking, for models that take a number; 0: none is sent
  bool stream = true;
  bool cache = true;  // Anthropic: marks for its cache
  // The name of the token limit in a chat completion; "": none is sent. nullopt: as the host usually has it.
  std::optional<std::string> tokens_member;
  std::uint64_t max_tokens = 4'096;       // per answer
  std::uint64_t context_tokens = 16'000;  // per request, by our estimate
  // Per try: how long nothing may arrive and, for a stream, how long all of it may take.
  Duration timeout = std::chrono::seconds(60);
  Duration total_timeout = std::chrono::minutes(20);
  int retries = 3;
  Duration backoff = std::chrono::milliseconds(500);  // before the first retry; doubled for each further one
  Duration max_wait = std::chrono::seconds(60);       // a longer Retry-After is not waited for
  // For all tables together; 0: no limit.
  std::uint64_t max_concurrent = 0;
  double requests_per_minute = 0;
  // Dollars per million tokens. nullopt: input_price.
  double input_price = 0;
  std::optional<double> cached_price;
  std::optional<double> created_price;
  double output_price = 0;
  // Caps for one table, all its seats and decisions together; 0: no cap.
  std::uint64_t table_tokens = 0;
  double table_cost = 0;
  // Likewise for all tables of the process within 24 hours.
  std::uint64_t daily_tokens = 0;
  double daily_cost = 0;

  // What a request may have, by our estimate.
  std::size_t request_tokens() const {
    return static_cast<std::size_t>(std::min<std::uint64_t>(context_tokens, kMostRequestTokens));
  }
  // What the actions of a request may have.
  std::size_t action_tokens() const { return std::min(request_tokens(), kMostActionTokens); }
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

// Whether [models.NAME] has a member of that name; there are so many.
bool IsModelOption(std::string_view name);
// The error for a member of another name; it lists the names.
Error NoModelOption(std::string_view name);
inline constexpr std::size_t kModelOptions = 35;

// All options of a model in the words of the config file, for the record of a run: without its key, and of its headers
// only the names. What is not set is null.
json::Object SettingsOf(const Model& model);

// The variable of the provider's key, if the model is asked at the provider's own address and has no key; else "".
std::string_view MissingKey(const Model& model);

// From [models.NAME] of the config file. Errors: kInvalid, with the option as path and never with the key's value.
Result<Model> ParseModel(const std::string& name, const json::Object& options, const Environment& environment);

// "NAME=PROVIDER:MODEL[@URL][,OPTION=VALUE…]": the form of --model. The options begin at the first comma that an
// option's name and "=" follow; what follows any other comma belongs to the piece before it, but a word and "=" are an
// error. The key comes from the provider's usual variable (OPENAI_API_KEY, GEMINI_API_KEY, ANTHROPIC_API_KEY) if it is
// set, or from api_key_env; the key itself may not be given, since others can see a command line.
Result<Model> ParseModelFlag(std::string_view text, const Environment& environment);

}  // namespace openseat::llm

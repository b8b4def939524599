#include "agents/llm/quirks.h"

#include <algorithm>
#include <charconv>
#include <initializer_list>
#include <string_view>

#include "base/stranger.h"

namespace openseat::llm {
namespace {

constexpr std::uint64_t kLeastTokens = 256;

// One thing that a refusal may be about. Members are looked for as providers write them in their messages.
struct Cause {
  const char* what;  // for the record: "it is asked without …"
  std::initializer_list<std::string_view> words;
  bool Refusals::* member;
};

bool Names(const std::string& said, std::initializer_list<std::string_view> words) {
  return std::ranges::any_of(words, [&](std::string_view word) { return said.find(word) != std::string::npos; });
}

bool NamesTokenLimit(const std::string& said) {
  return Names(said, {"max_tokens", "max_completion_tokens", "max_output_tokens", "maxoutputtokens"});
}

// Whether so many tokens of an answer are more than the context that the refusal names, whatever was asked.
bool NeverFits(const CallFailure& failure, std::uint64_t max_tokens) {
  constexpr std::string_view kBefore = "maximum context length is ";
  const std::size_t at = failure.said.find(kBefore);
  if (at == std::string::npos) return false;
  const char* begin = failure.said.data() + at + kBefore.size();
  std::uint64_t context = 0;
  const auto read = std::from_chars(begin, failure.said.data() + failure.said.size(), context);
  return read.ec == std::errc() && max_tokens >= context;
}

// In the order in which they are tried: the narrow ones first, since "thinking.budget_tokens" also has "thinking".
const Cause kCauses[] = {
    {"temperature", {"temperature"}, &Refusals::temperature},
    {"top_p", {"top_p", "topp"}, &Refusals::top_p},
    {"seed", {"'seed'", "\"seed\"", "`seed`", "seed "}, &Refusals::seed},
    {"stream_options", {"stream_options"}, &Refusals::stream_usage},
    {"cache_control", {"cache_control"}, &Refusals::cache},
    {"a forced tool", {"tool_choice"}, &Refusals::forced_tool},
    {"a thinking budget",
     {"budget_tokens", "thinkingbudget", "thinking_budget", "thinking budget"},
     &Refusals::thinking_budget},
    {"an effort", {"effort", "thinkinglevel", "thinking_level", "thinking level"}, &Refusals::effort},
    {"output_config.format", {"output_config", "output_format", "structured output"}, &Refusals::output_format},
    {"an effort", {"output_config"}, &Refusals::effort},
    {"a summary of its thoughts", {"reasoning.summary", "reasoning summar"}, &Refusals::summary},
    {"its own thinking", {"thinking", "reasoning"}, &Refusals::thinking},
};

// Whether the request had it at all.
bool Sent(const Model& model, const Refusals& asked, bool Refusals::* member) {
  if (asked.*member) return false;
  const bool native = ThinkingOf(model, asked) == Thinking::kNative;
  const Structured structured = StructuredOf(model, asked);
  const bool anthropic = model.provider == Provider::kAnthropic;
  if (member == &Refusals::temperature) return model.temperature.has_value();
  if (member == &Refusals::top_p) return model.top_p.has_value();
  if (member == &Refusals::seed) return model.seed.has_value();
  if (member == &Refusals::stream_usage) return model.stream && model.provider == Provider::kOpenAi;
  if (member == &Refusals::cache) return model.cache && anthropic;
  if (member == &Refusals::forced_tool) return anthropic && structured == Structured::kTool;
  if (member == &Refusals::output_format) return anthropic && structured == Structured::kSchema;
  if (member == &Refusals::effort) return !model.effort.empty();
  if (member == &Refusals::summary) return native && model.provider == Provider::kResponses;
  if (member == &Refusals::thinking_budget) return native && model.thinking_tokens > 0;
  return native && model.provider != Provider::kOpenAi;
}

std::string AboutTokens(const Model& model, const std::string& said, const Refusals& asked, std::uint64_t max_tokens,
                        Refusals& now) {
  if (!NamesTokenLimit(said)) return "";
  if (model.provider == Provider::kOpenAi && !model.tokens_member && !asked.tokens_member &&
      Names(said, {"unsupported", "not supported", "instead", "unrecognized", "unknown", "unexpected", "extra",
                   "not permitted"})) {
    now.tokens_member = true;
    return "the other name of the token limit";
  }
  if (max_tokens / 2 >= kLeastTokens &&
      Names(said, {"maximum", "at most", "too large", "exceed", "less than", "<=", "too many", "range", " > "})) {
    // Another table may have learned a lower one in the meantime.
    now.most_tokens = std::min(now.most_tokens.value_or(max_tokens), max_tokens / 2);
    return "at most " + std::to_string(max_tokens / 2) + " tokens an answer";
  }
  return "";
}

// Without bounds, then without a schema, then without any constraint.
std::string AboutSchema(const Model& model, const std::string& said, const Refusals& asked, Refusals& now) {
  const Structured structured = StructuredOf(model, asked);
  if (structured == Structured::kNone || structured == Structured::kTool ||
      !Names(said, {"response_format", "json_schema", "schema", "grammar", "text.format", "responsemimetype",
                    "json mode", "json_object", "output_config"})) {
    return "";
  }
  if (structured == Structured::kObject) {
    now.json_object = true;
    return "without JSON mode";
  }
  if (!asked.schema_details && model.provider != Provider::kAnthropic) {
    now.schema_details = true;
    return "without bounds in the schema";
  }
  now.schema = true;
  return "without a schema";
}

}  // namespace

Structured StructuredOf(const Model& model, const Refusals& refusals) {
  Structured structured = model.structured;
  if (model.thinking == Thinking::kFree) return Structured::kNone;
  if (model.provider == Provider::kAnthropic) {
    if (structured == Structured::kObject) return Structured::kNone;
    if (structured == Structured::kSchema && refusals.output_format) structured = Structured::kTool;
    if (structured == Structured::kTool && refusals.forced_tool) {
      structured = refusals.output_format ? Structured::kNone : Structured::kSchema;
    }
    return structured == Structured::kSchema && refusals.schema ? Structured::kNone : structured;
  }
  if (structured == Structured::kTool) structured = Structured::kSchema;
  if (structured == Structured::kSchema && refusals.schema) structured = Structured::kObject;
  return structured == Structured::kObject && refusals.json_object ? Structured::kNone : structured;
}

Thinking ThinkingOf(const Model& model, const Refusals& refusals) {
  if (model.thinking != Thinking::kNative) return model.thinking;
  // A forced tool excludes thinking.
  const bool tool = model.provider == Provider::kAnthropic && StructuredOf(model, refusals) == Structured::kTool;
  return refusals.thinking || tool ? Thinking::kField : Thinking::kNative;
}

std::optional<std::uint64_t> FewerTokens(const CallFailure& failure, std::uint64_t max_tokens) {
  if (!failure.too_large || max_tokens / 2 < kLeastTokens || NeverFits(failure, max_tokens)) return std::nullopt;
  if (!NamesTokenLimit(failure.said) && !Names(failure.said, {"completion", "in the output"})) return std::nullopt;
  return max_tokens / 2;
}

Refusals Quirks::For(const std::string& address) const {
  const std::lock_guard lock(mutex_);
  const auto found = of_strangers_.find(address);
  return found == of_strangers_.end() ? refusals_ : found->second;
}

std::string Quirks::Learn(const Model& model, const CallFailure& failure, const Refusals& asked,
                          std::uint64_t max_tokens, const std::string& address) {
  if (failure.too_large && !NeverFits(failure, max_tokens)) return "";
  if (failure.status != 400 && failure.status != 422) return "";
  const std::lock_guard lock(mutex_);
  const auto found = of_strangers_.find(address);
  Refusals now = found == of_strangers_.end() ? refusals_ : found->second;
  std::string what = AboutTokens(model, failure.said, asked, max_tokens, now);
  for (const Cause& cause : kCauses) {
    if (!what.empty()) break;
    if (!Names(failure.said, cause.words) || !Sent(model, asked, cause.member)) continue;
    now.*cause.member = true;
    what = std::string("without ") + cause.what;
  }
  if (what.empty()) what = AboutSchema(model, failure.said, asked, now);
  if (what.empty()) return what;
  if (!IsStrangers(address)) {
    refusals_ = now;
  } else {
    if (of_strangers_.size() >= kMostStrangers) of_strangers_.clear();  // they will learn it again
    of_strangers_[address] = now;
  }
  return what;
}

}  // namespace openseat::llm

// A model's options as they are written in the config file.
#include <chrono>
#include <optional>

#include "agents/llm/model.h"

namespace openseat::llm {
namespace {

template <typename T>
json::Value OrNull(const std::optional<T>& value) {
  return value ? json::Value(*value) : json::Value();
}

double InSeconds(Duration time) {
  return std::chrono::duration<double>(time).count();
}

}  // namespace

std::string_view StructuredName(Structured structured) {
  switch (structured) {
    case Structured::kSchema:
      return "schema";
    case Structured::kTool:
      return "tool";
    case Structured::kObject:
      return "object";
    case Structured::kNone:
      break;
  }
  return "none";
}

std::string_view ThinkingName(Thinking thinking) {
  switch (thinking) {
    case Thinking::kNative:
      return "native";
    case Thinking::kField:
      return "field";
    case Thinking::kFree:
      return "free";
    case Thinking::kNone:
      break;
  }
  return "none";
}

json::Object SettingsOf(const Model& model) {
  json::Array headers;
  for (const auto& header : model.headers) headers.emplace_back(header.first);
  return {{"provider", ProviderName(model.provider)},
          {"model", model.model},
          {"base_url", model.base_url.substr(0, model.base_url.find('?'))},  // a query may hold a key
          {"headers", std::move(headers)},
          {"body", model.body},
          {"reasoning", ThinkingName(model.thinking)},
          {"effort", model.effort},
          {"thinking_tokens", model.thinking_tokens},
          {"structured", StructuredName(model.structured)},
          {"temperature", OrNull(model.temperature)},
          {"top_p", OrNull(model.top_p)},
          {"seed", OrNull(model.seed)},
          {"stream", model.stream},
          {"cache", model.cache},
          {"tokens_member", OrNull(model.tokens_member)},
          {"max_tokens", model.max_tokens},
          {"context_tokens", model.context_tokens},
          {"timeout", InSeconds(model.timeout)},
          {"total_timeout", InSeconds(model.total_timeout)},
          {"retries", model.retries},
          {"backoff", InSeconds(model.backoff)},
          {"max_wait", InSeconds(model.max_wait)},
          {"max_concurrent", model.max_concurrent},
          {"requests_per_minute", model.requests_per_minute},
          {"input_price", model.input_price},
          {"cached_price", OrNull(model.cached_price)},
          {"created_price", OrNull(model.created_price)},
          {"output_price", model.output_price},
          {"table_tokens", model.table_tokens},
          {"table_cost", model.table_cost},
          {"daily_tokens", model.daily_tokens},
          {"daily_cost", model.daily_cost}};
}

}  // namespace openseat::llm

#include "app/model_settings.h"

#include <chrono>
#include <optional>
#include <string>

namespace openseat::app {
namespace {

template <typename T>
json::Value OrNothing(const std::optional<T>& value) {
  return value ? json::Value(*value) : json::Value();
}

double InSeconds(Duration time) {
  return std::chrono::duration<double>(time).count();
}

const char* StructuredName(llm::Structured structured) {
  switch (structured) {
    case llm::Structured::kSchema:
      return "schema";
    case llm::Structured::kObject:
      return "object";
    case llm::Structured::kNone:
      return "none";
  }
  return "";
}

}  // namespace

json::Object ModelSettings(const llm::Model& model) {
  json::Array headers;
  for (const auto& header : model.headers) headers.emplace_back(header.first);
  return {{"provider", llm::ProviderName(model.provider)},
          {"model", model.model},
          {"base_url", model.base_url.substr(0, model.base_url.find('?'))},
          {"headers", std::move(headers)},
          {"body", model.body},
          {"temperature", OrNothing(model.temperature)},
          {"top_p", OrNothing(model.top_p)},
          {"structured", StructuredName(model.structured)},
          {"max_tokens", model.max_tokens},
          {"context_tokens", model.context_tokens},
          {"timeout", InSeconds(model.timeout)},
          {"retries", model.retries},
          {"input_price", model.input_price},
          {"cached_price", OrNothing(model.cached_price)},
          {"created_price", OrNothing(model.created_price)},
          {"output_price", model.output_price},
          {"table_tokens", model.table_tokens},
          {"table_cost", model.table_cost}};
}

}  // namespace openseat::app

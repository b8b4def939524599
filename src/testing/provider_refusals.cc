// What models of each generation refuse, in the providers' words.
#include <string>
#include <string_view>

#include "testing/provider_check.h"

namespace openseat::testing {
namespace {

const json::Value* Inner(const json::Value& body, std::initializer_list<std::string_view> path) {
  const json::Value* at = &body;
  for (const std::string_view name : path) {
    at = json::Find(*at, name);
    if (at == nullptr) return nullptr;
  }
  return at;
}

ProviderRefusal Refused(const ProviderRequest& request, const std::string& message, const std::string& parameter = "") {
  json::Object error{{"message", message}};
  if (request.provider == "anthropic") {
    error["type"] = "invalid_request_error";
    return {.body = json::Object{{"type", "error"}, {"error", std::move(error)}, {"request_id", "req_1"}}};
  }
  if (request.provider == "gemini") {
    error["code"] = 400;
    error["status"] = "INVALID_ARGUMENT";
  } else {
    error["type"] = "invalid_request_error";
    error["param"] = parameter;
    error["code"] = "unsupported_parameter";
  }
  return {.body = json::Object{{"error", std::move(error)}}};
}

std::optional<ProviderRefusal> OfFlagship(const ProviderRequest& request) {
  const json::Value& body = request.body;
  if (request.provider == "anthropic") {
    if (Inner(body, {"tool_choice"}) != nullptr) {
      return Refused(request, "tool_choice: forced tool use is not supported by this model");
    }
    for (const char* name : {"temperature", "top_p"}) {
      if (Inner(body, {name}) != nullptr) {
        return Refused(request, "`" + std::string(name) + "` is not supported by this model");
      }
    }
    if (Inner(body, {"thinking", "budget_tokens"}) != nullptr) {
      return Refused(request, "thinking.budget_tokens: not supported; use thinking.type \"adaptive\"");
    }
    return std::nullopt;
  }
  if (request.provider == "gemini") {
    if (Inner(body, {"generationConfig", "thinkingConfig", "thinkingBudget"}) != nullptr) {
      return Refused(request, "Thinking budget is not supported by this model; use thinking level.");
    }
    return std::nullopt;
  }
  if (Inner(body, {"temperature"}) != nullptr) {
    return Refused(request, "Unsupported parameter: 'temperature' is not supported with this model.", "temperature");
  }
  if (request.provider == "openai" && Inner(body, {"max_tokens"}) != nullptr) {
    return Refused(request,
                   "Unsupported parameter: 'max_tokens' is not supported with this model. Use "
                   "'max_completion_tokens' instead.",
                   "max_tokens");
  }
  return std::nullopt;
}

std::optional<ProviderRefusal> OfLegacy(const ProviderRequest& request) {
  const json::Value& body = request.body;
  if (request.provider == "anthropic") {
    if (Inner(body, {"thinking"}) != nullptr) {
      return Refused(request, "adaptive thinking is not supported on this model");
    }
    if (Inner(body, {"output_config"}) != nullptr) {
      return Refused(request, "output_config: Extra inputs are not permitted");
    }
    if (body.at("max_tokens").to_number<int>() > 8'192) {
      return Refused(request, "max_tokens: " + json::Write(body.at("max_tokens")) +
                                  " > 8192, which is the maximum allowed number of output tokens for this model");
    }
  } else if (request.provider == "gemini") {
    if (Inner(body, {"generationConfig", "thinkingConfig"}) != nullptr) {
      return Refused(request, "Thinking is not supported by this model");
    }
  } else if (Inner(body, {"reasoning"}) != nullptr) {
    return Refused(request, "Unsupported parameter: 'reasoning.summary' is not supported with this model.",
                   "reasoning.summary");
  } else if (Inner(body, {"max_completion_tokens"}) != nullptr) {
    return Refused(request, "Unrecognized request argument supplied: max_completion_tokens", "max_completion_tokens");
  }
  return std::nullopt;
}

std::optional<ProviderRefusal> OfSmall(const ProviderRequest& request) {
  const json::Value& body = request.body;
  if (request.provider != "openai") return std::nullopt;
  if (Inner(body, {"stream_options"}) != nullptr) return Refused(request, "stream_options: unknown field");
  if (Inner(body, {"response_format", "json_schema"}) != nullptr) {
    return Refused(request, "Failed to initialize samplers: failed to parse grammar");
  }
  return std::nullopt;
}

}  // namespace

std::optional<ProviderRefusal> RefusalOf(const ProviderRequest& request) {
  std::string model(json::TextOf(request.body, "model"));
  if (request.provider == "gemini") model = request.path.substr(std::string_view("/models/").size());
  if (model.starts_with("flagship")) return OfFlagship(request);
  if (model.starts_with("legacy")) return OfLegacy(request);
  if (model.starts_with("small")) return OfSmall(request);
  return std::nullopt;
}

}  // namespace openseat::testing

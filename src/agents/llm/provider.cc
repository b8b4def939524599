#include "agents/llm/provider.h"

#include <algorithm>
#include <utility>

#include "agents/llm/provider_impl.h"
#include "base/text.h"

namespace openseat::llm {
namespace {

constexpr std::size_t kMaxAnswerBytes = 4u << 20;
constexpr std::size_t kMaxRequestId = 200;

// The operator's own members: objects are merged, everything else replaces.
void Overlay(json::Object& body, const json::Object& own, int depth = 0) {
  for (const auto& member : own) {
    json::Value* there = body.if_contains(member.key());
    if (there != nullptr && there->is_object() && member.value().is_object() && depth < 8) {
      Overlay(there->get_object(), member.value().get_object(), depth + 1);
    } else {
      body[member.key()] = member.value();
    }
  }
}

Result<Reply> ReadBody(Provider provider, const json::Value& body) {
  switch (provider) {
    case Provider::kOpenAi:
      return OpenAiReply(body);
    case Provider::kGemini:
      return GeminiReply(body);
    case Provider::kAnthropic:
      return AnthropicReply(body);
  }
  return Fail(ErrorCode::kUnsupported, "there is no such provider");
}

std::string RequestId(const net::Headers& headers) {
  for (const char* name : {"x-request-id", "request-id"}) {
    if (const std::string_view id = headers.Get(name); !id.empty()) return Ellipsize(SanitizeUtf8(id), kMaxRequestId);
  }
  return {};
}

}  // namespace

const json::Value* At(const json::Value& value, std::initializer_list<std::string_view> path) {
  const json::Value* at = &value;
  for (const std::string_view name : path) {
    at = json::Find(*at, name);
    if (at == nullptr) return nullptr;
  }
  return at;
}

std::string TextAt(const json::Value& value, std::initializer_list<std::string_view> path) {
  const json::Value* at = At(value, path);
  return at != nullptr && at->is_string() ? std::string(json::View(at->get_string())) : std::string();
}

std::uint64_t CountAt(const json::Value& value, std::initializer_list<std::string_view> path) {
  const json::Value* at = At(value, path);
  if (at == nullptr || !at->is_number()) return 0;
  const double count = at->to_number<double>();
  return count > 0 && count < 1e15 ? static_cast<std::uint64_t>(count) : 0;
}

net::HttpCall MakeCall(const Model& model, const Prompt& prompt, const AnswerForm& form, std::uint64_t max_tokens) {
  WireRequest wire;
  switch (model.provider) {
    case Provider::kOpenAi:
      wire = OpenAiRequest(model, prompt, form, max_tokens);
      break;
    case Provider::kGemini:
      wire = GeminiRequest(model, prompt, form, max_tokens);
      break;
    case Provider::kAnthropic:
      wire = AnthropicRequest(model, prompt, form, max_tokens);
      break;
  }
  Overlay(wire.body, model.body);
  net::HttpCall call;
  call.method = net::Method::kPost;
  call.url = model.base_url + wire.path;
  call.headers = std::move(wire.headers);
  call.headers.Set("Content-Type", "application/json");
  call.headers.Set("Accept", "application/json");
  for (const auto& [name, value] : model.headers) call.headers.Set(name, value);
  call.body = json::Write(wire.body);
  call.timeout = model.timeout;
  call.connect_timeout = std::min(model.timeout, call.connect_timeout);
  call.max_body_bytes = kMaxAnswerBytes;
  call.proxy = model.proxy;
  return call;
}

schema::Projection Projected(const AnswerForm& form, schema::Dialect dialect) {
  schema::Budget budget;
  if (Result<schema::Projection> projection = schema::Project(form.schema(), dialect, budget)) {
    return std::move(*projection);
  }
  // It is in the prompt anyway.
  return {.schema = json::Object{{"type", "object"}}, .strict = false, .dropped = {}};
}

bool LeavesOutByNull(const Model& model, const AnswerForm& form) {
  return model.provider == Provider::kOpenAi && model.structured == Structured::kSchema &&
         !model.body.contains("response_format") && Projected(form, schema::Dialect::kOpenAi).strict;
}

tl::expected<Reply, CallFailure> ReadResponse(const Model& model, const Result<net::HttpResponse>& response, Time now) {
  if (!response) return tl::unexpected(NetworkFailure(response.error()));
  constexpr json::Limits kAnswer{.max_bytes = 8u << 20, .max_depth = 128, .max_values = 250'000};
  Result<json::Value> body = json::Parse(response->body, kAnswer);
  const bool good = response->status >= 200 && response->status < 300;
  // Some gateways answer 200 and report the error in the body.
  if (!good || (body && At(*body, {"error"}) != nullptr && !At(*body, {"error"})->is_null())) {
    CallFailure failure = ProviderFailure(response->status, response->headers, body ? *body : json::Value(),
                                          body ? std::string_view() : response->body, now);
    if (!failure.declined) return tl::unexpected(std::move(failure));
    Reply reply;
    reply.refusal = std::move(failure.error.message);
    return reply;
  }
  if (!body) return tl::unexpected(UnreadableAnswer(response->status, body.error().message));
  Result<Reply> reply = ReadBody(model.provider, *body);
  if (!reply) return tl::unexpected(UnreadableAnswer(response->status, reply.error().message));
  reply->request_id = RequestId(response->headers);
  return std::move(*reply);
}

}  // namespace openseat::llm

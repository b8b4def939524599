#include "agents/llm/provider.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <utility>

#include "agents/llm/provider_impl.h"
#include "base/text.h"

namespace openseat::llm {
namespace {

constexpr std::size_t kMaxQuoted = 500;  // of a provider's error message
constexpr std::size_t kMaxAnswerBytes = 4u << 20;

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

std::optional<double> ToNumber(std::string_view text) {
  double number = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || read.ec != std::errc() || read.ptr != text.data() + text.size()) return std::nullopt;
  return number;
}

std::optional<Duration> ToDuration(double seconds) {
  if (!(seconds >= 0)) return std::nullopt;
  return Duration(static_cast<std::int64_t>(std::min(seconds, 1e9) * 1e6));
}

// "Wed, 21 Oct 2015 07:28:00 GMT"
std::optional<Duration> Until(const std::string& date, Time now) {
  std::array<char, 4> month{};
  std::tm parts{};
  if (std::sscanf(date.c_str(), "%*3s, %2d %3s %4d %2d:%2d:%2d GMT", &parts.tm_mday, month.data(), &parts.tm_year,
                  &parts.tm_hour, &parts.tm_min, &parts.tm_sec) != 6) {
    return std::nullopt;
  }
  const std::string_view names = "JanFebMarAprMayJunJulAugSepOctNovDec";
  const std::size_t at = names.find(month.data());
  if (at == std::string_view::npos || at % 3 != 0) return std::nullopt;
  parts.tm_mon = static_cast<int>(at / 3);
  parts.tm_year -= 1900;
  const Time then{std::chrono::seconds(timegm(&parts))};
  return std::max(Duration(0), then - now);
}

// How long the provider asks to be left alone.
std::optional<Duration> WaitOf(const net::HttpResponse& response, const json::Value& body, Time now) {
  const std::string after(response.headers.Get("Retry-After"));
  if (const auto seconds = ToNumber(after)) return ToDuration(*seconds);
  if (!after.empty()) {
    if (const auto wait = Until(after, now)) return wait;
  }
  if (const auto ms = ToNumber(response.headers.Get("retry-after-ms"))) return ToDuration(*ms / 1000);
  // Gemini says it in the body: {"error": {"details": [{"@type": "…RetryInfo", "retryDelay": "12s"}]}}
  if (const json::Value* details = At(body, {"error", "details"}); details != nullptr && details->is_array()) {
    for (const json::Value& detail : details->get_array()) {
      std::string delay = TextAt(detail, {"retryDelay"});
      if (!delay.ends_with('s')) continue;
      delay.pop_back();
      if (const auto seconds = ToNumber(delay)) return ToDuration(*seconds);
    }
  }
  return std::nullopt;
}

// The provider's error message, in the forms in use.
std::string ErrorText(const json::Value& body, const std::string& raw) {
  for (const auto path :
       {std::initializer_list<std::string_view>{"error", "message"}, std::initializer_list<std::string_view>{"error"},
        std::initializer_list<std::string_view>{"message"}, std::initializer_list<std::string_view>{"detail"}}) {
    if (std::string text = TextAt(body, path); !text.empty()) return Ellipsize(SanitizeUtf8(text), kMaxQuoted);
  }
  return Ellipsize(SanitizeUtf8(raw), kMaxQuoted);
}

bool MayPass(int status) {
  return status == 408 || status == 425 || status == 429 || status >= 500;
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
  CallFailure failure;
  if (!response) {
    failure.error = response.error();
    failure.again = response.error().code == ErrorCode::kTimeout || response.error().code == ErrorCode::kIo;
    return tl::unexpected(std::move(failure));
  }
  failure.status = response->status;
  constexpr json::Limits kAnswer{.max_bytes = 8u << 20, .max_depth = 128, .max_values = 250'000};
  Result<json::Value> body = json::Parse(response->body, kAnswer);
  const bool good = response->status >= 200 && response->status < 300;
  if (!good || (body && At(*body, {"error"}) != nullptr && !At(*body, {"error"})->is_null())) {
    const json::Value none;
    const json::Value& said = body ? *body : none;
    // Some gateways answer 200 and report the error in the body.
    const int status = good ? static_cast<int>(CountAt(said, {"error", "code"})) : response->status;
    failure.status = status == 0 ? response->status : status;
    failure.again = MayPass(status);
    failure.wait = WaitOf(*response, said, now);
    std::string message = "the provider answered " + std::to_string(failure.status);
    if (response->status >= 300 && response->status < 400) message += ", a redirect, which is not followed";
    if (const std::string text = ErrorText(said, body ? "" : response->body); !text.empty()) message += ": " + text;
    const ErrorCode code = status == 401 || status == 403 ? ErrorCode::kDenied
                           : status == 429                ? ErrorCode::kBusy
                                                          : ErrorCode::kIo;
    failure.error = Error{code, std::move(message), {}};
    return tl::unexpected(std::move(failure));
  }
  if (body) {
    Result<Reply> reply = ReadBody(model.provider, *body);
    if (reply) return std::move(*reply);
    failure.error = reply.error();
  } else {
    failure.error = body.error();
  }
  failure.again = true;  // a gateway's page, or a truncated answer
  failure.error.message = "the provider's answer cannot be read: " + failure.error.message;
  return tl::unexpected(std::move(failure));
}

}  // namespace openseat::llm

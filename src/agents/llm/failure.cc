#include "agents/llm/failure.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <utility>

#include "base/text.h"

namespace openseat::llm {
namespace {

constexpr std::size_t kMaxQuoted = 500;  // of a provider's error message

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
std::optional<Duration> UntilHttpDate(const std::string& date, Time now) {
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

// RFC 3339 in UTC: "2015-10-21T07:28:00Z"
std::optional<Duration> UntilInstant(std::string_view text, Time now) {
  const std::optional<Time> then = ParseIso8601(text);
  return then ? std::optional(std::max(Duration(0), *then - now)) : std::nullopt;
}

// "1m30s", "20ms", "6.5s", "2h"
std::optional<Duration> ToSpan(std::string_view text) {
  double seconds = 0;
  while (!text.empty()) {
    const std::size_t unit_at = text.find_first_not_of("0123456789.");
    if (unit_at == 0 || unit_at == std::string_view::npos) return std::nullopt;
    const auto number = ToNumber(text.substr(0, unit_at));
    text.remove_prefix(unit_at);
    const std::string_view unit = text.substr(0, std::min(text.find_first_of("0123456789."), text.size()));
    text.remove_prefix(unit.size());
    const double scale = unit == "ms" ? 1e-3 : unit == "s" ? 1 : unit == "m" ? 60 : unit == "h" ? 3600 : -1;
    if (!number || scale < 0) return std::nullopt;
    seconds += *number * scale;
  }
  return ToDuration(seconds);
}

// When the last of the exhausted rate limits is full again; nullopt if the headers do not say.
std::optional<Duration> UntilReset(const net::Headers& headers, Time now) {
  std::optional<Duration> longest;
  const auto take = [&](std::optional<Duration> wait) {
    if (wait && (!longest || *wait > *longest)) longest = wait;
  };
  for (const char* name : {"x-ratelimit-reset-requests", "x-ratelimit-reset-tokens"}) {
    if (const std::string_view text = headers.Get(name); !text.empty()) take(ToSpan(text));
  }
  for (const char* what : {"requests", "tokens", "input-tokens", "output-tokens"}) {
    const std::string name = std::string("anthropic-ratelimit-") + what + "-reset";
    if (const std::string text(headers.Get(name)); !text.empty()) take(UntilInstant(text, now));
  }
  return longest;
}

// Gemini says it in the body: {"error": {"details": [{"@type": "…RetryInfo", "retryDelay": "12s"}]}}
std::optional<Duration> RetryDelay(const json::Value& error) {
  const json::Value* details = json::Find(error, "details");
  if (details == nullptr || !details->is_array()) return std::nullopt;
  for (const json::Value& detail : details->get_array()) {
    if (const std::string_view delay = json::TextOf(detail, "retryDelay"); !delay.empty()) return ToSpan(delay);
  }
  return std::nullopt;
}

// How long the provider asks to be left alone; `busy`: a rate limit's reset counts, too.
std::optional<Duration> WaitOf(const net::Headers& headers, const json::Value& error, bool busy, Time now) {
  if (const auto ms = ToNumber(headers.Get("retry-after-ms"))) {
    if (const auto wait = ToDuration(*ms / 1000)) return wait;
  }
  const std::string after(headers.Get("Retry-After"));
  if (const auto seconds = ToNumber(after)) {
    if (const auto wait = ToDuration(*seconds)) return wait;
  } else if (!after.empty()) {
    if (const auto wait = UntilHttpDate(after, now)) return wait;
  }
  if (const auto wait = RetryDelay(error)) return wait;
  return busy ? UntilReset(headers, now) : std::nullopt;
}

struct Words {
  std::string message;
  std::string all;  // type, code, status, parameter, message; in lower case
};

// The provider's error, in the forms in use.
Words WordsOf(const json::Value& body, const json::Value& error, std::string_view raw) {
  Words words;
  for (const char* name : {"type", "code", "status", "param"}) {
    const std::string_view text = json::TextOf(error, name);
    if (!text.empty()) words.all += std::string(text) + " ";
  }
  if (const json::Value* details = json::Find(error, "details"); details != nullptr && details->is_object()) {
    words.all += std::string(json::TextOf(*details, "error_code")) + " ";
  }
  for (const std::string_view text : {json::TextOf(error, "message"), json::TextOf(body, "error"),
                                      json::TextOf(body, "message"), json::TextOf(body, "detail"), raw}) {
    if (text.empty()) continue;
    words.message = Ellipsize(SanitizeUtf8(text.substr(0, 4 * kMaxQuoted)), kMaxQuoted);
    break;
  }
  words.all = AsciiLower(words.all + words.message);
  return words;
}

bool Has(const std::string& text, std::initializer_list<std::string_view> any) {
  return std::any_of(any.begin(), any.end(),
                     [&](std::string_view word) { return text.find(word) != std::string::npos; });
}

// The status that an error within a 200 or a stream stands for.
int StatusOf(const json::Value& error, const std::string& words) {
  if (const json::Value* code = json::Find(error, "code"); code != nullptr && code->is_number()) {
    const double status = code->to_number<double>();
    if (status >= 400 && status < 600) return static_cast<int>(status);
  }
  constexpr std::pair<std::string_view, int> kTypes[] = {
      {"overloaded", 529},         {"insufficient_quota", 429},   {"rate_limit", 429},
      {"resource_exhausted", 429}, {"timeout_error", 504},        {"authentication", 401},
      {"billing_error", 402},      {"permission", 403},           {"not_found", 404},
      {"request_too_large", 413},  {"invalid_request", 400},      {"invalid_argument", 400},
      {"invalid_prompt", 400},     {"content_policy", 400},       {"cyber_policy", 400},
      {"context_length", 400},     {"unsupported_parameter", 400}};
  for (const auto& [word, status] : kTypes) {
    if (words.find(word) != std::string::npos) return status;
  }
  return 500;
}

}  // namespace

CallFailure ProviderFailure(int status, const net::Headers& headers, const json::Value& body, std::string_view raw,
                            Time now) {
  const json::Value none;
  const json::Value* found = json::Find(body, "error");
  const json::Value& error = found != nullptr && found->is_object() ? *found : none;
  const Words words = WordsOf(body, error, raw);
  CallFailure failure;
  failure.said = words.all;
  failure.status = status < 300 ? StatusOf(error, words.all) : status;
  const int meant = failure.status;
  // Money that is used up comes back with an invoice, or next month.
  const bool spent = Has(words.all, {"insufficient_quota", "billing_hard_limit", "enforced_spend_limit_reached",
                                     "contract_spend_limit_reached"});
  failure.busy =
      !spent && (meant == 429 || meant == 503 || meant == 529 || (meant == 402 && headers.Has("Retry-After")));
  failure.again = failure.busy || (!spent && (meant == 408 || meant == 409 || meant == 425 || meant >= 500));
  if (meant == 413) failure.too_large = true;
  if (meant == 400) {
    failure.too_large =
        Has(words.all, {"context_length_exceeded", "prompt is too long", "exceeds the context", "context window",
                        "exceed context", "exceed_context", "maximum context length"});
    failure.declined =
        Has(words.all, {"invalid_prompt", "content_policy", "cyber_policy", "content_filter", "responsibleaipolicy"});
    // A truncated upload.
    failure.again = Has(words.all, {"unexpected end of data"});
  }
  if (const std::string_view should = headers.Get("x-should-retry"); should == "true" || should == "false") {
    failure.again = should == "true";
    failure.busy = failure.busy && failure.again;
  }
  failure.wait = WaitOf(headers, error, failure.busy, now);
  failure.permanent = spent || (!failure.again && meant < 500 && meant != 408 && meant != 409 && meant != 429 &&
                                !failure.too_large && !failure.declined);
  std::string message = "the provider answered " + std::to_string(meant);
  if (meant < 400) message += ", a redirect, which is not followed";
  if (!words.message.empty()) message += ": " + words.message;
  const ErrorCode code = meant == 401 || meant == 403 ? ErrorCode::kDenied
                         : failure.busy               ? ErrorCode::kBusy
                                                      : ErrorCode::kIo;
  failure.error = Error{code, std::move(message), {}};
  return failure;
}

CallFailure NetworkFailure(const Error& error) {
  CallFailure failure;
  failure.error = error;
  failure.again = error.code == ErrorCode::kTimeout || error.code == ErrorCode::kIo;
  failure.permanent = error.code == ErrorCode::kInvalid || error.code == ErrorCode::kDenied;
  return failure;
}

CallFailure UnreadableAnswer(int status, const std::string& why) {
  CallFailure failure;
  failure.status = status;
  failure.again = true;
  failure.error = Error{ErrorCode::kParse, "the provider's answer cannot be read: " + why, {}};
  return failure;
}

}  // namespace openseat::llm

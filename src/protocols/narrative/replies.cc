#include "protocols/narrative/replies.h"

#include <array>
#include <utility>

#include "base/digest.h"
#include "base/rate_limit.h"
#include "base/secure_random.h"
#include "base/text.h"
#include "games/narrative/result_schema.h"
#include "protocols/narrative/zod_issues.h"

namespace openseat::narrative {
namespace {

constexpr Duration kRetryProvider = std::chrono::seconds(10);  // if the failure does not say itself
// A cap of a day has room again by then. One of a table lasts as long as the server runs; there is no better time.
constexpr Duration kRetryCapped = std::chrono::hours(24);

json::Array IssuesOf(const json::Value& answer, std::string_view reason, int version) {
  json::Array issues = ZodIssues(games::narrative::ResultSchema(version), answer);
  // A problem that no schema expresses: it is too large.
  if (issues.empty()) issues.push_back(json::Object{{"path", json::Array()}, {"message", reason}});
  return issues;
}

Failure NoResult(const json::Value& answer, std::string_view reason, int version) {
  return {
      422, "VALIDATION_FAILED", "Response failed schema validation", {{"issues", IssuesOf(answer, reason, version)}}};
}

// Text that is not JSON, unchanged. `mended`: what it might mean, which is not valid either.
Failure NoJson(std::string_view raw, std::string_view error, const json::Value* mended, std::string_view reason,
               int version) {
  Failure failure{422, "VALIDATION_FAILED", "Invalid JSON response from model", {{"raw", raw}, {"parseError", error}}};
  if (mended != nullptr) failure.details["issues"] = IssuesOf(*mended, reason, version);
  return failure;
}

}  // namespace

json::Object ToJson(const Failure& failure) {
  return {
      {"code", failure.code}, {"message", Ellipsize(failure.message, kMaxErrorBytes)}, {"details", failure.details}};
}

net::HttpResponse Succeeded(int status, json::Value data, std::string_view trace) {
  const bool secret = json::Find(data, "invite") != nullptr;
  net::HttpResponse response = net::HttpResponse::Json(
      status, json::Object{{"ok", true}, {"data", std::move(data)}, {"meta", json::Object{{"traceId", trace}}}});
  response.headers.Set("Vary", "Accept");
  response.secret = secret;
  return response;
}

net::HttpResponse Failed(const Failure& failure, std::string_view trace) {
  net::HttpResponse response = net::HttpResponse::Json(
      failure.status,
      json::Object{{"ok", false}, {"error", ToJson(failure)}, {"meta", json::Object{{"traceId", trace}}}});
  response.headers.Set("Vary", "Accept");
  if (failure.retry_after) response.headers.Set("Retry-After", RetryAfterSeconds(*failure.retry_after));
  return response;
}

net::HttpResponse Unhandled(int status, std::string_view message) {
  const auto code = [status]() -> std::string {
    switch (status) {
      case 401:
        return "UNAUTHORIZED";
      case 403:
        return "FORBIDDEN";
      case 404:
        return "NOT_FOUND";
      case 405:
        return "METHOD_NOT_ALLOWED";
      case 408:
        return "REQUEST_TIMEOUT";
      case 413:
        return "PAYLOAD_TOO_LARGE";
      case 429:
        return "RATE_LIMITED";
      default:
        return status < 500 ? "INVALID_REQUEST" : "UNAVAILABLE";
    }
  };
  return Failed({.status = status, .code = code(), .message = std::string(message)}, MakeTraceId());
}

std::string MakeTraceId(std::string_view seed) {
  std::string digits;
  if (seed.empty()) {
    std::array<std::byte, 16> random{};
    SecureRandom(random);
    digits = Sha256Hex({reinterpret_cast<const char*>(random.data()), random.size()});
  } else {
    digits = Sha256Hex(seed);
  }
  constexpr std::string_view kVariants = "89ab";
  const char variant = kVariants[static_cast<unsigned char>(digits[16]) % kVariants.size()];
  return digits.substr(0, 8) + "-" + digits.substr(8, 4) + "-4" + digits.substr(13, 3) + "-" + variant +
         digits.substr(17, 3) + "-" + digits.substr(20, 12);
}

Failure NarratorFailure(const json::Object& failure, int version) {
  const std::string_view code = json::TextOf(failure, "code");
  const std::string_view raw = json::TextOf(failure, "raw");
  const std::string_view reason = json::TextOf(failure, "reason");
  const std::string_view parse_error = json::TextOf(failure, "parse_error");
  const json::Value* data = json::Find(failure, "data");
  const std::string_view error = parse_error.empty() ? reason : parse_error;
  if (code == "parse" || code == "declined") return NoJson(raw, error, data, reason, version);
  if (code == "schema" || code == "refused") {
    const Result<json::Value> read = data == nullptr ? json::Parse(raw) : Result<json::Value>(*data);
    if (!read) return NoJson(raw, error, nullptr, reason, version);
    Failure failed = NoResult(*read, reason, version);
    if (!parse_error.empty()) {
      failed.details["raw"] = raw;
      failed.details["parseError"] = parse_error;
    }
    return failed;
  }
  const std::string message(reason);
  if (code == "timeout") return {504, "PROVIDER_TIMEOUT", message};
  if (code == "cap") return {429, "BUDGET_EXHAUSTED", message, {}, kRetryCapped};
  if (code == "too-large") return {502, "PROMPT_TOO_LARGE", message};
  if (code == "provider") {
    const json::Value* status = json::Find(failure, "status");
    const std::int64_t number = status != nullptr && status->is_int64() ? status->get_int64() : 0;
    std::optional<Duration> wait;
    if (const json::Value* ms = json::Find(failure, "wait_ms"); ms != nullptr && ms->is_number()) {
      wait = Duration(static_cast<std::int64_t>(ms->to_number<double>() * 1000));
    }
    if (number == 429) {
      return {429, "PROVIDER_RATE_LIMITED", message, {{"status", number}}, wait.value_or(kRetryProvider)};
    }
    Failure failed{502, "PROVIDER_ERROR", message, {}, wait};
    if (number != 0) failed.details["status"] = number;
    return failed;
  }
  return {502, "NARRATOR_FAILED", message.empty() ? "The narrator could not answer" : message};
}

Failure InvalidRequest(json::Array issues) {
  return {400, "INVALID_REQUEST", "The request is not valid", {{"issues", std::move(issues)}}};
}

Failure InvalidRequest(json::Array path, std::string_view message) {
  return InvalidRequest(
      json::Array{json::Object{{"path", std::move(path)}, {"message", Ellipsize(message, kMaxErrorBytes)}}});
}

Failure NoSuchGame(std::string_view id) {
  return {404, "NOT_FOUND", "There is no game " + Quote(id)};
}

}  // namespace openseat::narrative

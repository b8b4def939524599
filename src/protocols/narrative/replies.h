// The narrative protocol's envelopes, and the status and code of each failure. Pure.
//
//   {"ok": true, "data": …, "meta": {"traceId"}}
//   {"ok": false, "error": {"code", "message", "details": {…}}, "meta": {"traceId"}}
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "base/json.h"
#include "base/result.h"
#include "base/time.h"
#include "net/http.h"

namespace openseat::narrative {

// Every code of a failure, as /openapi.json lists them.
inline constexpr std::array<std::string_view, 24> kFailureCodes = {
    "BUDGET_EXHAUSTED",       "CHOICE_NOT_ON_OFFER", "FORBIDDEN",          "GAME_OVER",
    "IDEMPOTENCY_KEY_REUSED", "INVALID_REQUEST",     "METHOD_NOT_ALLOWED", "NARRATOR_FAILED",
    "NARRATOR_TIMEOUT",       "NOT_ACCEPTABLE",      "NOT_FOUND",          "NOT_PLAYED_HERE",
    "PAYLOAD_TOO_LARGE",      "PROMPT_TOO_LARGE",    "PROVIDER_ERROR",     "PROVIDER_RATE_LIMITED",
    "PROVIDER_TIMEOUT",       "RATE_LIMITED",        "REQUEST_TIMEOUT",    "TOO_MANY_TURNS",
    "TURN_IN_PROGRESS",       "UNAUTHORIZED",        "UNAVAILABLE",        "VALIDATION_FAILED"};

struct Failure {
  int status = 500;
  std::string code;  // "VALIDATION_FAILED"
  std::string message;
  json::Object details{};
  std::optional<Duration> retry_after{};
};

// {"code", "message", "details"}.
json::Object ToJson(const Failure& failure);

net::HttpResponse Succeeded(int status, json::Value data, std::string_view trace);
net::HttpResponse Failed(const Failure& failure, std::string_view trace);

// Answers that no handler gives (404, 405, 413 …), in the same envelope.
net::HttpResponse Unhandled(int status, std::string_view message);

// A new random UUID; the same one for the same `seed`, unless that is empty.
std::string MakeTraceId(std::string_view seed = {});

// Why a narrator gave up: `failure` is its seat's (core/seat.h), `version` that of the schema it had to follow.
Failure NarratorFailure(const json::Object& failure, int version);

// Failures of more than one request.
Failure InvalidRequest(json::Array issues);
Failure InvalidRequest(json::Array path, std::string_view message);
Failure NoSuchGame(std::string_view id);

}  // namespace openseat::narrative

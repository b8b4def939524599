// The narrative protocol's envelopes, and the status and code of each failure. Pure.
//
//   {"ok": true, "data": …, "meta": {"traceId"}}
//   {"ok": false, "error": {"code", "message", "details": {…}}, "meta": {"traceId"}}
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/json.h"
#include "base/result.h"
#include "base/time.h"
#include "net/http.h"

namespace openseat::narrative {

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
Failure InvalidRequest(json::Array path, std::string message);
Failure NoSuchGame(std::string_view id);

}  // namespace openseat::narrative

// How handlers of a JSON API read a request, and how they answer when several paths may lead to the answer.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "base/json.h"
#include "base/result.h"
#include "net/http.h"

namespace openseat::net {

// A handler's reply, shared by the paths that a request may take; the first to answer wins. Any thread.
class OneReply {
 public:
  explicit OneReply(HttpReply reply) : reply_(std::move(reply)) {}
  void Send(HttpResponse response);
  // With the value as JSON, or with the error.
  void Send(int status, const Result<json::Value>& answer);

 private:
  std::mutex mutex_;
  std::optional<HttpReply> reply_;
};

// Errors of all functions below: kInvalid (kParse for invalid JSON) with a sentence, and the parameter or member as
// path.

Result<std::uint64_t> NumberQuery(const HttpRequest& request, std::string_view name, std::uint64_t fallback);
// "true" or "false"; absent is false.
Result<bool> FlagQuery(const HttpRequest& request, std::string_view name);
// Limits for a body. No request of ours comes near them; a body with more values takes a loop too long to read.
inline constexpr json::Limits kBodyLimits{.max_bytes = 1u << 20, .max_depth = 64, .max_values = 20'000};
// The body as a JSON object within kBodyLimits; an empty body is {}.
Result<json::Object> ObjectBody(const HttpRequest& request);
// A member that must be a string.
Result<std::string> TextMember(const json::Object& body, std::string_view name);

}  // namespace openseat::net

// JSON-RPC messages of MCP as values, and their text. Pure; any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

#include "base/json_members.h"

namespace openseat::mcp {

// Why a request is not served: a JSON-RPC error, and the HTTP status that carries it.
struct Failure {
  int code = 0;
  std::string message;
  json::Value data = nullptr;  // null: none
  int status = 200;

  bool operator==(const Failure&) const = default;
};

struct Message {
  enum class Kind { kRequest, kNotification, kResponse };
  Kind kind = Kind::kRequest;
  json::Value id = nullptr;  // for a request or response: a string or an integer
  std::string method;        // for a request or notification
  json::Object params;
  std::optional<json::Value> result;  // for a response; nullopt: it is an error
};

// Why a message could not be read; `id` is null if none could be read.
struct Unreadable {
  json::Value id = nullptr;
  Failure failure;
};

inline constexpr std::size_t kMaxMessageBytes = 1u << 20;
inline constexpr std::size_t kMaxIdBytes = 1u << 10;      // also of a progress token
inline constexpr std::size_t kMaxMessageValues = 20'000;  // as in json::Limits

// A string of at most kMaxIdBytes, or an integer.
bool IsId(const json::Value& value);

// One message; accepts any bytes. Failures: kParseError, kInvalidRequest, both with status 400.
tl::expected<Message, Unreadable> DecodeMessage(std::string_view text);

// Each is one line of text.
std::string EncodeResult(const json::Value& id, json::Object result);
// With one more member of the result, whose value is JSON text. REQUIRES that there is another one.
std::string EncodeResult(const json::Value& id, json::Object result, std::string_view name, std::string_view text);
// `id` null: it could not be read, and is left out.
std::string EncodeFailure(const json::Value& id, const Failure& failure);
std::string EncodeNotification(std::string_view method, const json::Object& params);
std::string EncodeRequest(std::string_view id, std::string_view method, const json::Object& params);

using json::FindObject;
using json::FindText;

}  // namespace openseat::mcp

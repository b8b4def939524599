#include "protocols/mcp/message.h"

#include <utility>

#include "base/text.h"
#include "protocols/mcp/protocol.h"

namespace openseat::mcp {
namespace {

constexpr std::size_t kMaxDepth = 64;

tl::unexpected<Unreadable> Invalid(const json::Value* id, std::string message) {
  return tl::unexpected<Unreadable>(Unreadable{id != nullptr && IsId(*id) ? *id : json::Value(nullptr),
                                               {code::kInvalidRequest, std::move(message), nullptr, 400}});
}

}  // namespace

bool IsId(const json::Value& value) {
  if (value.is_string()) return value.get_string().size() <= kMaxIdBytes;
  return value.is_int64() || value.is_uint64();
}

tl::expected<Message, Unreadable> DecodeMessage(std::string_view text) {
  Result<json::Value> parsed =
      json::Parse(text, {.max_bytes = kMaxMessageBytes, .max_depth = kMaxDepth, .max_values = kMaxMessageValues});
  if (!parsed) {
    return tl::unexpected<Unreadable>(
        Unreadable{nullptr, {code::kParseError, "Parse error: " + parsed.error().message, nullptr, 400}});
  }
  if (parsed->is_array())
    return Invalid(nullptr, "Invalid request: batches are not accepted; send one message at a time");
  if (!parsed->is_object()) {
    return Invalid(nullptr, "Invalid request: a message is an object; got " + std::string(json::TypeName(*parsed)));
  }
  json::Object& object = parsed->get_object();
  const json::Value* id = json::Find(object, "id");
  if (FindText(object, "jsonrpc") != "2.0") return Invalid(id, "Invalid request: \"jsonrpc\" must be \"2.0\"");
  if (id != nullptr && !IsId(*id)) {
    const std::string got = id->is_string() ? "a longer one" : json::Excerpt(*id);
    return Invalid(nullptr, "Invalid request: \"id\" must be an integer or a string of at most " +
                                std::to_string(kMaxIdBytes) + " bytes; got " + got);
  }
  Message message;
  if (id != nullptr) message.id = *id;
  const json::Value* method = json::Find(object, "method");
  if (method == nullptr) {
    const json::Value* result = json::Find(object, "result");
    if (result != nullptr && !result->is_object()) result = nullptr;
    const bool is_response = (result != nullptr) != (FindObject(object, "error") != nullptr);
    if (id == nullptr || !is_response) {
      return Invalid(id, "Invalid request: a message has a \"method\", or an \"id\" and a \"result\" or \"error\"");
    }
    message.kind = Message::Kind::kResponse;
    if (result != nullptr) message.result = *result;
    return message;
  }
  if (!method->is_string() || method->get_string().empty()) {
    return Invalid(id, "Invalid request: \"method\" must be a string; got " + json::Excerpt(*method));
  }
  message.method = json::View(method->get_string());
  message.kind = id == nullptr ? Message::Kind::kNotification : Message::Kind::kRequest;
  if (json::Value* params = object.if_contains("params")) {
    if (!params->is_object()) {
      return Invalid(id, "Invalid request: \"params\" must be an object; got " + std::string(json::TypeName(*params)));
    }
    message.params = std::move(params->get_object());
  }
  return message;
}

std::string EncodeResult(const json::Value& id, json::Object result) {
  return json::Write(json::Object{{"jsonrpc", "2.0"}, {"id", id}, {"result", std::move(result)}});
}

std::string EncodeResult(const json::Value& id, json::Object result, std::string_view name, std::string_view text) {
  std::string out = EncodeResult(id, std::move(result));
  constexpr std::string_view kEnd = "}}";  // of the result, and of the message
  out.resize(out.size() - kEnd.size());
  out += ',';
  json::WriteString(name, out);
  out += ':';
  out += text;
  out += kEnd;
  return out;
}

std::string EncodeFailure(const json::Value& id, const Failure& failure) {
  json::Object error{{"code", failure.code}, {"message", Ellipsize(failure.message, kMaxErrorBytes)}};
  if (!failure.data.is_null()) error["data"] = failure.data;
  json::Object object{{"jsonrpc", "2.0"}};
  if (!id.is_null()) object["id"] = id;
  object["error"] = std::move(error);
  return json::Write(object);
}

std::string EncodeNotification(std::string_view method, const json::Object& params) {
  return json::Write(json::Object{{"jsonrpc", "2.0"}, {"method", method}, {"params", params}});
}

std::string EncodeRequest(std::string_view id, std::string_view method, const json::Object& params) {
  return json::Write(json::Object{{"jsonrpc", "2.0"}, {"id", id}, {"method", method}, {"params", params}});
}

}  // namespace openseat::mcp

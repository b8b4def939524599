#include "net/json_request.h"

#include <charconv>
#include <utility>

#include "base/text.h"

namespace openseat::net {

void OneReply::Send(HttpResponse response) {
  std::optional<HttpReply> reply;
  {
    const std::lock_guard lock(mutex_);
    reply.swap(reply_);
  }
  if (reply) std::move(*reply).Send(std::move(response));
}

void OneReply::Send(int status, const Result<json::Value>& answer) {
  Send(answer ? HttpResponse::Json(status, *answer) : HttpResponse::FromError(answer.error()));
}

Result<std::uint64_t> NumberQuery(const HttpRequest& request, std::string_view name, std::uint64_t fallback) {
  const std::string* text = request.Query(name);
  if (text == nullptr) return fallback;
  std::uint64_t number = 0;
  const auto end = text->data() + text->size();
  const auto parsed = std::from_chars(text->data(), end, number);
  if (parsed.ec != std::errc() || parsed.ptr != end) {
    return Fail(ErrorCode::kInvalid, std::string(name) + " must be a whole number from 0; got " + Quote(*text),
                std::string(name));
  }
  return number;
}

Result<bool> FlagQuery(const HttpRequest& request, std::string_view name) {
  const std::string* text = request.Query(name);
  if (text == nullptr || *text == "false") return false;
  if (*text == "true") return true;
  return Fail(ErrorCode::kInvalid, std::string(name) + " must be true or false; got " + Quote(*text),
              std::string(name));
}

Result<json::Object> ObjectBody(const HttpRequest& request) {
  if (request.body.empty()) return json::Object();
  Result<json::Value> body = json::Parse(request.body, kBodyLimits);
  if (!body) return Fail(body.error());
  if (!body->is_object()) {
    return Fail(ErrorCode::kInvalid, "the body must be a JSON object; got " + std::string(json::TypeName(*body)));
  }
  return std::move(body->get_object());
}

Result<std::string> TextMember(const json::Object& body, std::string_view name) {
  const json::Value* value = json::Find(body, name);
  if (value == nullptr || !value->is_string()) {
    return Fail(ErrorCode::kInvalid,
                std::string(name) + " must be a string; got " + (value == nullptr ? "nothing" : json::Excerpt(*value)),
                std::string(name));
  }
  return std::string(json::View(value->get_string()));
}

}  // namespace openseat::net

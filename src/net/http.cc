#include "net/http.h"

#include <algorithm>
#include <utility>

#include "base/rate_limit.h"
#include "base/text.h"
#include "net/http_reply.h"

namespace openseat::net {
namespace {

int StatusOf(ErrorCode code) {
  switch (code) {
    case ErrorCode::kParse:
    case ErrorCode::kInvalid:
      return 400;
    case ErrorCode::kUnauthorized:
      return 401;
    case ErrorCode::kDenied:
      return 403;
    case ErrorCode::kNotFound:
      return 404;
    case ErrorCode::kConflict:
    case ErrorCode::kNotYourTurn:
      return 409;
    case ErrorCode::kTooLarge:
      return 413;
    case ErrorCode::kSchema:
    case ErrorCode::kNoSuchAction:
    case ErrorCode::kIncorrectData:
    case ErrorCode::kIncorrectMove:
      return 422;
    case ErrorCode::kBusy:
      return 429;
    case ErrorCode::kUnsupported:
      return 501;
    case ErrorCode::kClosed:
    case ErrorCode::kIo:
      return 503;
    case ErrorCode::kTimeout:
      return 504;
  }
  return 500;
}

}  // namespace

std::string_view MethodName(Method method) {
  switch (method) {
    case Method::kGet:
      return "GET";
    case Method::kHead:
      return "HEAD";
    case Method::kPost:
      return "POST";
    case Method::kPut:
      return "PUT";
    case Method::kPatch:
      return "PATCH";
    case Method::kDelete:
      return "DELETE";
    case Method::kOptions:
      return "OPTIONS";
  }
  return "";
}

std::string_view Headers::Get(std::string_view name) const {
  for (const auto& [entry, value] : entries_) {
    if (EqualsIgnoringCase(entry, name)) return value;
  }
  return {};
}

bool Headers::Has(std::string_view name) const {
  return std::ranges::any_of(entries_, [name](const auto& entry) { return EqualsIgnoringCase(entry.first, name); });
}

void Headers::Set(std::string name, std::string value) {
  Remove(name);
  Add(std::move(name), std::move(value));
}

void Headers::Remove(std::string_view name) {
  std::erase_if(entries_, [name](const auto& entry) { return EqualsIgnoringCase(entry.first, name); });
}

void Headers::Add(std::string name, std::string value) {
  entries_.emplace_back(std::move(name), std::move(value));
}

std::string_view HttpRequest::Param(std::string_view name) const {
  for (const auto& [entry, value] : params) {
    if (entry == name) return value;
  }
  return {};
}

const std::string* HttpRequest::Query(std::string_view name) const {
  for (const auto& [entry, value] : query) {
    if (entry == name) return &value;
  }
  return nullptr;
}

HttpResponse HttpResponse::Json(int status, const json::Value& body) {
  return Text(status, json::Write(body), "application/json");
}

HttpResponse HttpResponse::Text(int status, std::string body, std::string content_type) {
  HttpResponse response;
  response.status = status;
  response.headers.Add("Content-Type", std::move(content_type));
  response.body = std::move(body);
  return response;
}

HttpResponse HttpResponse::FromError(const Error& error) {
  json::Object inner;
  inner["code"] = ErrorCodeName(error.code);
  inner["message"] = Ellipsize(error.message, kMaxErrorBytes);
  if (!error.path.empty()) inner["path"] = Ellipsize(error.path, kMaxErrorBytes);
  json::Object body;
  body["error"] = std::move(inner);
  HttpResponse response = Json(StatusOf(error.code), body);
  // A full disk gets room again, and a server of NATS comes back.
  const bool passes = error.code == ErrorCode::kBusy || error.code == ErrorCode::kIo;
  if (passes) response.headers.Add("Retry-After", RetryAfterSeconds(error.wait));
  if (error.code == ErrorCode::kUnauthorized) response.headers.Add("WWW-Authenticate", "Bearer realm=\"openseat\"");
  return response;
}

HttpReply::HttpReply(std::shared_ptr<Sink> sink) : sink_(std::move(sink)) {}
HttpReply::HttpReply(HttpReply&&) noexcept = default;

HttpReply& HttpReply::operator=(HttpReply&& other) noexcept {
  if (this != &other) {
    const HttpReply dropped(std::move(*this));
    sink_ = std::move(other.sink_);
  }
  return *this;
}

HttpReply::~HttpReply() {
  if (sink_ == nullptr) return;
  HttpResponse response =
      HttpResponse::FromError(Error{ErrorCode::kIo, "the request was dropped without an answer", {}});
  response.status = 500;  // a mistake of the program's, which does not pass
  response.headers.Remove("Retry-After");
  std::exchange(sink_, nullptr)->Deliver(std::move(response));
}

void HttpReply::Send(HttpResponse response) && {
  if (sink_ != nullptr) std::exchange(sink_, nullptr)->Deliver(std::move(response));
}

HttpStream HttpReply::Stream(HttpResponse head) && {
  auto state = std::make_shared<HttpStream::State>();
  const std::shared_ptr<Sink> sink = std::move(sink_);
  sink->BeginStream(std::move(head), state);
  return {sink, std::move(state)};
}

void HttpReply::OnGone(Task gone) {
  sink_->WhenGone(std::move(gone));
}

HttpStream::HttpStream(std::shared_ptr<HttpReply::Sink> sink, std::shared_ptr<State> state)
    : sink_(std::move(sink)), state_(std::move(state)) {}
HttpStream::HttpStream(HttpStream&&) noexcept = default;

HttpStream& HttpStream::operator=(HttpStream&& other) noexcept {
  if (this != &other) {
    End();
    sink_ = std::move(other.sink_);
    state_ = std::move(other.state_);
  }
  return *this;
}

HttpStream::~HttpStream() {
  End();
}

bool HttpStream::Write(std::string_view bytes) {
  if (!state_->open) return false;
  if (!bytes.empty()) sink_->WriteStream(state_, std::string(bytes));
  return state_->open;
}

void HttpStream::End() {
  if (sink_ == nullptr) return;
  sink_->EndStream(state_);
  sink_.reset();
}

std::string ServerSentEvent(std::string_view event, std::string_view data, std::string_view id) {
  std::string out;
  if (!event.empty()) out.append("event: ").append(event).push_back('\n');
  if (!id.empty()) out.append("id: ").append(id).push_back('\n');
  for (;;) {
    // All three line endings count as one.
    const std::size_t end = data.find_first_of("\r\n");
    out.append("data: ").append(data.substr(0, end)).push_back('\n');
    if (end == std::string_view::npos) break;
    data.remove_prefix(end + (data.substr(end, 2) == "\r\n" ? 2 : 1));
  }
  out.push_back('\n');
  return out;
}

}  // namespace openseat::net

#include "protocols/mcp/bridge.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace openseat::mcp {
namespace {

constexpr Duration kTimeout = std::chrono::seconds(120);  // longer than any tool waits

bool Succeeded(const net::HttpResponse& answer) {
  return answer.status >= 200 && answer.status < 300;
}

}  // namespace

std::string EncodeHeaderValue(std::string_view value) {
  const bool plain = !value.empty() && value.front() != ' ' && value.back() != ' ' &&
                     std::ranges::all_of(value, [](char c) { return c >= ' ' && c <= '~'; }) &&
                     !value.starts_with("=?base64?");
  if (plain) return std::string(value);
  static constexpr char kAlphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out = "=?base64?";
  for (std::size_t at = 0; at < value.size(); at += 3) {
    std::uint32_t bits = 0;
    const std::size_t count = std::min<std::size_t>(3, value.size() - at);
    for (std::size_t i = 0; i < 3; ++i) {
      bits = (bits << 8) | (i < count ? static_cast<unsigned char>(value[at + i]) : 0u);
    }
    for (std::size_t i = 0; i < 4; ++i) out += i <= count ? kAlphabet[(bits >> (18 - 6 * i)) & 63u] : '=';
  }
  return out + "?=";
}

std::vector<std::string> EventData(std::string_view stream) {
  std::vector<std::string> out;
  std::string data;
  while (!stream.empty()) {
    std::string_view line = stream.substr(0, stream.find('\n'));
    stream.remove_prefix(std::min(stream.size(), line.size() + 1));
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.empty() && !data.empty()) out.push_back(std::exchange(data, {}));
    if (!line.starts_with("data:")) continue;
    line.remove_prefix(5);
    if (line.starts_with(' ')) line.remove_prefix(1);
    data += line;
  }
  return out;  // a truncated event is not an event
}

Bridge::Bridge(net::HttpCaller& caller, Scheduler& scheduler, std::string url, std::string token,
               std::function<void(std::string)> write)
    : caller_(caller),
      scheduler_(scheduler),
      url_(std::move(url)),
      token_(std::move(token)),
      write_(std::move(write)) {}

Bridge::~Bridge() {
  for (const auto& [number, running] : running_) caller_.Cancel(scheduler_, running.call);
}

void Bridge::Write(std::string text) {
  // A line is one message, however it was written.
  std::erase_if(text, [](char c) { return c == '\n' || c == '\r'; });
  text += '\n';
  write_(std::move(text));
}

void Bridge::Fail(const Message& message, std::string why) {
  if (message.kind != Message::Kind::kRequest) return;
  Write(EncodeFailure(message.id, {code::kInternalError, std::move(why), nullptr, 200}));
}

void Bridge::Take(std::string_view line) {
  tl::expected<Message, Unreadable> message = DecodeMessage(line);
  if (!message) return Write(EncodeFailure(message.error().id, message.error().failure));
  tl::expected<Envelope, Failure> envelope = ReadEnvelope(*message, nullptr);
  if (!envelope) return Write(EncodeFailure(message->id, envelope.error()));
  if (message->method == "notifications/cancelled") {
    const json::Value* id = json::Find(message->params, "requestId");
    const auto found = id == nullptr ? by_id_.end() : by_id_.find(json::Write(*id));
    if (found != by_id_.end()) {
      const auto running = running_.find(found->second);
      if (running->second.modern) {
        // Hanging up cancels.
        caller_.Cancel(scheduler_, running->second.call);
        Ended(found->second);
        return;
      }
    }
  }
  if (message->method == "initialize" && envelope->era == Era::kLegacy) {
    handshake_ = line;
    session_.clear();
    version_.clear();
  }
  Send(*message, *envelope, std::string(line), false);
}

net::HttpCall Bridge::Post(const Message& message, const Envelope& envelope, std::string_view line) const {
  net::HttpCall call;
  call.method = net::Method::kPost;
  call.url = url_;
  call.timeout = kTimeout;
  call.body = line;
  call.headers.Add("Content-Type", "application/json");
  call.headers.Add("Accept", "application/json, text/event-stream");
  if (!token_.empty()) call.headers.Add("Authorization", "Bearer " + token_);
  if (envelope.era == Era::kModern) {
    call.headers.Add(std::string(kVersionHeader),
                     envelope.version.empty() ? std::string(kModernVersion) : envelope.version);
    call.headers.Add(std::string(kMethodHeader), message.method);
    if (const auto name = NameOf(message)) {
      call.headers.Add(std::string(kNameHeader), EncodeHeaderValue(*name));
    }
  } else if (message.method != "initialize") {
    if (!version_.empty()) call.headers.Add(std::string(kVersionHeader), version_);
    if (!session_.empty()) call.headers.Add(std::string(kSessionHeader), session_);
  }
  return call;
}

void Bridge::Send(const Message& message, const Envelope& envelope, std::string line, bool again) {
  const std::uint64_t number = ++last_;
  net::HttpCall call = Post(message, envelope, line);
  Running& running = running_[number];
  running.modern = envelope.era == Era::kModern;
  if (message.kind == Message::Kind::kRequest) by_id_[json::Write(message.id)] = number;
  running.call = caller_.Call(scheduler_, std::move(call),
                              [this, alive = std::weak_ptr<int>(alive_), number, message, envelope,
                               line = std::move(line), again](const Result<net::HttpResponse>& answer) {
                                if (alive.expired()) return;
                                Answered(message, envelope, line, again, answer);
                                Ended(number);
                              });
}

void Bridge::Answered(const Message& message, const Envelope& envelope, const std::string& line, bool again,
                      const Result<net::HttpResponse>& answer) {
  if (!answer) return Fail(message, "The server at " + url_ + " cannot be reached: " + answer.error().message);
  const bool begins = envelope.era == Era::kLegacy && message.method == "initialize";
  if (answer->status == 404 && envelope.era == Era::kLegacy && !begins && !again && !handshake_.empty()) {
    return ShakeHandsAgain(message, envelope, line);
  }
  if (begins && Succeeded(*answer)) {
    session_ = answer->headers.Get(kSessionHeader);
    if (const Result<json::Value> body = json::Parse(answer->body); body && body->is_object()) {
      const json::Object* result = FindObject(body->get_object(), "result");
      if (result != nullptr) version_ = FindText(*result, "protocolVersion").value_or("");
    }
  }
  if (message.kind != Message::Kind::kRequest) return;
  if (answer->headers.Get("Content-Type").starts_with("text/event-stream")) {
    const std::vector<std::string> events = EventData(answer->body);
    for (const std::string& event : events) Write(event);
    if (events.empty()) Fail(message, "the server ended its answer early");
    return;
  }
  if (DecodeMessage(answer->body)) return Write(answer->body);
  Fail(message,
       "the server at " + url_ + " answered " + std::to_string(answer->status) +
           (answer->status == 401 ? ": it needs its admin token, --token" : " with something that is not a message"));
}

// The server was restarted: the host does not know that, and need not.
void Bridge::ShakeHandsAgain(const Message& message, const Envelope& envelope, const std::string& line) {
  const tl::expected<Message, Unreadable> handshake = DecodeMessage(handshake_);
  const std::uint64_t number = ++last_;
  session_.clear();
  running_[number].call = caller_.Call(scheduler_, Post(*handshake, {}, handshake_),
                                       [this, alive = std::weak_ptr<int>(alive_), number, message, envelope,
                                        line](const Result<net::HttpResponse>& answer) {
                                         if (alive.expired()) return;
                                         if (answer && Succeeded(*answer))
                                           session_ = answer->headers.Get(kSessionHeader);
                                         Send(message, envelope, line, true);
                                         Ended(number);
                                       });
}

void Bridge::Ended(std::uint64_t number) {
  running_.erase(number);
  std::erase_if(by_id_, [number](const auto& each) { return each.second == number; });
}

}  // namespace openseat::mcp

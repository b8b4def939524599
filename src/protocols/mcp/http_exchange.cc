#include "protocols/mcp/http_exchange.h"

#include <utility>

namespace openseat::mcp {
namespace {

// Proxies close connections that are silent for longer.
constexpr Duration kKeepAlive = std::chrono::seconds(15);
constexpr std::string_view kComment = ":\n\n";

}  // namespace

HttpExchange::HttpExchange(Scheduler& home, net::HttpReply reply, bool can_stream, std::shared_ptr<Payer> payer,
                           std::shared_ptr<void> place)
    : home_(home),
      reply_(std::move(reply)),
      can_stream_(can_stream),
      payer_(std::move(payer)),
      place_(std::move(place)) {
  if (can_stream_) KeepAlive();
}

void HttpExchange::KeepAlive() {
  keep_alive_.Set(home_, kKeepAlive, [this] {
    if (Stream()) stream_->Write(kComment);
    KeepAlive();
  });
}

bool HttpExchange::Stream() {
  if (stream_) return true;
  if (!reply_ || !can_stream_) return false;
  net::HttpResponse head;
  head.headers.Add("Content-Type", "text/event-stream");
  head.headers.Add("Cache-Control", "no-cache");
  head.headers.Add("X-Accel-Buffering", "no");
  if (before_answer_) before_answer_(head.headers);
  stream_.emplace(std::move(*reply_).Stream(std::move(head)));
  reply_.reset();
  return true;
}

void HttpExchange::Notify(std::string message) {
  if (!Stream()) return;
  stream_->Write(net::ServerSentEvent("message", message));
  KeepAlive();
}

void HttpExchange::Finish(std::string message, int status) {
  keep_alive_.Cancel();
  if (stream_) {
    if (!message.empty()) stream_->Write(net::ServerSentEvent("message", message));
    stream_.reset();
    return;
  }
  if (!reply_) return;
  net::HttpResponse response;
  response.status = status;
  if (!message.empty()) response = net::HttpResponse::Text(status, std::move(message), "application/json");
  if (before_answer_) before_answer_(response.headers);
  std::move(*reply_).Send(std::move(response));
  reply_.reset();
}

}  // namespace openseat::mcp

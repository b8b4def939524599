// HttpExchange: the answer to one message over HTTP: one JSON object if it comes soon and alone, or a stream of events
// if something has to be sent earlier or the answer takes long. Internal to the endpoint; on the server's scheduler.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/scheduler.h"
#include "net/http.h"
#include "protocols/mcp/call.h"

namespace openseat::mcp {

class HttpExchange final : public Exchange {
 public:
  // `can_stream`: the client accepts text/event-stream; otherwise messages before the answer are not sent. `place`:
  // what the call takes up until it is answered.
  HttpExchange(Scheduler& home, net::HttpReply reply, bool can_stream, std::shared_ptr<Payer> payer,
               std::shared_ptr<void> place);

  // Adds headers to the answer.
  void BeforeAnswer(std::function<void(net::Headers&)> add) { before_answer_ = std::move(add); }

  std::shared_ptr<Payer> payer() const override { return payer_; }
  void Notify(std::string message) override;
  void Finish(std::string message, int status) override;

 private:
  bool Stream();  // whether it is a stream by now
  void KeepAlive();

  Scheduler& home_;
  std::optional<net::HttpReply> reply_;
  std::optional<net::HttpStream> stream_;
  const bool can_stream_;
  const std::shared_ptr<Payer> payer_;
  const std::shared_ptr<void> place_;
  std::function<void(net::Headers&)> before_answer_;
  ScopedTimer keep_alive_;
};

}  // namespace openseat::mcp

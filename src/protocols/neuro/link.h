// Link: the way from a remote table to its game's socket, which may live on another shard.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "net/websocket.h"

namespace openseat::neuro {

class Link {
 public:
  Link(std::shared_ptr<net::WebSocket> socket, const Scheduler& home)
      : socket_(std::move(socket)), local_(&socket_->scheduler() == &home) {}

  void Send(std::string_view message) {
    if (local_) {
      socket_->SendText(message);
    } else {
      socket_->scheduler().Post([socket = socket_, text = std::string(message)] { socket->SendText(text); });
    }
  }
  void Close(std::uint16_t code, std::string reason) {
    socket_->scheduler().Post([socket = socket_, code, reason = std::move(reason)] { socket->Close(code, reason); });
  }
  std::uint64_t id() const { return socket_->id(); }
  const std::string& peer() const { return socket_->peer(); }

 private:
  std::shared_ptr<net::WebSocket> socket_;
  bool local_;
};

}  // namespace openseat::neuro

// For tests of protocols: a socket without a network, which keeps what was sent.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "net/websocket.h"

namespace openseat::net {

class FakeSocket final : public WebSocket {
 public:
  FakeSocket(Scheduler& scheduler, std::uint64_t id, std::string peer = "127.0.0.1")
      : scheduler_(scheduler), id_(id), peer_(std::move(peer)) {}
  SendStatus SendText(std::string_view message) override {
    sent.emplace_back(message);
    return SendStatus::kTaken;
  }
  SendStatus SendBinary(std::string_view message) override {
    sent_binary.emplace_back(message);
    return SendStatus::kTaken;
  }
  void Ping(std::string_view payload) override { pings.emplace_back(payload); }
  void Close(std::uint16_t code, std::string_view) override { closed_with = code; }
  Scheduler& scheduler() override { return scheduler_; }
  std::uint64_t id() const override { return id_; }
  const std::string& peer() const override { return peer_; }

  std::vector<std::string> Take() { return std::exchange(sent, {}); }

  std::vector<std::string> sent;
  std::vector<std::string> sent_binary;
  std::vector<std::string> pings;
  std::uint16_t closed_with = 0;

 private:
  Scheduler& scheduler_;
  std::uint64_t id_;
  std::string peer_;
};

}  // namespace openseat::net

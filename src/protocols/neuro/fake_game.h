// For tests: a socket that keeps what was sent, and an agent that keeps what it was told and answers when told to.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/agent.h"
#include "core/seat.h"
#include "net/websocket.h"

namespace openseat::neuro {

class FakeSocket final : public net::WebSocket {
 public:
  FakeSocket(Scheduler& scheduler, std::uint64_t id, std::string peer = "127.0.0.1")
      : scheduler_(scheduler), id_(id), peer_(std::move(peer)) {}
  net::SendStatus SendText(std::string_view message) override {
    sent.emplace_back(message);
    return net::SendStatus::kTaken;
  }
  net::SendStatus SendBinary(std::string_view) override { return net::SendStatus::kTaken; }
  void Ping() override {}
  void Close(std::uint16_t code, std::string_view) override { closed_with = code; }
  Scheduler& scheduler() override { return scheduler_; }
  std::uint64_t id() const override { return id_; }
  const std::string& peer() const override { return peer_; }

  std::vector<std::string> Take() { return std::exchange(sent, {}); }

  std::vector<std::string> sent;
  std::uint16_t closed_with = 0;

 private:
  Scheduler& scheduler_;
  std::uint64_t id_;
  std::string peer_;
};

class FakePlayer final : public Agent {
 public:
  struct Log {
    std::vector<Decision> decisions;
    std::vector<std::string> contexts;
    std::vector<std::string> verdicts;
    Seat* seat = nullptr;
  };
  explicit FakePlayer(Log& log) : log_(log) {}
  std::string_view kind() const override { return "fake"; }
  void OnSeated(Seat& seat) override { log_.seat = &seat; }
  void OnDecision(const Decision& decision) override { log_.decisions.push_back(decision); }
  void OnContext(const Context& context) override {
    log_.contexts.push_back(context.message + (context.silent ? "" : " (answer)"));
  }
  void OnVerdict(const Choice& choice, const Verdict& verdict) override {
    log_.verdicts.push_back(choice.action + " " + std::string(VerdictName(verdict.kind)));
  }

 private:
  Log& log_;
};

}  // namespace openseat::neuro

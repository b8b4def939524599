// For tests: an agent that keeps what it was told and answers when told to.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/agent.h"
#include "core/seat.h"
#include "net/fake_socket.h"

namespace openseat::neuro {

using net::FakeSocket;

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

// CommandAgent: a bot in any language, which reads and writes lines of JSON on its standard input and output
// (docs/bots.md). A bot that crashes, is late or writes something else gives up its decision: in a contest that is a
// forfeit of its own.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "agents/command/bot_process.h"
#include "agents/kinds.h"
#include "core/seat.h"

namespace openseat {

// "cmd:PROGRAM".
AgentKind CommandKind();

struct CommandOptions {
  std::string program;
  std::string log;
  BotLimits limits;
  Duration move_time = std::chrono::seconds(10);
};

class CommandAgent final : public Agent {
 public:
  explicit CommandAgent(CommandOptions options) : options_(std::move(options)) {}

  std::string_view kind() const override { return "cmd"; }
  void OnSeated(Seat& seat) override;
  void OnDecision(const Decision& decision) override;
  void OnDecisionEnded(DecisionId decision, DecisionEnd end) override;
  void OnEnd() override;

 private:
  void OnLines(const std::vector<std::string>& lines, bool too_long);
  // False if the bot does not read.
  bool Tell(std::string line);
  void Answer(const std::string& line);
  // Since the decision was asked for the first time.
  std::optional<double> CpuMilliseconds() const;
  // The bot is out: this and every further decision is given up.
  void Fault(std::string code, std::string why);
  void GiveUp(DecisionId decision);

  const CommandOptions options_;
  Seat* seat_ = nullptr;
  std::unique_ptr<ChildProgram> bot_;
  std::optional<DecisionId> asked_;  // and not answered
  std::optional<Duration> cpu_;      // its CPU time when the decision began
  ScopedTimer late_;
  std::size_t unasked_ = 0;  // lines that it wrote when nothing was asked
  std::string code_;         // why it is out
  std::string why_;
};

}  // namespace openseat

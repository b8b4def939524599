// ScriptAgent: plays a list of actions from a file, in order.
//
// The file is JSON: {"action": data, …} (each action once), or [{"action", "data"?}, …], or
// {"steps": [{"action", "data"?}, …], "loop"?: bool, "otherwise"?: "wait" | "random"}.
//
// A step is taken as soon as its action may be chosen: when it is registered and no decision is open, or when an open
// decision takes it. If an open decision does not take the next step's action, or the script is over, "otherwise" says
// what to do: wait (the default), or answer at random. A refused step is tried again as long as its decision is asked
// again; then the script goes on.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "agents/kinds.h"
#include "agents/random_agent.h"
#include "core/agent.h"
#include "core/seat.h"

namespace openseat {

struct Script {
  struct Step {
    std::string action;
    json::Value data;
  };
  std::vector<Step> steps;
  bool loop = false;
  bool otherwise_random = false;
};

// Errors say which step is wrong and why.
Result<Script> ParseScript(const json::Value& source);
// Reads the file at `path`.
Result<Script> LoadScript(const std::string& path);

// Loads a file, or the script itself.
AgentKind ScriptKind();

class ScriptAgent final : public Agent {
 public:
  ScriptAgent(Script script, std::uint64_t seed);

  std::string_view kind() const override { return "script"; }
  void OnSeated(Seat& seat) override;
  void OnDecision(const Decision& decision) override;
  void OnActionsChanged() override { Play(); }
  void OnVerdict(const Choice& choice, const Verdict& verdict) override;
  void OnDecisionEnded(DecisionId decision, DecisionEnd end) override;

 private:
  void Play();
  void Skip();     // to the next step, without playing it
  void Advance();  // and plays it, if that is allowed

  const Script script_;
  RandomAgent fallback_;
  Seat* seat_ = nullptr;
  std::size_t next_ = 0;
  bool step_sent_ = false;  // the step awaits its verdict, or its decision will be asked again
};

}  // namespace openseat

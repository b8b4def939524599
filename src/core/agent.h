// Agent: occupies a seat and answers its decisions.
//
// All calls come on the seat's scheduler and return at once; the answer is Seat::Choose, now or later, on that
// scheduler too (an agent that works elsewhere posts back). A seat owns its agent; an agent may rely on its Seat& from
// OnSeated to its destructor, and must not call it from there.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/json.h"
#include "core/decision.h"
#include "core/retries.h"

namespace openseat {

class ExternalAgent;
class Seat;
struct SeatView;

class Agent {
 public:
  virtual ~Agent() = default;

  virtual std::string_view kind() const = 0;  // "random", "script" …
  // Whether a person or program answers at its own pace and may be wrong as often as it likes: the seat then gives up
  // no decision for its mistakes, and does not ask again if it was told what was wrong (seat.h, Choose).
  virtual bool interactive() const { return false; }

  // Whether it is told anything at all; false if the player sees the table by other means.
  virtual bool listens() const { return true; }

  // Itself, where the holder of the seat's token plays through it (agents/external); null for an agent that decides by
  // itself.
  virtual ExternalAgent* external() { return nullptr; }
  // Adds what an agent that is played through keeps for its player: `version`, `ended`, and what it was told after this
  // version.
  virtual void AddTold(SeatView&, std::uint64_t) const {}

  // Before OnSeated, if the table was read from its journal: the requests that had acted since this agent came.
  virtual void OnRetries(const Retries&) {}
  // Otherwise the first call. A decision that is pending follows.
  virtual void OnSeated(Seat& seat) = 0;
  // Choose now: also called after a refusal, with the attempt counted up and the refusal's message.
  virtual void OnDecision(const Decision& decision) = 0;
  // The decision is over; a choice for it will be refused.
  virtual void OnDecisionEnded(DecisionId, DecisionEnd) {}
  virtual void OnContext(const Context&) {}
  // Nothing is asked; it may choose if it wants to.
  virtual void OnInvited() {}
  virtual void OnActionsChanged() {}
  // What became of this agent's choice, before the decision is asked again or ends.
  virtual void OnVerdict(const Choice&, const Verdict&) {}
  // The table is over: nothing will be asked any more.
  virtual void OnEnd() {}
  // The last call, when another agent takes the seat or the table is closed for good: what was stored for this agent is
  // no longer needed. Not called if the process ends and the table is to be recovered. Also called for an agent that
  // never sat down.
  virtual void OnDismissed() {}
};

// {"kind": "random", …options}: how an agent is named in a config file, on the command line and over APIs.
struct AgentSpec {
  std::string kind;
  json::Object options;
};

// Makes an agent, or says what is wrong with the spec. Any thread.
using AgentFactory = std::function<Result<std::unique_ptr<Agent>>(const AgentSpec& spec)>;

}  // namespace openseat

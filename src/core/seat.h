// Seat: the referee between a table and an agent. It holds what the seat may do, the pending decision, and the one
// choice that awaits its verdict. It checks choices, asks again after refusals, keeps deadlines, holds context back
// while a verdict is due, and writes everything to the table's transcript.
//
// Choose is the only way to a table's rules for every kind of player: a model, a bot, a webhook, a client on a
// connection. At a hosted match the rules are the only judge (SeatHost::IsJudge); elsewhere the seat checks data
// against the actions' schemas before the choice is sent to the game.
//
// One thread: its scheduler's. Agents are called from tasks of that scheduler, never from within Choose, so neither
// side is called back while it is calling.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/scheduler.h"
#include "base/waiting.h"
#include "core/agent.h"
#include "core/decision.h"
#include "core/game.h"
#include "core/transcript.h"

namespace openseat {

// A choice that passed the referee and now awaits the table's judgment.
struct PendingChoice {
  ChoiceId id;
  Choice choice;
  std::string agent;  // kind of the agent that chose, or Choice::by
  Instant since;
};

// The table's side of a seat.
class SeatHost {
 public:
  virtual ~SeatHost() = default;
  // Whether a choice can reach the game now. If not, Seat::Choose fails with kClosed and leaves no trace.
  virtual bool IsHere() const { return true; }
  // How long the agent is left alone before it is asked, or asked again (decision.attempt > 1). An interactive agent is
  // asked at once.
  virtual Duration PauseBefore(const Seat&, const Decision&) { return Duration(0); }
  // Whether the host has the rules, and journals what it accepts: then the seat does not check data, and records only
  // choices that are refused.
  virtual bool IsJudge() const { return false; }
  // The answer to a choice that only asks (ActionSpec::any_time); nullopt for any other. Such a choice belongs to no
  // decision, waits for no verdict, and leaves no event.
  virtual std::optional<Verdict> Answer(const Seat&, const Choice&) { return std::nullopt; }
  // REQUIRED of the host: call Seat::Settle with this id, now or later.
  virtual void OnChoice(Seat& seat, const PendingChoice& choice) = 0;
  // The pending decision is over. Not called for kReplaced and kWithdrawn, which the host caused itself, unless the
  // last of its actions was removed.
  virtual void OnDecisionEnded(Seat& seat, DecisionId decision, DecisionEnd end) = 0;
  // The agent's choice did not pass the referee.
  virtual void OnRefused(Seat& seat, const Choice& choice, const Error& error) = 0;
  // A choice's data could not be checked against its action's schema, which needs too much work; the choice follows
  // unchecked.
  virtual void OnTooCostly(Seat&, const Choice&, const Error&) {}
  // What Seat::payer returns.
  virtual std::shared_ptr<Payer> GetPayer() const { return nullptr; }
  // For whom the record of refused choices counts (Payer::AddRecorded); as long as it owes for what was recorded
  // before, they are recorded in brief. Null: for nobody, or the transcript has limits of its own.
  virtual std::shared_ptr<Payer> PayerOfRefusals() const { return nullptr; }
  // What Seat::Playout returns.
  virtual std::unique_ptr<GameState> Playout(const Seat&, Rng&) const { return nullptr; }
};

struct SeatRules {
  int max_attempts = 3;          // how often the game may refuse within one decision before it is given up; 0: no limit
  int max_invalid_attempts = 5;  // additional mistakes of the agent's own that are allowed (no such action, bad data)
  WaitingLimits held{};          // of context held back while a verdict is due; fixed by the first rules
  std::shared_ptr<Payer> payer{};  // for whose address that counts; null: for none. Fixed likewise
};

// What a new agent at the seat should know before anything else.
struct Briefing {
  std::string game;  // its display name
  std::string text;  // the rules and the seat's part in them, Markdown; may be empty
};

class Seat {
 public:
  Seat(SeatIndex index, std::string name, SeatHost& host, Scheduler& scheduler, Transcript& transcript,
       SeatRules rules);
  ~Seat();
  Seat(const Seat&) = delete;
  Seat& operator=(const Seat&) = delete;

  // --- The table's side ---

  void AddAction(ActionPtr action);  // replaces one of the same name
  bool RemoveAction(std::string_view name);
  void ClearActions();
  // Asks. Replaces a pending decision. While a choice awaits its verdict, the new decision waits for it, and replaces
  // then. Ids increase; if decision.id is set, the id is that or a greater one. REQUIRES decision.actions not to be
  // empty.
  DecisionId Ask(Decision decision);
  // The pending decision has these actions, and shows this, from now on. REQUIRES a pending decision, and that it keeps
  // an action.
  void SetOptions(ActionSet actions, std::shared_ptr<const Sight> sight);
  // Ends the pending (or waiting) decision, if there is one.
  void Withdraw();
  // REQUIRES that the choice awaits its verdict (awaiting()).
  void Settle(ChoiceId choice, Verdict verdict);
  // The agent may choose without being asked, if it wants to. Does nothing while a decision is pending or a verdict
  // due.
  void Invite();
  // False if a verdict is due and too much is already held back for it (held()): the agent does not learn of this.
  bool Tell(Context context);
  // The table is over: ends what is pending and tells the agent.
  void End();
  // The former agent is dismissed and destroyed; the new one is told of a pending decision. To change the agent of a
  // hosted match, call Match::HandOver, which journals it.
  // `so_far`: what happened before it came, which it is told first; may be empty.
  void SetAgent(std::unique_ptr<Agent> agent, std::string so_far = {});
  // The table is closed for good.
  void Dismiss();
  void SetRules(SeatRules rules) { rules_ = std::move(rules); }
  // The table's record goes on: later decisions and choices have higher numbers than these. Before the first of them.
  void NumberAfter(DecisionId decision, ChoiceId choice) {
    last_decision_ = decision;
    last_choice_ = choice;
  }
  // Before an agent is seated; agents read it in OnSeated or later.
  void SetBriefing(Briefing briefing) { briefing_ = std::move(briefing); }

  // --- The agent's side ---

  using Told = std::function<void(const Verdict&)>;
  // Errors, none of which changes anything at the table: kClosed (reachable()), kBusy (a choice awaits its verdict),
  // kNotYourTurn (that decision is not pending) and, if the host is not the judge, kNoSuchAction and kIncorrectData
  // (with what the schema expects). Everything else is in the verdict: it goes to the agent (OnVerdict), and to `told`,
  // which is called before anyone else learns of it, whichever agent has the seat by then. That may be within this
  // call; `told` is never called if the table is destroyed first.
  Result<ChoiceId> Choose(Choice choice, Told told = {});
  // The agent cannot answer this decision: it ends as kGaveUp. `details` are for the host (failure()), in addition to
  // the reason. kNotYourTurn if the decision is not pending.
  Result<void> GiveUp(DecisionId decision, const std::string& reason, json::Object details = {});
  // A state of the game to play ahead from, as the table stands now. It contains nothing that this seat does not know:
  // what the seat does not see is drawn from `rng` (GameState::Sample). Null if the rules run elsewhere, the game
  // has not begun, or it gives no sample now. For search: several samples, played on, show what may be true.
  std::unique_ptr<GameState> Playout(Rng& rng) const { return host_.Playout(*this, rng); }
  // Whose budget pays for the table; null if nobody's does.
  std::shared_ptr<Payer> payer() const { return host_.GetPayer(); }
  // Its address ("" for null): work for the agent on other threads waits its turn among that address's
  // (Scheduler::OffloadFor). Ask when the work begins.
  std::string payer_address() const { return AddressOf(payer().get()); }
  // Adds what a model was asked and answered to the transcript: a kModel event. `step` is without "seat".
  void RecordModel(json::Object step);
  // Adds the result of a webhook to the transcript: a kWebhook event. `delivery` is without "seat".
  void RecordWebhook(json::Object delivery);

  // --- Anyone ---

  SeatIndex index() const { return index_; }
  const std::string& name() const { return name_; }
  const Briefing& briefing() const { return briefing_; }
  const TableId& table() const { return transcript_.table(); }
  // {"reason", …} of the last decision that was given up; empty if there was none. What the agent told the host about
  // it or, if its choices were refused too often, {"code": "refused", "refused_by": "game" or "referee", "data" or
  // "raw"}.
  const json::Object& failure() const { return failure_; }
  const ActionSet& actions() const { return actions_; }
  const Decision* decision() const { return decision_.get(); }
  const PendingChoice* awaiting() const { return awaiting_.get(); }
  // What may be chosen now: the pending decision's actions that still exist, else all.
  const ActionSet& choosable() const { return decision_ ? decision_->actions : actions_; }
  // What the pending decision came with, and was removed since: kept until it ends.
  const ActionSet& removed() const { return removed_; }
  const WaitingCount& held() const { return held_.count(); }
  // Whether a choice can reach the game now.
  bool reachable() const { return host_.IsHere(); }
  Agent* agent() const { return agent_.get(); }
  // Increases whenever another agent takes the seat.
  std::uint64_t sitting() const { return sitting_; }
  Scheduler& scheduler() { return scheduler_; }

 private:
  // If the schema needs too much work, the choice becomes an unchecked one, and `too_costly` says so.
  Result<void> Check(Choice& choice, std::optional<Error>& too_costly) const;
  void Open(Decision decision);  // makes it the pending one and asks
  void AskAgent();               // posts OnDecision, after the host's pause
  void TellDecision();
  bool IsLastAttempt() const;
  void EndDecision(DecisionEnd end, bool tell_host);
  void EndNext(DecisionEnd end, bool tell_host);
  void EndIfEmptied();
  void RecordEnd(DecisionId id, DecisionEnd end);
  void ActionsChanged();
  void Refused(const Choice& choice, const Error& error);
  void RecordRefusal(const Choice& choice, const Error& error, std::string_view agent);
  std::string WhoChose(const Choice& choice) const;
  // The effect of a refusal: how the pending decision ends, or whether its agent is asked again.
  std::optional<DecisionEnd> AfterRefusal(const Choice& choice, const Verdict& verdict, bool& ask_again);
  void DeliverHeld();
  // Runs it later, unless the agent was changed meanwhile. Small callables allocate no memory.
  template <typename F>
  void ToAgent(F task);

  struct Awaiting : PendingChoice {
    Told told;  // of its verdict
  };

  const SeatIndex index_;
  const std::string name_;
  SeatHost& host_;
  Scheduler& scheduler_;
  Transcript& transcript_;
  SeatRules rules_;
  Briefing briefing_;

  ActionSet actions_;
  // Null most of the time, at most seats.
  std::unique_ptr<Decision> decision_;  // pending
  std::unique_ptr<Decision> next_;      // arrived while a verdict was due
  std::unique_ptr<Awaiting> awaiting_;
  ActionSet removed_;           // actions that the pending decision came with, and no longer has
  bool turned_away_ = false;    // the agent tried to choose meanwhile, or was to be asked
  WaitingQueue<Context> held_;  // arrived while a verdict was due
  bool actions_changed_posted_ = false;
  json::Object failure_;
  int refusals_ = 0;  // of the pending decision, by the game
  int invalid_ = 0;   // likewise, for mistakes of the agent's own
  int recorded_ = 0;  // refusals in the transcript since the decision was asked, or since a choice was accepted
  std::size_t refused_bytes_ = 0;  // of all refusals in the transcript, if the table has the rules
  DecisionId last_decision_;
  ChoiceId last_choice_;
  ScopedTimer deadline_;
  ScopedTimer pause_;  // before the agent is asked
  bool late_ = false;  // the pending decision's time is up, but a choice is in progress
  std::unique_ptr<Agent> agent_;
  std::uint64_t sitting_ = 0;
  // Replaced with each agent and destroyed with the seat, so that tasks for a former agent do nothing.
  std::shared_ptr<bool> agent_alive_;
};

}  // namespace openseat

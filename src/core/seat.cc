#include "core/seat.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "base/json.h"
#include "base/text.h"
#include "base/work_note.h"
#include "core/action_data.h"
#include "core/seat_events.h"

namespace openseat {
namespace {

// How many refusals of one decision are recorded.
constexpr int kMaxRefusals = 100;
// For all decisions of a seat whose table has the rules: a player may be refused any number of times, and the server
// reads every refusal after a restart.
constexpr std::size_t kMaxRefusedBytes = 1u << 20;

// Whether the agent itself made a mistake, independent of the game's rules for the position.
bool IsOwnMistake(ErrorCode code) {
  return code == ErrorCode::kNoSuchAction || code == ErrorCode::kIncorrectData;
}

// For a decision that is given up because this choice was one refusal too many. `by`: "game" or "referee".
json::Object FailureOf(const Choice& choice, const std::string& reason, std::string_view by) {
  json::Object failure{{"reason", reason}, {"code", "refused"}, {"refused_by", by}};
  if (choice.raw) {
    failure["raw"] = *choice.raw;
  } else {
    failure["data"] = choice.data;
  }
  return failure;
}

}  // namespace

Seat::Seat(SeatIndex index, std::string name, SeatHost& host, Scheduler& scheduler, Transcript& transcript,
           SeatRules rules)
    : index_(index),
      name_(std::move(name)),
      host_(host),
      scheduler_(scheduler),
      transcript_(transcript),
      rules_(std::move(rules)),
      held_(rules_.held, rules_.payer) {}

Seat::~Seat() {
  if (agent_alive_) *agent_alive_ = false;
}

template <typename F>
void Seat::ToAgent(F task) {
  if (!agent_ || !agent_->listens()) return;
  scheduler_.Post([this, alive = agent_alive_, task = std::move(task)]() mutable {
    if (!*alive) return;
    WorkNote::Set(table().str());
    task();
  });
}

void Seat::SetAgent(std::unique_ptr<Agent> agent, std::string so_far) {
  if (agent_alive_) *agent_alive_ = false;
  Dismiss();
  agent_ = std::move(agent);
  ++sitting_;
  actions_changed_posted_ = false;
  if (!agent_) return;
  agent_alive_ = std::make_shared<bool>(true);
  std::string payload = "{\"seat\":" + std::to_string(index_) + ",\"kind\":";
  json::WriteString(agent_->kind(), payload);
  payload += '}';
  transcript_.Add(EventKind::kAgent, std::move(payload));
  ToAgent([this] { agent_->OnSeated(*this); });
  if (!so_far.empty()) {
    ToAgent([this, context = Context{.message = std::move(so_far)}] { agent_->OnContext(context); });
  }
  if (decision_ && !awaiting_) AskAgent();
}

void Seat::Dismiss() {
  if (agent_) agent_->OnDismissed();
}

void Seat::AddAction(ActionPtr action) {
  // An action that was removed while its decision was open, and is added again, may be chosen again.
  if (decision_ && (decision_->actions.Find(action->name) || removed_.Find(action->name))) {
    decision_->actions.Put(action);
  }
  if (next_ && next_->actions.Find(action->name)) next_->actions.Put(action);
  actions_.Put(std::move(action));
  ActionsChanged();
}

bool Seat::RemoveAction(std::string_view name) {
  if (!actions_.Remove(name)) return false;
  if (next_) {
    next_->actions.Remove(name);
    if (next_->actions.empty()) EndNext(DecisionEnd::kWithdrawn, true);
  }
  if (ActionPtr action = decision_ ? decision_->actions.Find(name) : nullptr) {
    decision_->actions.Remove(name);
    removed_.Put(std::move(action));
    EndIfEmptied();
  }
  ActionsChanged();
  return true;
}

void Seat::ClearActions() {
  if (actions_.empty()) return;
  actions_.Clear();
  if (next_) EndNext(DecisionEnd::kWithdrawn, true);
  if (decision_) {
    for (const ActionPtr& action : decision_->actions.all()) removed_.Put(action);
    decision_->actions.Clear();
    EndIfEmptied();
  }
  ActionsChanged();
}

// While a choice of the decision is in progress, its verdict decides: most games unregister an action before they
// report success.
void Seat::EndIfEmptied() {
  if (!decision_->actions.empty()) return;
  if (awaiting_ && awaiting_->choice.decision == decision_->id) return;
  EndDecision(DecisionEnd::kWithdrawn, true);
}

void Seat::ActionsChanged() {
  if (actions_changed_posted_ || !agent_) return;
  actions_changed_posted_ = true;
  ToAgent([this] {
    actions_changed_posted_ = false;
    agent_->OnActionsChanged();
  });
}

DecisionId Seat::Ask(Decision decision) {
  OPENSEAT_CHECK(!decision.actions.empty(), "a decision has at least one action");
  last_decision_ = std::max(last_decision_.Next(), decision.id);
  const DecisionId id = last_decision_;
  decision.id = id;
  decision.attempt = 1;
  decision.refusal.clear();
  if (awaiting_ || next_) {
    if (next_) EndNext(DecisionEnd::kReplaced, false);
    next_ = std::make_unique<Decision>(std::move(decision));
  } else {
    if (decision_) EndDecision(DecisionEnd::kReplaced, false);
    Open(std::move(decision));
  }
  return id;
}

void Seat::Open(Decision decision) {
  decision_ = std::make_unique<Decision>(std::move(decision));
  decision_->asked = scheduler_.clock().Now();
  refusals_ = 0;
  invalid_ = 0;
  recorded_ = 0;
  late_ = false;
  if (decision_->time_limit) {
    deadline_.Set(scheduler_, *decision_->time_limit, [this] {
      if (!decision_) return;
      // A choice made in time counts, however long the table takes to judge it; there is no other try.
      if (awaiting_ && awaiting_->choice.decision == decision_->id) {
        late_ = true;
      } else {
        EndDecision(DecisionEnd::kTimedOut, true);
      }
    });
  }
  AskAgent();
}

void Seat::SetOptions(ActionSet actions, std::shared_ptr<const Sight> sight) {
  OPENSEAT_CHECK(decision_ && !actions.empty(), "a decision has at least one action");
  decision_->actions = std::move(actions);
  decision_->sight = std::move(sight);
  removed_.Clear();
}

bool Seat::IsLastAttempt() const {
  return (rules_.max_attempts > 0 && refusals_ + 1 >= rules_.max_attempts) ||
         invalid_ + 1 >= rules_.max_invalid_attempts;
}

void Seat::AskAgent() {
  if (recorded_ <= kMaxRefusals) transcript_.Add(EventKind::kDecision, DecisionPayload(index_, *decision_));
  decision_->last = IsLastAttempt();
  pause_.Cancel();
  if (!agent_ || agent_->interactive()) return TellDecision();
  const Duration pause = host_.PauseBefore(*this, *decision_);
  if (pause <= Duration(0)) return TellDecision();
  pause_.Set(scheduler_, pause, [this] { TellDecision(); });
}

void Seat::TellDecision() {
  ToAgent([this, id = decision_->id, attempt = decision_->attempt] {
    // It may have been answered, ended or asked again since.
    if (!decision_ || decision_->id != id || decision_->attempt != attempt) return;
    if (awaiting_) {
      turned_away_ = true;
    } else {
      agent_->OnDecision(*decision_);
    }
  });
}

void Seat::Invite() {
  if (decision_ || awaiting_ || actions_.empty()) return;
  ToAgent([this] {
    if (!decision_ && !awaiting_) agent_->OnInvited();
  });
}

void Seat::EndDecision(DecisionEnd end, bool tell_host) {
  deadline_.Cancel();
  pause_.Cancel();
  const DecisionId id = decision_->id;
  decision_.reset();
  removed_.Clear();
  RecordEnd(id, end);
  ToAgent([this, id, end] { agent_->OnDecisionEnded(id, end); });
  if (tell_host) host_.OnDecisionEnded(*this, id, end);
}

void Seat::EndNext(DecisionEnd end, bool tell_host) {
  const DecisionId id = next_->id;
  next_.reset();
  RecordEnd(id, end);
  if (tell_host) host_.OnDecisionEnded(*this, id, end);
}

void Seat::RecordEnd(DecisionId id, DecisionEnd end) {
  if (end == DecisionEnd::kSettled) return;  // the verdict, or the accepted choice, records this
  std::string payload =
      "{\"seat\":" + std::to_string(index_) + ",\"decision\":" + std::to_string(id.value()) + ",\"end\":\"";
  payload += DecisionEndName(end);
  payload += "\"}";
  transcript_.Add(EventKind::kDecisionEnd, std::move(payload));
}

void Seat::Withdraw() {
  if (next_) EndNext(DecisionEnd::kWithdrawn, false);
  if (decision_) EndDecision(DecisionEnd::kWithdrawn, false);
}

Result<void> Seat::Check(Choice& choice, std::optional<Error>& too_costly) const {
  if (awaiting_) {
    return Fail(ErrorCode::kBusy,
                "the action " + Quote(awaiting_->choice.action) + " still awaits its result; wait for it");
  }
  if (choice.decision && (!decision_ || decision_->id != *choice.decision)) {
    return Fail(ErrorCode::kNotYourTurn, "that decision is over");
  }
  if (decision_ && !choice.beside) choice.decision = decision_->id;
  if (host_.IsJudge()) {
    schema::Budget budget;
    if (choice.data.is_null()) {
      if (const ActionPtr action = choosable().Find(choice.action)) FillInData(*action, choice.data, budget);
    }
    return {};
  }
  if (choice.unchecked) return {};
  const ActionSet& choosable = choice.beside ? actions_ : this->choosable();
  const ActionPtr action = choosable.Find(choice.action);
  if (!action) {
    if (choosable.empty()) {
      return Fail(ErrorCode::kNoSuchAction, "there is no action to choose now; got " + Quote(choice.action));
    }
    return Fail(ErrorCode::kNoSuchAction, "the action must be " + choosable.Names() + "; got " + Quote(choice.action));
  }
  schema::Budget budget;
  FillInData(*action, choice.data, budget);
  if (action->compiled() && !action->compiled()->IsValid(choice.data, budget)) {
    if (budget.exhausted()) {
      // A refusal would end the decision for something that is not the agent's fault: only the table judges.
      too_costly = budget.Exceeded("check the data of " + Quote(choice.action));
      choice.unchecked = true;
      return {};
    }
    const auto violations = action->compiled()->Validate(choice.data, budget);
    return Fail(ErrorCode::kIncorrectData,
                "the data of " + Quote(choice.action) + " is wrong: " + schema::Explain(violations),
                violations.empty() ? std::string() : violations.front().instance_path);
  }
  return {};
}

Result<ChoiceId> Seat::Choose(Choice choice, Told told) {
  if (const std::optional<Verdict> answer = host_.Answer(*this, choice)) {
    last_choice_ = last_choice_.Next();
    const ChoiceId id = last_choice_;
    if (choice.by.empty()) {
      ToAgent([this, choice = std::move(choice), answer = *answer] { agent_->OnVerdict(choice, answer); });
    }
    if (told) told(*answer);
    return id;
  }
  if (!host_.IsHere()) return Fail(ErrorCode::kClosed, "the game is not connected");
  std::optional<Error> too_costly;
  if (Result<void> checked = Check(choice, too_costly); !checked) {
    turned_away_ = turned_away_ || (awaiting_ && choice.by.empty());
    Refused(choice, checked.error());
    return Fail(std::move(checked).error());
  }
  if (too_costly) host_.OnTooCostly(*this, choice, *too_costly);
  last_choice_ = last_choice_.Next();
  const ChoiceId id = last_choice_;
  std::string agent = WhoChose(choice);
  awaiting_ = std::make_unique<Awaiting>(
      Awaiting{{id, std::move(choice), std::move(agent), scheduler_.clock().Monotonic()}, std::move(told)});
  turned_away_ = false;
  if (!host_.IsJudge()) transcript_.Add(EventKind::kChoice, ChoicePayload(index_, *awaiting_));
  host_.OnChoice(*this, *awaiting_);
  return id;
}

std::string Seat::WhoChose(const Choice& choice) const {
  return !choice.by.empty() ? choice.by : std::string(agent_ ? agent_->kind() : "none");
}

void Seat::RecordRefusal(const Choice& choice, const Error& error, std::string_view agent) {
  if (++recorded_ > kMaxRefusals || refused_bytes_ >= kMaxRefusedBytes) return;
  const std::shared_ptr<Payer> payer = host_.PayerOfRefusals();
  const Instant now = scheduler_.clock().Monotonic();
  const bool brief = refused_bytes_ >= kMaxRefusedBytes / 2 || (payer != nullptr && payer->OwesForRecords(now));
  std::string payload = RefusalPayload(index_, choice, error, agent, brief ? kBriefRefusalBytes : kMaxRefusalBytes);
  const std::size_t bytes = payload.size() + kEventOverhead;
  if (payer != nullptr) payer->AddRecorded(bytes, now);
  transcript_.Add(EventKind::kRefusal, std::move(payload));
  if (!host_.IsJudge()) return;
  refused_bytes_ += bytes;
  if (refused_bytes_ < kMaxRefusedBytes) return;
  transcript_.Add(EventKind::kNote,
                  R"({"text":"seat )" + std::to_string(index_) +
                      R"( has made so many invalid choices that further refusals are not recorded"})");
}

void Seat::Refused(const Choice& choice, const Error& error) {
  RecordRefusal(choice, error, WhoChose(choice));
  host_.OnRefused(*this, choice, error);
  if (!choice.by.empty()) return;  // the caller was told
  if (!IsOwnMistake(error.code) || !decision_ || choice.decision != decision_->id || !agent_ || agent_->interactive()) {
    return;
  }
  if (++invalid_ >= rules_.max_invalid_attempts) {
    failure_ = FailureOf(choice, error.message, "referee");
    EndDecision(DecisionEnd::kGaveUp, true);
    return;
  }
  ++decision_->attempt;
  decision_->refusal = error.message;
  AskAgent();
}

Result<void> Seat::GiveUp(DecisionId decision, const std::string& reason, json::Object details) {
  if (!decision_ || decision_->id != decision || awaiting_) {
    return Fail(ErrorCode::kNotYourTurn, "that decision is not open");
  }
  std::string payload = "{\"text\":";
  json::WriteString("the agent gave up: " + reason, payload);
  payload += '}';
  transcript_.Add(EventKind::kNote, std::move(payload));
  failure_ = std::move(details);
  failure_["reason"] = reason;
  EndDecision(DecisionEnd::kGaveUp, true);
  return {};
}

void Seat::RecordModel(json::Object step) {
  step["seat"] = index_;
  transcript_.Add(EventKind::kModel, json::Write(step));
}

void Seat::RecordWebhook(json::Object delivery) {
  delivery["seat"] = index_;
  transcript_.Add(EventKind::kWebhook, json::Write(delivery));
}

void Seat::Settle(ChoiceId id, Verdict verdict) {
  OPENSEAT_CHECK(awaiting_ && awaiting_->id == id, "only the choice that awaits its verdict can be settled");
  const std::unique_ptr<Awaiting> settled = std::move(awaiting_);
  Choice& choice = settled->choice;
  const Told& told = settled->told;
  if (verdict.accepted()) recorded_ = 0;
  if (!host_.IsJudge()) {
    transcript_.Add(EventKind::kVerdict, VerdictPayload(index_, id, verdict));
  } else if (verdict.kind == Verdict::Kind::kRefused) {
    RecordRefusal(choice, verdict.error(), settled->agent);
  }

  // A choice that did not answer the decision may have kept the agent from answering it.
  bool ask_again = turned_away_ && decision_ && choice.decision != decision_->id;
  std::optional<DecisionEnd> end;
  if (decision_ && choice.decision == decision_->id) {
    switch (verdict.kind) {
      case Verdict::Kind::kAccepted:
        end = DecisionEnd::kSettled;
        break;
      case Verdict::Kind::kTimedOut:
        end = DecisionEnd::kTimedOut;
        break;
      case Verdict::Kind::kLost:
        end = DecisionEnd::kLost;
        break;
      case Verdict::Kind::kRefused:
        end = AfterRefusal(choice, verdict, ask_again);
        break;
    }
  }
  if (agent_ && agent_->listens()) {
    // A pointer, since the two would be moved from hand to hand on their way.
    auto both = std::make_unique<std::pair<Choice, Verdict>>(std::move(choice), told ? verdict : std::move(verdict));
    ToAgent([this, both = std::move(both)] { agent_->OnVerdict(both->first, both->second); });
  }
  if (end) EndDecision(*end, true);
  DeliverHeld();
  if (next_ && !awaiting_) {
    Decision next = std::move(*next_);
    next_.reset();
    if (decision_) EndDecision(DecisionEnd::kReplaced, false);
    Open(std::move(next));
  } else if (ask_again && decision_) {
    AskAgent();
  }
  // NOLINTNEXTLINE(bugprone-use-after-move): moved only where nobody is told
  if (told) told(verdict);
}

std::optional<DecisionEnd> Seat::AfterRefusal(const Choice& choice, const Verdict& verdict, bool& ask_again) {
  if (decision_->actions.empty()) return DecisionEnd::kWithdrawn;
  if (late_) return DecisionEnd::kTimedOut;
  const bool interactive = agent_ && agent_->interactive();
  const bool own_mistake = host_.IsJudge() && IsOwnMistake(verdict.code);
  if (host_.IsJudge() && (!choice.by.empty() || interactive)) {
    // The player was told, and may try again; only an agent that was turned away meanwhile has to be asked.
    ask_again = turned_away_ && !interactive;
    return std::nullopt;
  }
  int& refused = own_mistake ? invalid_ : refusals_;
  const int most = own_mistake ? rules_.max_invalid_attempts : rules_.max_attempts;
  if (++refused >= most && most > 0 && !interactive) {
    failure_ = FailureOf(choice, verdict.message, own_mistake ? "referee" : "game");
    return DecisionEnd::kGaveUp;
  }
  ++decision_->attempt;
  decision_->refusal = verdict.message;
  ask_again = true;
  return std::nullopt;
}

bool Seat::Tell(Context context) {
  if (awaiting_) {
    const std::size_t bytes = context.message.size();
    return held_.Push(std::move(context), bytes);
  }
  ToAgent([this, context = std::move(context)] { agent_->OnContext(context); });
  return true;
}

void Seat::End() {
  Withdraw();
  DeliverHeld();
  ToAgent([this] { agent_->OnEnd(); });
}

void Seat::DeliverHeld() {
  while (!held_.empty()) {
    ToAgent([this, context = held_.Pop()] { agent_->OnContext(context); });
  }
}

}  // namespace openseat

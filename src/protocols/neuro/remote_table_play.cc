// How a remote table's game is played: forces, choices and their results.
#include <algorithm>
#include <bit>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <utility>

#include "base/text.h"
#include "protocols/neuro/codec.h"
#include "protocols/neuro/remote_table.h"

namespace openseat::neuro {
namespace {

constexpr std::size_t kRememberedTimeouts = 64;
constexpr std::size_t kNamesInASentence = 8;
constexpr std::size_t kSmallForces = 16u << 10;  // bytes of forces that a table has without counting them
constexpr std::string_view kByHand = "console";  // who chooses what is wrong on purpose, and knows it

// Pauses before a force is asked again. The game refused:
constexpr int kRetriesAtOnce = 5;
constexpr Duration kRetryPause = std::chrono::milliseconds(100);
constexpr Duration kMostRetryPause = std::chrono::seconds(5);
constexpr int kMostDoublings = 10;
constexpr Duration kMostAgentRest = std::chrono::minutes(5);  // the agent could not answer

// Null that the referee accepted is what the schema wants; elsewhere it means that there is no data.
bool IsNullMeant(const Seat& seat, const Choice& choice) {
  if (choice.unchecked) return false;
  const ActionPtr action = seat.actions().Find(choice.action);
  return action && action->schema.has_value();
}

// About how much it takes in memory: what it says twice, since the seat has that, too.
std::size_t MemoryOf(const ForceMessage& force) {
  std::size_t bytes = 2 * (force.query.size() + (force.state ? force.state->size() : 0));
  for (const std::string& name : force.action_names) bytes += sizeof(std::string) + name.size();
  return bytes;
}

// Whether the game should refuse this choice, by what it registered.
bool IsWrong(const Seat& seat, const Choice& choice) {
  const ActionPtr action = seat.actions().Find(choice.action);
  if (!action) return true;
  if (!action->compiled()) return false;
  const Result<json::Value> data =
      choice.raw ? json::Parse(*choice.raw, json::kInnerLimits) : Result<json::Value>(choice.data);
  if (!data) return true;
  schema::Budget budget;
  return !action->compiled()->IsValid(*data, budget) && !budget.exhausted();
}

}  // namespace

void RemoteTable::Handle(ForceMessage&& force) {
  if (force.action_names.empty()) {
    Report(Diagnostic::kForceEmpty, "actions/force names no action, so there is nothing to choose from");
    return;
  }
  NoteEarlierForce();
  Open(std::move(force));
}

// Whether this force comes too early. A game that has just been sent an action that it did not ask for may not have
// seen it yet: then it did nothing wrong. It may even take that action for the answer, and go on.
void RemoteTable::NoteEarlierForce() {
  const PendingChoice* pending = seat_.awaiting();
  const bool answers = pending != nullptr && pending->choice.decision;
  if (!answers && seat_.decision() == nullptr) {
    if (pending == nullptr) return;
    crossed_ = scheduler_.clock().Monotonic() - pending->since <= options().late_result;
    if (crossed_) return;
  } else if (std::exchange(crossed_, false)) {
    return;
  }
  if (pending != nullptr && (answers || seat_.decision() == nullptr)) {
    Report(Diagnostic::kForceWhilePending,
           "actions/force came before the result of the action in progress; it waits for that result");
  } else {
    Report(Diagnostic::kForceMultiple, "actions/force came while another force was open; the new one replaces it");
  }
}

void RemoteTable::Open(ForceMessage&& force) {
  Decision decision;
  decision.query = force.query;
  if (force.state) decision.sight = std::make_shared<Sight>(*force.state);
  decision.ephemeral = force.ephemeral_context;
  decision.priority = force.priority;
  decision.time_limit = options().force_limit;
  std::string unknown;
  std::size_t unknown_names = 0;
  const std::size_t looked = Looked(force.action_names.size(), "actions/force");
  for (std::size_t i = 0; i < looked; ++i) {
    const std::string& name = force.action_names[i];
    if (ActionPtr action = seat_.actions().Find(name)) {
      decision.actions.Put(std::move(action));
    } else if (++unknown_names <= kNamesInASentence) {
      unknown += (unknown.empty() ? "" : ", ") + NameInShort(name);
    }
  }
  if (unknown_names > kNamesInASentence)
    unknown += " and " + std::to_string(unknown_names - kNamesInASentence) + " more";
  if (decision.actions.empty()) {
    if (std::exchange(crossed_, false)) return;  // the game has done what it wanted to ask for
    Report(Diagnostic::kForceAllInvalid, "actions/force names only actions that are not registered: " + unknown);
    return;
  }
  if (!unknown.empty() && !crossed_) {
    Report(Diagnostic::kForceSomeInvalid, "actions/force names actions that are not registered: " + unknown);
  }
  force.action_names.resize(looked);
  if (const std::optional<Refusal> refused = HoldForces(&force)) {
    return Report(Diagnostic::kLimit, "the force was left out: " + refused->Text());
  }
  lost_force_.reset();
  repeat_timer_.Cancel();
  given_up_.reset();
  if (metrics_ != nullptr) metrics_->forces.Add();
  open_force_ = std::move(force);
  open_decision_ = seat_.Ask(std::move(decision));
  ReleaseRemoved();
}

std::optional<Refusal> RemoteTable::HoldForces(const ForceMessage* next) {
  if (payer_ == nullptr) return std::nullopt;
  std::size_t bytes = 0;
  if (next != nullptr) {
    bytes = MemoryOf(*next);
    // The seat has the former one until the verdict.
    if (open_force_ && seat_.awaiting() != nullptr) bytes += MemoryOf(*open_force_);
  } else {
    for (const std::optional<ForceMessage>* const kept : {&open_force_, &lost_force_, &given_up_}) {
      if (*kept) bytes += MemoryOf(**kept);
    }
  }
  if (bytes <= kSmallForces) bytes = 0;
  if (bytes == force_memory_.amount()) return std::nullopt;
  return payer_->Adjust(force_memory_, Holding::kTableBytes, bytes);
}

void RemoteTable::RepeatLostForce() {
  if (!lost_force_ || seat_.decision() != nullptr || sent_) return;
  ForceMessage force = *std::exchange(lost_force_, std::nullopt);
  if (!IsPossible(force)) return;
  Report(Diagnostic::kForceNotRepeated,
         "the force that was open when the connection ended was asked again by the server");
  Open(std::move(force));
  crossed_ = true;  // its answer may have reached the game, which goes on then
}

void RemoteTable::Handle(ResultMessage&& result) {
  const std::optional<std::uint64_t> number = ChoiceOf(result.id);
  if (!number) {
    Report(Diagnostic::kResultUnexpected,
           "action/result for the id " + NameInShort(result.id) + ", which no action had");
    return;
  }
  if (*number == 0) return;
  if (!sent_ || sent_->value() != *number) {
    if (std::ranges::find(timed_out_, *number) != timed_out_.end()) {
      Report(Diagnostic::kResultAfterTimeout,
             "the result of " + NameInShort(result.id) + " came after its time-out and was discarded");
    } else {
      Report(Diagnostic::kResultDuplicate, "the action " + NameInShort(result.id) + " had its result already");
    }
    return;
  }
  const Duration took = scheduler_.clock().Monotonic() - seat_.awaiting()->since;
  NoteLatency(took);
  const bool in_force = seat_.awaiting()->choice.decision.has_value();
  if (took > options().late_result) {
    Report(Diagnostic::kResultLate,
           "the result of " + NameInShort(seat_.awaiting()->choice.action) + " took more than " +
               std::to_string(std::chrono::duration_cast<std::chrono::milliseconds>(options().late_result).count()) +
               " ms");
  }
  if (!result.success && result.message.empty()) {
    Report(Diagnostic::kResultNoMessage, "a failed result says nothing about why");
  }
  const bool wrong = result.success && sent_wrong_;
  if (wrong) ReportWrongAccepted(seat_.awaiting()->choice);
  // A game that does not look takes it for the answer, and goes on.
  if (wrong) crossed_ = true;
  const bool accepted = result.success && !wrong;
  if (accepted) NoteProgress(seat_.awaiting()->choice.action);
  if (character_ && accepted) character_->OnAccepted();
  refused_ = !result.success;
  Settle({accepted ? Verdict::Kind::kAccepted : Verdict::Kind::kRefused,
          wrong ? "it was wrong, although the game accepted it" : std::move(result.message), nullptr});
  refused_ = false;
  if (in_force && !accepted) NoteRetry();
}

void RemoteTable::ReportWrongAccepted(const Choice& choice) {
  const std::string name = NameInShort(choice.action);
  // It may have unregistered the action before the result.
  if (WasRegistered(choice.action)) {
    Report(Diagnostic::kResultAcceptedWrong, "the game accepted data for " + name + " that its schema refuses");
  } else {
    Report(Diagnostic::kResultUnknownAction, "the game accepted the action " + name + ", which it did not register");
  }
}

std::optional<std::uint64_t> RemoteTable::ChoiceOf(std::string_view id) const {
  if (options().relayed) {
    const auto found = std::ranges::find(relayed_, id, &std::pair<std::string, std::uint64_t>::first);
    return found == relayed_.end() ? std::nullopt : std::optional(found->second);
  }
  if (!id.starts_with(id_prefix_)) return std::nullopt;
  std::uint64_t number = 0;
  const char* const end = id.data() + id.size();
  const char* const rest = std::from_chars(id.data() + id_prefix_.size(), end, number).ptr;
  const bool whole = rest == end || *rest == kIdTail;
  if (!whole || (sent_ && sent_->value() == number && id != action_id_)) return std::nullopt;
  return number;
}

void RemoteTable::Settle(Verdict&& verdict) {
  if (metrics_ != nullptr) metrics_->results[static_cast<std::size_t>(verdict.kind)]->Add();
  seat_.Settle(*std::exchange(sent_, std::nullopt), std::move(verdict));
  sent_wrong_ = false;
}

// The first few retries come at once, as the document says; then ever more slowly.
Duration RemoteTable::PauseBefore(const Seat&, const Decision& decision) {
  if (options().relayed) return Duration(0);
  Duration pause = character_ ? character_->PauseBefore(SeatStage::ForceOf(decision)) : Duration(0);
  if (crossed_) pause += kCrossedPause;
  if (decision.attempt > kRetriesAtOnce + 1) {
    const int doubled = std::min(decision.attempt - kRetriesAtOnce - 2, kMostDoublings);
    pause += std::min(kRetryPause * (1 << doubled), kMostRetryPause);
  }
  return pause;
}

void RemoteTable::NoteRetry() {
  const Decision* decision = seat_.decision();
  if (decision == nullptr) return;
  if (metrics_ != nullptr) metrics_->retries.Add();
  const auto refusals = static_cast<unsigned>(decision->attempt - 1);
  // At 5, 10, 20, 40 …
  if (refusals % kRetriesAtOnce != 0 || !std::has_single_bit(refusals / kRetriesAtOnce)) return;
  Report(Diagnostic::kForceRefused, "the game has refused " + std::to_string(refusals) +
                                        " choices of one force; the last refusal said: " +
                                        (decision->refusal.empty() ? "nothing" : decision->refusal));
}

// Only shutdown/ready is proposed so far.
void RemoteTable::Handle(const ProposalMessage&) {
  AwaitNothing();
}
// Its issues are complete.
void RemoteTable::Handle(const UnknownMessage&) {}

void RemoteTable::OnChoice(Seat& seat, const PendingChoice& pending) {
  if (pending.choice.by == kRelayName) {
    sent_wrong_ = false;
    return Await(pending);
  }
  if (options().relayed) {
    scheduler_.Post([this, alive = std::weak_ptr<int>(alive_), id = pending.id] {
      if (alive.expired()) return;
      seat_.Settle(id, Verdict{Verdict::Kind::kLost, "the server that this relay leads to plays here", nullptr});
    });
    return;
  }
  std::optional<std::string> data;
  if (pending.choice.raw) {
    data = pending.choice.raw;
  } else if (!pending.choice.data.is_null() || IsNullMeant(seat, pending.choice)) {
    data = json::Write(pending.choice.data);
  }
  sent_wrong_ = pending.choice.unchecked && pending.choice.by != kByHand && IsWrong(seat, pending.choice);
  action_id_.assign(id_prefix_);
  json::WriteNumber(pending.id.value(), action_id_);
  ActionForm form = ActionForm::kUsual;
  if (options().manner.odd_forms) [[unlikely]] {
    form = character_->Disguise(action_id_, pending.choice.raw ? nullptr : pending.choice.data.if_object(), data);
  }
  if (metrics_ != nullptr) (pending.choice.decision ? metrics_->answers : metrics_->unforced).Add();
  out_.clear();
  EncodeAction(action_id_, pending.choice.action, data, out_, form);
  practice_.Sent(action_id_, pending.choice.action);
  Await(pending);
  Send(out_);
  if (options().speech_finished && options().manner.speech.most == Duration(0)) {
    out_.clear();
    EncodeSpeechFinished(true, std::nullopt, std::nullopt, out_);
    Send(out_);
  }
}

void RemoteTable::Await(const PendingChoice& pending) {
  sent_ = pending.id;
  const Instant due = pending.since + options().result_timeout;
  // Most results come long before they are due: the timer is left alone, and set again when it runs.
  if (!watched_ || due < *watched_) WatchResult(due);
}

void RemoteTable::WatchResult(Instant until) {
  watched_ = until;
  result_timer_.Set(scheduler_, until - scheduler_.clock().Monotonic(), [this] {
    watched_.reset();
    if (!sent_) return;
    const Instant due = seat_.awaiting()->since + options().result_timeout;
    if (due > scheduler_.clock().Monotonic()) return WatchResult(due);
    Report(Diagnostic::kResultTimeout,
           "no result came for " + NameInShort(seat_.awaiting()->choice.action) + " within " +
               std::to_string(std::chrono::duration_cast<std::chrono::seconds>(options().result_timeout).count()) +
               " s; it counts as failed");
    timed_out_.push_back(sent_->value());
    if (timed_out_.size() > kRememberedTimeouts) timed_out_.erase(timed_out_.begin());
    Settle({Verdict::Kind::kTimedOut, "the game did not answer in time", nullptr});
  });
}

void RemoteTable::OnDecisionEnded(Seat&, DecisionId decision, DecisionEnd end) {
  // A later force may be waiting for the verdict that ended this one.
  const bool is_open = decision == open_decision_;
  if (end == DecisionEnd::kWithdrawn) {
    // A game that unregisters before anything was chosen calls its force off.
    if (refused_) Report(Diagnostic::kForceEmptied, "all actions of the force were unregistered before one failed");
  } else if (end == DecisionEnd::kGaveUp) {
    if (metrics_ != nullptr) metrics_->given_up.Add();
    ReportGivenUp(is_open);
  } else if (end == DecisionEnd::kTimedOut && is_open &&
             (sent_wrong_ || options().manner.unforced.most > Duration(0))) {
    AskAgainLater(kMostRest);
  }
  if (end == DecisionEnd::kSettled) crossed_ = false;
  if (end != DecisionEnd::kLost && is_open) open_force_.reset();
  HoldForces();  // fewer are never refused
  ReleaseRemoved();
}

void RemoteTable::ReportGivenUp(bool may_return) {
  const auto text = [&](std::string_view name) {
    const json::Value* value = json::Find(seat_.failure(), name);
    return value != nullptr && value->is_string() ? std::string(json::View(value->get_string())) : std::string();
  };
  const std::string by = text("refused_by");
  const std::string reason = text("reason");
  if (by == "game") {
    std::string what = "the force was given up after " + std::to_string(options().force_attempts) + " failing results" +
                       (reason.empty() ? "" : "; the last one said: " + reason);
    // A character that acts unasked comes back to what is still offered.
    if (may_return && options().manner.unforced.most > Duration(0)) what += AskAgainLater(kMostRest);
    Report(Diagnostic::kForceGaveUp, std::move(what));
    return;
  }
  std::string what = by == "referee" ? "the force was given up after " + std::to_string(kInvalidAttempts) +
                                           " invalid choices of the agent; of the last one: " + reason
                                     : "the agent gave the force up" + (reason.empty() ? "" : ": " + reason);
  // It is not the game's fault, which still waits; but skipping it by hand is final.
  if (may_return && json::Find(seat_.failure(), "code") != nullptr) what += AskAgainLater(kMostAgentRest);
  Report(Diagnostic::kAgentGaveUp, std::move(what));
}

std::string RemoteTable::AskAgainLater(Duration most) {
  const Duration pause = RestAfterGivingUp(give_ups_++, most);
  given_up_ = open_force_;
  again_timer_.Set(scheduler_, pause, [this] { Return(); });
  return "; it is asked again in " + std::to_string(std::chrono::duration_cast<std::chrono::seconds>(pause).count()) +
         " s";
}

void RemoteTable::Return() {
  if (!given_up_ || !link_) return;
  if (sent_) return again_timer_.Set(scheduler_, kCrossedPause, [this] { Return(); });
  ForceMessage force = *std::exchange(given_up_, std::nullopt);
  if (seat_.decision() == nullptr && IsPossible(force)) Open(std::move(force));
}

// What was given up may have been done unasked.
void RemoteTable::NoteProgress(const std::string& action) {
  give_ups_ = 0;
  if (given_up_ && std::ranges::find(given_up_->action_names, action) != given_up_->action_names.end()) {
    given_up_.reset();
  }
}

bool RemoteTable::IsPossible(const ForceMessage& force) const {
  return std::ranges::any_of(force.action_names,
                             [&](const std::string& name) { return seat_.actions().Find(name) != nullptr; });
}

void RemoteTable::OnRefused(Seat&, const Choice&, const Error& error) {
  Report(Diagnostic::kAgentInvalid, error.message);
}

void RemoteTable::OnTooCostly(Seat&, const Choice&, const Error& error) {
  Report(Diagnostic::kSchemaCostly, error.message + "; it is sent unchecked");
}

}  // namespace openseat::neuro

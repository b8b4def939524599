#include "protocols/neuro/remote_table.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <limits>
#include <utility>

#include "base/log.h"
#include "base/secure_random.h"
#include "base/text.h"
#include "base/waiting.h"
#include "base/work_note.h"
#include "protocols/neuro/codec.h"

namespace openseat::neuro {
namespace {

constexpr int kInvalidAttempts = 5;
constexpr std::size_t kRememberedTimeouts = 64;
constexpr std::size_t kMaxDetail = 2000;  // bytes of a diagnostic, which may quote the game
constexpr std::size_t kNamesInASentence = 8;
constexpr std::size_t kNameInShort = 80;     // bytes of a stranger's text in a sentence
constexpr std::size_t kDecodedBytes = 1024;  // about how much a decoded message takes, in addition to its text

std::size_t MostOf(const Payer* payer, std::uint64_t PeerLimits::* limit) {
  const std::uint64_t most = (payer != nullptr ? payer->limits() : PeerLimits::Loopback()).*limit;
  return most == 0 ? std::numeric_limits<std::size_t>::max() : static_cast<std::size_t>(most);
}

std::string OpenedPayload(const std::string& game) {
  std::string out = "{\"kind\":\"remote\",\"protocol\":\"neuro\",\"game\":";
  json::WriteString(game, out);
  out += '}';
  return out;
}

std::string LinkPayload(std::string_view state, std::string_view peer, std::uint16_t code, std::string_view reason) {
  std::string out = "{\"state\":\"";
  out += state;
  out += "\",\"peer\":";
  json::WriteString(peer, out);
  if (code != 0) out += ",\"code\":" + std::to_string(code);
  if (!reason.empty()) {
    out += ",\"reason\":";
    json::WriteString(reason, out);
  }
  out += '}';
  return out;
}

// Null that the referee accepted is what the schema wants; elsewhere it means that there is no data.
bool IsNullMeant(const Seat& seat, const Choice& choice) {
  if (choice.unchecked) return false;
  const ActionPtr action = seat.choosable().Find(choice.action);
  return action && action->schema.has_value();
}

// What to report about how a connection ended.
std::optional<Issue> IssueOf(const net::Closing& closing) {
  if (closing.cause == net::Closing::Cause::kViolation) {
    const std::string closed = "; the connection was closed (" + std::to_string(closing.code) + ")";
    const bool too_big = closing.code == net::close_code::kTooBig;
    return Issue{too_big ? Diagnostic::kInvalidMessage : Diagnostic::kFrameViolation, "", closing.reason + closed};
  }
  if (closing.code != net::close_code::kAbnormal) return std::nullopt;
  return Issue{Diagnostic::kClosedAbnormally, "",
               closing.reason.empty() ? "the connection ended without a close frame" : closing.reason};
}

}  // namespace

RemoteTable::RemoteTable(TableId id, std::string game, const NeuroOptions& options, const RemoteAgents& agents,
                         Scheduler& scheduler, Journal& journal, std::shared_ptr<Payer> payer)
    : game_(std::move(game)),
      options_(options),
      scheduler_(scheduler),
      payer_(std::move(payer)),
      agents_(agents),
      max_actions_(MostOf(payer_.get(), &PeerLimits::max_actions)),
      max_action_bytes_(MostOf(payer_.get(), &PeerLimits::max_schema_bytes)),
      transcript_(journal, scheduler, std::move(id), payer_, options.linger),
      seat_(0, "player", *this, scheduler, transcript_,
            SeatRules{.max_attempts = options.force_attempts,
                      .max_invalid_attempts = kInvalidAttempts,
                      .held = WaitingLimits::Of(payer_.get())}),
      opened_(scheduler.clock().Now()),
      id_prefix_(SecureToken(4) + "-"),
      waiting_(WaitingLimits::Of(payer_.get())) {
  seat_.SetBriefing({game_, {}});  // the game itself says what there is to know
  transcript_.OnGap([this](const std::string& reason) { Report(Diagnostic::kRecordingGap, reason); });
  transcript_.Add(EventKind::kOpened, OpenedPayload(game_));
  log::Info("{}: table opened for \"{}\"", this->id().str(), game_);
  seat_.SetAgent(agents_.by_default(game_));
}

void RemoteTable::SeatAgent(SeatIndex seat, std::string, AgentSpec agent, Seated seated) {
  Result<std::unique_ptr<Agent>> made = agents_.make(agent);
  if (!made) return seated(Fail(std::move(made).error()));
  seat_.SetAgent(std::move(*made));
  seated(seat);
}

void RemoteTable::Resign(SeatIndex, std::string, Quitter quitter, Done done) {
  if (quitter.sitting && *quitter.sitting != seat_.sitting()) {
    return done(Fail(ErrorCode::kClosed, "another agent plays your seat now"));
  }
  seat_.SetAgent(agents_.by_default(game_));
  done({});
}

RemoteTable::~RemoteTable() {
  transcript_.Add(EventKind::kClosed, R"({"reason":"the game did not come back, or the server stopped"})");
  seat_.Dismiss();
  if (link_) link_->Close(net::close_code::kGoingAway, "the table was closed");
}

std::optional<std::uint64_t> RemoteTable::link_id() const {
  if (!link_) return std::nullopt;
  return link_->id();
}

void RemoteTable::Attach(std::unique_ptr<Link> link, Instant since) {
  if (link_) link_->Close(net::close_code::kPolicy, "another connection took this game's table");
  // Anything else from the former connection is ignored.
  waiting_.Clear();
  link_ = std::move(link);
  link_since_ = since;
  startups_ = 0;
  ++connections_;
  transcript_.Add(EventKind::kLink, LinkPayload("connected", link_->peer(), 0, {}));
}

void RemoteTable::Detach(std::uint64_t link, const net::Closing& closing) {
  if (!link_ || link_->id() != link) return;
  if (const std::optional<Issue> issue = IssueOf(closing)) Report(issue->diagnostic, issue->detail);
  if (closing.unfinished) Report(Diagnostic::kFrameUnfinished, "the connection ended in the middle of a message");
  transcript_.Add(EventKind::kLink, LinkPayload("disconnected", link_->peer(), closing.code, closing.reason));
  link_.reset();
  repeat_timer_.Cancel();
  // An open force may be asked again when the game is back.
  if (open_force_) lost_force_ = std::exchange(open_force_, std::nullopt);
  LoseChoice("the game's connection ended");
  seat_.Withdraw();
}

void RemoteTable::LoseChoice(std::string reason) {
  if (!sent_) return;
  result_timer_.Cancel();
  seat_.Settle(*std::exchange(sent_, std::nullopt), Verdict{Verdict::Kind::kLost, std::move(reason), nullptr});
}

void RemoteTable::ResumeSilently() {
  Report(Diagnostic::kResumedSilently,
         "the game \"" + game_ + "\" came back without a startup message; its earlier actions are valid again");
  RepeatLostForce();
}

void RemoteTable::Report(Diagnostic diagnostic, std::string detail, std::string_view excerpt) {
  if (detail.size() > kMaxDetail) detail = Ellipsize(detail, kMaxDetail);
  const DiagnosticInfo& info = InfoOf(diagnostic);
  if (excerpt.empty()) excerpt = message_;
  std::string payload = "{\"key\":\"" + std::string(info.key) + "\",\"severity\":\"";
  payload += SeverityName(info.severity);
  payload += "\",\"message\":";
  json::WriteString(detail, payload);
  if (message_seq_ != 0) payload += ",\"seq\":" + std::to_string(message_seq_);
  payload += '}';
  transcript_.Add(EventKind::kDiagnostic, std::move(payload));
  const std::string line = game_ + ": " + detail + " [" + std::string(info.key) + "]";
  if (!diagnostics_.Add(diagnostic, std::move(detail), scheduler_.clock().Now(), message_seq_, excerpt)) return;
  switch (info.severity) {
    case Severity::kInfo:
      log::Info("{}", line);
      break;
    case Severity::kWarn:
      log::Warn("{}", line);
      break;
    case Severity::kError:
      log::Error("{}", line);
      break;
  }
}

void RemoteTable::OnMessage(std::string_view raw, const Decoded& decoded, bool first) {
  if (checking_ || !waiting_.empty()) [[unlikely]]
    return Wait(raw, decoded, first);
  MessageNow(raw, decoded, first);
}

void RemoteTable::Wait(std::string_view raw, const Decoded& decoded, bool first) {
  if (waiting_.Push({std::string(raw), decoded, first}, raw.size() + kDecodedBytes)) return;
  if (link_) link_->Close(net::close_code::kPolicy, waiting_.count().Refuse(payer_.get()).Text());
}

// One per turn of the shard: each may take a while.
void RemoteTable::NextWaiting() {
  if (checking_ || waiting_.empty()) return;
  const Waiting next = waiting_.Pop();
  MessageNow(next.raw, next.decoded, next.first);
  scheduler_.Post([this, alive = std::weak_ptr<int>(alive_)] {
    if (!alive.expired()) NextWaiting();
  });
}

void RemoteTable::MessageNow(std::string_view raw, const Decoded& decoded, bool first) {
  WorkNote::Set(id().str());
  if (first) message_seq_ = transcript_.Add(EventKind::kReceived, std::string(raw));
  message_ = raw;
  for (const Issue& issue : decoded.issues) {
    Report(issue.diagnostic, issue.detail);
  }
  if (decoded.message) {
    const bool is_startup = std::holds_alternative<StartupMessage>(decoded.message->body);
    if (!is_startup && startups_ == 0 && connections_ <= 1) {
      startups_ = -1;  // reported once
      Report(Diagnostic::kStartupMissing, "the first message must be startup");
    }
    std::visit([this](const auto& body) { Handle(body); }, decoded.message->body);
  }
  message_ = {};
  message_seq_ = 0;
}

void RemoteTable::Handle(const StartupMessage&) {
  if (startups_ > 0) {
    Report(Diagnostic::kStartupMultiple, "startup came again on the same connection; all actions were cleared");
  } else {
    const Duration late = scheduler_.clock().Monotonic() - link_since_;
    if (late > options_.late_startup) {
      Report(Diagnostic::kStartupLate,
             "startup came " + std::to_string(std::chrono::duration_cast<std::chrono::milliseconds>(late).count()) +
                 " ms after the connection");
    }
  }
  startups_ = 1;
  open_force_.reset();
  LoseChoice("the game started over");
  seat_.Withdraw();
  seat_.ClearActions();
  action_bytes_ = 0;
  if (options_.startup_ack) {
    out_.clear();
    EncodeStartupAck(id().str(), options_.character_id, options_.display_name, out_);
    Send(out_);
  }
}

void RemoteTable::Handle(const ContextMessage& message) {
  if (sent_) {
    Report(Diagnostic::kContextWhilePending,
           "context came before the result of an action; the agent reads it after the result");
  }
  if (!seat_.Tell({.message = message.message, .silent = message.silent})) {
    Report(Diagnostic::kLimit,
           "context was left out while an action waits for its result: " + seat_.held().Refuse(payer_.get()).Text());
  }
}

std::string RemoteTable::NameInShort(std::string_view name) {
  return "\"" + Ellipsize(name, kNameInShort) + "\"";
}

void RemoteTable::Refuse(Limit limit, std::uint64_t allowed, std::string detail) {
  const Refusal refusal =
      payer_ != nullptr ? payer_->Refuse(limit, allowed) : Refusal{.limit = limit, .allowed = allowed};
  Report(Diagnostic::kLimit, std::move(detail) + ": " + refusal.Text());
}

std::size_t RemoteTable::Looked(std::size_t listed, std::string_view where) {
  if (listed <= max_actions_) return listed;
  Refuse(
      Limit::kActions, max_actions_,
      std::string(where) + " lists " + std::to_string(listed) + " actions, and those beyond the limit were left out");
  return max_actions_;
}

void RemoteTable::Handle(const ForceMessage& force) {
  if (force.action_names.empty()) {
    Report(Diagnostic::kForceEmpty, "actions/force names no action, so there is nothing to choose from");
    return;
  }
  if (sent_) {
    Report(Diagnostic::kForceWhilePending,
           "actions/force came before the result of the action in progress; it waits for that result");
  } else if (seat_.decision() != nullptr) {
    Report(Diagnostic::kForceMultiple, "actions/force came while another force was open; the new one replaces it");
  }
  Open(force);
}

void RemoteTable::Open(const ForceMessage& force) {
  Decision decision;
  decision.query = force.query;
  if (force.state) decision.sight = std::make_shared<Sight>(*force.state);
  decision.ephemeral = force.ephemeral_context;
  decision.priority = force.priority;
  decision.time_limit = options_.force_limit;
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
    Report(Diagnostic::kForceAllInvalid, "actions/force names only actions that are not registered: " + unknown);
    return;
  }
  if (!unknown.empty()) {
    Report(Diagnostic::kForceSomeInvalid, "actions/force names actions that are not registered: " + unknown);
  }
  lost_force_.reset();
  repeat_timer_.Cancel();
  open_force_ = force;
  open_force_->action_names.resize(looked);
  seat_.Ask(std::move(decision));
}

void RemoteTable::RepeatLostForce() {
  if (!lost_force_ || seat_.decision() != nullptr || sent_) return;
  const ForceMessage force = *std::exchange(lost_force_, std::nullopt);
  const bool possible = std::ranges::any_of(
      force.action_names, [&](const std::string& name) { return seat_.actions().Find(name) != nullptr; });
  if (!possible) return;
  Report(Diagnostic::kForceNotRepeated,
         "the force that was open when the connection ended was asked again by the server");
  Open(force);
}

void RemoteTable::Handle(const ResultMessage& result) {
  std::uint64_t number = 0;
  const std::string_view id = result.id;
  const bool ours =
      id.starts_with(id_prefix_) &&
      std::from_chars(id.data() + id_prefix_.size(), id.data() + id.size(), number).ptr == id.data() + id.size();
  if (!ours) {
    Report(Diagnostic::kResultUnexpected,
           "action/result for the id \"" + Ellipsize(SanitizeUtf8(id), 80) + "\", which no action had");
    return;
  }
  if (!sent_ || sent_->value() != number) {
    if (std::ranges::find(timed_out_, number) != timed_out_.end()) {
      Report(Diagnostic::kResultAfterTimeout,
             "the result of \"" + result.id + "\" came after its time-out and was discarded");
    } else {
      Report(Diagnostic::kResultDuplicate, "the action \"" + result.id + "\" had its result already");
    }
    return;
  }
  const Duration took = scheduler_.clock().Monotonic() - seat_.awaiting()->since;
  NoteLatency(took);
  if (took > options_.late_result) {
    Report(Diagnostic::kResultLate,
           "the result of \"" + seat_.awaiting()->choice.action + "\" took more than " +
               std::to_string(std::chrono::duration_cast<std::chrono::milliseconds>(options_.late_result).count()) +
               " ms");
  }
  if (!result.success && result.message.empty()) {
    Report(Diagnostic::kResultNoMessage, "a failed result says nothing about why");
  }
  result_timer_.Cancel();
  seat_.Settle(*std::exchange(sent_, std::nullopt),
               Verdict{result.success ? Verdict::Kind::kAccepted : Verdict::Kind::kRefused, result.message, nullptr});
}

// Their issues are complete.
void RemoteTable::Handle(const ProposalMessage&) {}
void RemoteTable::Handle(const UnknownMessage&) {}

void RemoteTable::OnChoice(Seat& seat, const PendingChoice& pending) {
  if (!link_) {
    scheduler_.Post([this, alive = std::weak_ptr<int>(alive_), id = pending.id] {
      if (!alive.expired()) seat_.Settle(id, Verdict{Verdict::Kind::kLost, "the game is not connected", nullptr});
    });
    return;
  }
  std::optional<std::string> data;
  if (pending.choice.raw) {
    data = pending.choice.raw;
  } else if (!pending.choice.data.is_null() || IsNullMeant(seat, pending.choice)) {
    data = json::Write(pending.choice.data);
  }
  sent_ = pending.id;
  action_id_.assign(id_prefix_);
  action_id_ += std::to_string(pending.id.value());
  out_.clear();
  EncodeAction(action_id_, pending.choice.action, data, out_);
  result_timer_.Set(scheduler_, options_.result_timeout, [this] {
    Report(Diagnostic::kResultTimeout,
           "no result came for \"" + seat_.awaiting()->choice.action + "\" within " +
               std::to_string(std::chrono::duration_cast<std::chrono::seconds>(options_.result_timeout).count()) +
               " s; it counts as failed");
    timed_out_.push_back(sent_->value());
    if (timed_out_.size() > kRememberedTimeouts) timed_out_.erase(timed_out_.begin());
    seat_.Settle(*std::exchange(sent_, std::nullopt),
                 Verdict{Verdict::Kind::kTimedOut, "the game did not answer in time", nullptr});
  });
  Send(out_);
  if (options_.speech_finished) {
    out_.clear();
    EncodeSpeechFinished(true, std::nullopt, std::nullopt, out_);
    Send(out_);
  }
}

void RemoteTable::OnDecisionEnded(Seat&, DecisionId, DecisionEnd end) {
  if (end == DecisionEnd::kWithdrawn) {
    Report(Diagnostic::kForceEmptied, "all actions of the open force were unregistered; the force was dropped");
  } else if (end == DecisionEnd::kGaveUp) {
    ReportGivenUp();
  }
  if (end != DecisionEnd::kLost && seat_.decision() == nullptr) open_force_.reset();
}

void RemoteTable::ReportGivenUp() {
  const auto text = [&](std::string_view name) {
    const json::Value* value = json::Find(seat_.failure(), name);
    return value != nullptr && value->is_string() ? std::string(json::View(value->get_string())) : std::string();
  };
  const std::string by = text("refused_by");
  const std::string reason = text("reason");
  if (by == "game") {
    Report(Diagnostic::kForceGaveUp, "the force was given up after " + std::to_string(options_.force_attempts) +
                                         " failing results" + (reason.empty() ? "" : "; the last one said: " + reason));
  } else if (by == "referee") {
    Report(Diagnostic::kAgentGaveUp, "the force was given up after " + std::to_string(kInvalidAttempts) +
                                         " invalid choices of the agent; of the last one: " + reason);
  } else {
    Report(Diagnostic::kAgentGaveUp, "the agent gave the force up" + (reason.empty() ? "" : ": " + reason));
  }
}

void RemoteTable::OnRefused(Seat&, const Choice&, const Error& error) {
  Report(Diagnostic::kAgentInvalid, error.message);
}

void RemoteTable::OnTooCostly(Seat&, const Choice&, const Error& error) {
  Report(Diagnostic::kSchemaCostly, error.message + "; it is sent unchecked");
}

void RemoteTable::Send(std::string_view message) {
  if (!link_) return;
  transcript_.Add(EventKind::kSent, std::string(message));
  link_->Send(message);
}

}  // namespace openseat::neuro

#include "protocols/neuro/remote_table.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "base/log.h"
#include "base/secure_random.h"
#include "base/text.h"
#include "base/waiting.h"
#include "base/work_note.h"
#include "protocols/neuro/codec.h"

namespace openseat::neuro {
namespace {

constexpr std::size_t kMaxDetail = 2000;     // bytes of a diagnostic, which may quote the game
constexpr std::size_t kNameInShort = 80;     // bytes of a stranger's text in a sentence
constexpr std::size_t kDecodedBytes = 1024;  // about how much a decoded message takes, in addition to its text

std::string OpenedPayload(const std::string& game, const std::string& owner) {
  std::string out = "{\"kind\":\"remote\",\"protocol\":\"neuro\",\"game\":";
  json::WriteString(game, out);
  if (!owner.empty()) {
    out += ",\"owner\":";
    json::WriteString(owner, out);
  }
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

// Whether the game ended the connection on purpose: what comes next is another run of it.
bool IsGoodbye(const net::Closing& closing) {
  return closing.cause == net::Closing::Cause::kPeer && !closing.unfinished &&
         (closing.code == net::close_code::kNormal || closing.code == net::close_code::kGoingAway ||
          closing.code == net::close_code::kNone);
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

constexpr Duration kTimeToRegister = std::chrono::seconds(2);  // for a game that has come back

log::Level LevelOf(Severity severity) {
  if (severity == Severity::kInfo) return log::Level::kInfo;
  return severity == Severity::kWarn ? log::Level::kWarn : log::Level::kError;
}

}  // namespace

RemoteTable::RemoteTable(TableId id, std::string game, const NeuroProfiles& profiles, const RemoteAgents& agents,
                         Scheduler& scheduler, Journal& journal, std::shared_ptr<Payer> payer, NeuroMetrics* metrics,
                         const SharedRecord& shared)
    : game_(std::move(game)),
      profiles_(profiles),
      metrics_(metrics),
      scheduler_(scheduler),
      payer_(std::move(payer)),
      agents_(agents),
      max_actions_(MostOf(payer_.get(), &PeerLimits::max_actions)),
      max_action_bytes_(MostOf(payer_.get(), &PeerLimits::max_schema_bytes)),
      transcript_(journal, scheduler, std::move(id), payer_, Duration(0),
                  shared.earlier ? shared.earlier->last_seq : 0),
      seat_(0, "player", *this, scheduler, transcript_,
            SeatRules{.max_attempts = profiles.at_start().force_attempts,
                      .max_invalid_attempts = kInvalidAttempts,
                      .held = WaitingLimits::Of(payer_.get()),
                      .payer = payer_}),
      opened_(shared.earlier ? shared.earlier->opened : scheduler.clock().Now()),
      id_prefix_(SecureToken(4) + "-"),
      waiting_(payer_),
      practice_([this](Diagnostic rule, std::string detail) { Report(rule, std::move(detail)); }) {
  seat_.SetBriefing({game_, {}});  // the game itself says what there is to know
  transcript_.OnGap([this](const std::string& reason) { Report(Diagnostic::kRecordingGap, reason); });
  const EarlierTable* const earlier = shared.earlier.get();
  if (earlier != nullptr) {
    Note("the table goes on at the server \"" + shared.node + "\"; its agent starts without what it remembered");
    log::From(seat_.payer_address()).Info("{}: the table of \"{}\" goes on here", this->id().str(), game_);
    run_ = {.number = earlier->run, .began = earlier->run_began, .since = earlier->run_since};
    seat_.NumberAfter(earlier->decision, earlier->choice);
  } else {
    transcript_.Add(EventKind::kOpened, OpenedPayload(game_, shared.owner));
    log::From(seat_.payer_address()).Info("{}: table opened for \"{}\"", this->id().str(), game_);
    run_ = {.began = opened_};
  }
  SetProfile(profiles_.start, profiles_.seed);
  if (earlier == nullptr) {
    seat_.SetAgent(agents_.by_default(game_));
    return;
  }
  connections_ = 1;
  Result<std::unique_ptr<Agent>> seated =
      earlier->agent ? agents_.make(*earlier->agent) : Result<std::unique_ptr<Agent>>(nullptr);
  if (!seated) Note("the agent that sat there cannot be seated here: " + seated.error().message);
  seat_.SetAgent(seated && *seated ? std::move(*seated) : agents_.by_default(game_));
}

void RemoteTable::SeatAgent(SeatIndex seat, std::string, AgentSpec agent, Seated seated) {
  if (options().relayed) {
    return seated(Fail(ErrorCode::kConflict, "the server that this relay leads to plays the seat, and nobody else"));
  }
  Result<std::unique_ptr<Agent>> made = agents_.make(agent);
  if (!made) return seated(Fail(std::move(made).error()));
  json::Object described = agent.options;
  described["kind"] = agent.kind;
  std::vector<Event> handed;
  handed.push_back({EventKind::kHandedOver, scheduler_.clock().Now(),
                    json::Write(json::Object{{"seat", seat}, {"agent", std::move(described)}})});
  // The answer waits for the record, so that a server that takes the table over seats the same agent. If it cannot be
  // written, the game goes on without it.
  transcript_.Commit(std::move(handed), [seat, seated = std::move(seated)](const Result<Seq>&) { seated(seat); });
  seat_.SetAgent(std::move(*made));
}

void RemoteTable::Resign(SeatIndex, std::string, Quitter quitter, Done done) {
  if (quitter.sitting && *quitter.sitting != seat_.sitting()) {
    return done(Fail(ErrorCode::kClosed, "another agent plays your seat now"));
  }
  seat_.SetAgent(agents_.by_default(game_));
  json::Object handed{{"seat", 0}, {"default", true}};
  if (seat_.agent() != nullptr) handed["agent"] = json::Object{{"kind", seat_.agent()->kind()}};
  transcript_.Add(EventKind::kHandedOver, json::Write(handed));
  done({});
}

RemoteTable::~RemoteTable() {
  character_.reset();
  stage_.reset();
  // Its record goes on elsewhere, and so do the targets of its agent.
  if (left_) return;
  transcript_.Add(EventKind::kClosed, R"({"reason":"the game did not come back, or the server stopped"})");
  seat_.Dismiss();
  if (!link_) return;
  link_->Close(net::close_code::kGoingAway, "the table was closed");
  Unlink();
}

std::optional<std::uint64_t> RemoteTable::link_id() const {
  if (!link_) return std::nullopt;
  return link_->id();
}

void RemoteTable::Attach(std::unique_ptr<Link> link, Instant since) {
  if (link_) {
    link_->Close(net::close_code::kPolicy, "another connection took this game's table");
    Unlink();
  }
  // Anything else from the former connection is ignored.
  waiting_.Clear();
  link_ = std::move(link);
  link_since_ = since;
  startups_ = 0;
  carried_.clear();
  if (++connections_ == 1 && metrics_ != nullptr) metrics_->runs.Add();
  back_ = connections_ > 1 && !said_goodbye_;
  if (back_) practice_.Reconnected();
  if (names_ != nullptr) {
    for (const ActionPtr& action : seat_.actions().all()) names_->Add(action->name);
  }
  transcript_.Add(EventKind::kLink, LinkPayload("connected", link_->peer(), 0, {}));
  if (metrics_ != nullptr) metrics_->connected.Add(1);
  if (character_) character_->Begin();
}

void RemoteTable::Detach(std::uint64_t link, const net::Closing& closing) {
  if (!link_ || link_->id() != link) return;
  if (const std::optional<Issue> issue = IssueOf(closing)) Report(issue->diagnostic, issue->detail);
  if (closing.unfinished) Report(Diagnostic::kFrameUnfinished, "the connection ended in the middle of a message");
  transcript_.Add(EventKind::kLink, LinkPayload("disconnected", link_->peer(), closing.code, closing.reason));
  if (shutdown_asked_) Report(Diagnostic::kShutdownClosed, "the game closed without shutdown/ready");
  said_goodbye_ = IsGoodbye(closing);
  Unlink();
  repeat_timer_.Cancel();
  // An open force may be asked again when the game is back.
  if (given_up_) lost_force_ = std::exchange(given_up_, std::nullopt);
  if (open_force_) lost_force_ = std::exchange(open_force_, std::nullopt);
  LoseChoice("the game's connection ended");
  seat_.Withdraw();
}

void RemoteTable::Unlink() {
  link_.reset();
  register_timer_.Cancel();
  AwaitNothing();
  if (names_ != nullptr) names_->Clear();
  if (metrics_ != nullptr) metrics_->connected.Add(-1);
  if (character_) character_->Stop();
}

void RemoteTable::BeginRun() {
  ++run_.number;
  run_.began = scheduler_.clock().Now();
  const std::string number = std::to_string(run_.number);
  run_.since =
      transcript_.Add(EventKind::kNote, R"({"text":"run )" + number + R"( of the game","run":)" + number + "}");
  diagnostics_.Clear();
  practice_.BeginRun();
  once_registered_.clear();
  lost_force_.reset();
  HoldForces();
  repeat_timer_.Cancel();
  if (metrics_ != nullptr) metrics_->runs.Add();
}

void RemoteTable::LoseChoice(std::string reason) {
  if (sent_) Settle({Verdict::Kind::kLost, std::move(reason), nullptr});
}

void RemoteTable::ResumeSilently() {
  Report(Diagnostic::kResumedSilently,
         "the game \"" + game_ + "\" came back without a startup message; its earlier actions are valid again");
  for (const ActionPtr& action : seat_.actions().all()) carried_.insert(action->name);
  RepeatLostForce();
}

void RemoteTable::ResumeElsewhere(bool ask) {
  Report(Diagnostic::kResumedSilently,
         "the game \"" + game_ +
             "\" came back at another server without a startup message; nothing is registered there until it says so");
  if (!ask) return;
  out_.clear();
  EncodeReregisterAll(out_);
  Send(out_);
}

void RemoteTable::Leave() {
  if (link_) {
    constexpr const char* kElsewhere = "the game's table goes on at another server; come back";
    const std::uint64_t link = link_->id();
    link_->Close(net::close_code::kGoingAway, kElsewhere);
    Detach(link, {net::close_code::kGoingAway, kElsewhere, net::Closing::Cause::kUs});
  }
  transcript_.Flush();
  waiting_.Clear();
  left_ = true;
}

void RemoteTable::Report(Diagnostic diagnostic, std::string detail, std::string_view excerpt) {
  if (detail.size() > kMaxDetail) detail = Ellipsize(detail, kMaxDetail);
  const DiagnosticInfo& info = InfoOf(diagnostic);
  if (metrics_ != nullptr) metrics_->diagnostics[static_cast<std::size_t>(info.severity)]->Add();
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
  log::From(seat_.payer_address()).Line(LevelOf(info.severity), "{}", line);
}

void RemoteTable::OnMessage(std::string_view raw, Decoded&& decoded, bool first) {
  if (left_) return;
  if (checking_ || !waiting_.empty()) [[unlikely]]
    return Wait(raw, std::move(decoded), first);
  MessageNow(raw, std::move(decoded), first);
}

void RemoteTable::Wait(std::string_view raw, Decoded&& decoded, bool first, bool relayed) {
  const auto* const actions = decoded.message ? std::get_if<RegisterMessage>(&decoded.message->body) : nullptr;
  Lease memory;
  if (actions != nullptr && payer_ != nullptr) {
    auto held = payer_->Hold(Holding::kTableBytes, MemoryOfAll(actions->actions));
    if (!held) {
      if (link_) link_->Close(net::CloseCodeFor(held.error().limit), held.error().Text());
      return;
    }
    memory = std::move(*held);
  }
  const std::size_t bytes = raw.size() + kDecodedBytes;
  if (waiting_.Push({std::string(raw), std::move(decoded), first, relayed, std::move(memory)}, bytes)) return;
  const Refusal refusal = waiting_.count().Refuse(payer_.get());
  if (link_) link_->Close(net::CloseCodeFor(refusal.limit), refusal.Text());
}

// One per turn of the shard: each may take a while.
void RemoteTable::NextWaiting() {
  if (checking_ || waiting_.empty()) return;
  Waiting next = waiting_.Pop();
  if (next.relayed) {
    RelayedNow(next.raw);
  } else {
    MessageNow(next.raw, std::move(next.decoded), next.first);
  }
  scheduler_.Post([this, alive = std::weak_ptr<int>(alive_)] {
    if (!alive.expired()) NextWaiting();
  });
}

void RemoteTable::MessageNow(std::string_view raw, Decoded&& decoded, bool first) {
  WorkNote::Set(id().str());
  const bool is_startup = decoded.message && std::holds_alternative<StartupMessage>(decoded.message->body);
  if (std::exchange(said_goodbye_, false) && is_startup) BeginRun();
  if (first) message_seq_ = transcript_.Add(EventKind::kReceived, std::string(raw));
  message_ = raw;
  for (const Issue& issue : decoded.issues) {
    // The server itself began with it.
    if (issue.diagnostic == Diagnostic::kProposal && shutdown_asked_) continue;
    Report(issue.diagnostic, issue.detail);
  }
  if (decoded.message) {
    if (!is_startup && startups_ == 0 && connections_ <= 1) {
      startups_ = -1;  // reported once
      Report(Diagnostic::kStartupMissing, "the first message must be startup");
    }
    practice_.Saw(*decoded.message, scheduler_.clock().Monotonic());
    std::visit([this](auto& body) { Handle(std::move(body)); }, decoded.message->body);
  }
  message_ = {};
  message_seq_ = 0;
}

void RemoteTable::Handle(const StartupMessage&) {
  if (startups_ > 0) {
    Report(Diagnostic::kStartupMultiple, "startup came again on the same connection; all actions were cleared");
  } else {
    const Duration late = scheduler_.clock().Monotonic() - link_since_;
    if (late > options().late_startup) {
      Report(Diagnostic::kStartupLate,
             "startup came " + std::to_string(std::chrono::duration_cast<std::chrono::milliseconds>(late).count()) +
                 " ms after the connection");
    }
  }
  if (back_ && startups_ == 0 && !seat_.actions().empty()) {
    register_timer_.Set(scheduler_, kTimeToRegister, [this] {
      Report(Diagnostic::kReconnectNoActions, "the game came back and registered no actions within 2 s");
    });
  }
  startups_ = 1;
  open_force_.reset();
  crossed_ = false;
  given_up_.reset();
  HoldForces();
  LoseChoice("the game started over");
  seat_.Withdraw();
  seat_.ClearActions();
  if (names_ != nullptr) names_->Clear();
  action_bytes_ = 0;
  memory_.Release();
  removed_memory_ = 0;
  carried_.clear();
  if (options().startup_ack) {
    out_.clear();
    EncodeStartupAck(id().str(), options().character_id, options().display_name, out_);
    Send(out_);
  }
}

void RemoteTable::Handle(ContextMessage&& message) {
  if (sent_) {
    Report(Diagnostic::kContextWhilePending,
           "context came before the result of an action; the agent reads it after the result");
  }
  if (character_) character_->OnContext(message.silent);
  if (!seat_.Tell({.message = std::move(message.message), .silent = message.silent})) {
    Report(Diagnostic::kLimit,
           "context was left out while an action waits for its result: " + seat_.held().Refuse(payer_.get()).Text());
  }
}

std::string RemoteTable::NameInShort(std::string_view name) {
  return Quote(name, kNameInShort);
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

void RemoteTable::Send(std::string_view message) {
  if (!link_) return;
  transcript_.Add(EventKind::kSent, std::string(message));
  link_->Send(message);
}

}  // namespace openseat::neuro

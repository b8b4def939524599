#include "checker/checker.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "checker/wording.h"
#include "protocols/neuro/action_check.h"
#include "protocols/neuro/codec.h"
#include "schema/inspect.h"

namespace openseat::checker {
namespace {

using neuro::Diagnostic;

constexpr std::size_t kMaxLoggedPacket = 4096;
constexpr std::size_t kMaxSchemaFindings = 20;
constexpr std::size_t kMaxContextBytes = 1'000'000;
constexpr std::size_t kMaxRememberedNames = 10'000;

std::string_view CommandOf(const neuro::ClientMessage& message) {
  struct Name {
    std::string_view operator()(const neuro::StartupMessage&) const { return "startup"; }
    std::string_view operator()(const neuro::ContextMessage&) const { return "context"; }
    std::string_view operator()(const neuro::RegisterMessage&) const { return "actions/register"; }
    std::string_view operator()(const neuro::UnregisterMessage&) const { return "actions/unregister"; }
    std::string_view operator()(const neuro::ForceMessage&) const { return "actions/force"; }
    std::string_view operator()(const neuro::ResultMessage&) const { return "action/result"; }
    std::string_view operator()(const neuro::ProposalMessage& proposal) const { return proposal.command; }
    std::string_view operator()(const neuro::UnknownMessage& unknown) const { return unknown.command; }
  };
  return std::visit(Name(), message.body);
}

}  // namespace

Checker::Checker(CheckerOptions options, Scheduler& scheduler, CheckerPort& port)
    : options_(std::move(options)),
      profile_(neuro::NeuroProfiles().Of(options_.profile)),
      scheduler_(scheduler),
      port_(port),
      rng_(options_.seed),
      character_(profile_.manner, options_.seed, *this),
      steps_(options_.script.size(), Step::kWaiting),
      practice_([this](Diagnostic rule, std::string detail) { Report(rule, std::move(detail)); }) {
  result_.run_id = options_.run_id;
  result_.started = scheduler_.clock().Now();
}

// --- Log ---

void Checker::Log(Level level, std::string message, std::string key) {
  if (!key.empty()) message = Ellipsize(message, LogLimit::kMaxFindingText);
  const LogLine line{scheduler_.clock().Now(), level, std::move(message), std::move(key)};
  ++result_.counts[static_cast<std::size_t>(level)];
  if (level == Level::kWarn && !IsAdvice(line.key)) ++failing_warnings_;
  if (level >= Level::kWarn && result_.findings.size() < CheckResult::kMaxFindings) result_.findings.push_back(line);
  if (limit_.Admit(line)) port_.Log(line);
}

void Checker::AddFinding(Diagnostic rule, Level level, std::string detail) {
  const auto known = std::ranges::find(result_.rules, rule, &FoundRule::rule);
  if (known == result_.rules.end()) {
    result_.rules.push_back({rule, level, 1, detail});
  } else {
    ++known->count;
    known->level = std::max(known->level, level);
  }
  Log(level, std::move(detail), std::string(neuro::InfoOf(rule).key));
}

void Checker::Report(Diagnostic rule, std::string detail, std::optional<Level> at_least) {
  if (finished_) return;
  const Verdict verdict = VerdictOf(rule, options_.strictness);
  if (!verdict.level) return;
  AddFinding(rule, std::max(*verdict.level, at_least.value_or(*verdict.level)), std::move(detail));
  if (verdict.fatal) End(true);
}

void Checker::Report(const std::vector<Finding>& findings) {
  // Reports everything that is wrong with one packet before the run ends for it.
  bool fatal = false;
  for (const Finding& finding : findings) {
    const Verdict verdict = VerdictOf(finding.rule, options_.strictness);
    if (!verdict.level) continue;
    AddFinding(finding.rule, *verdict.level, finding.detail);
    fatal |= verdict.fatal;
  }
  if (fatal) End(true);
}

// --- The connection ---

void Checker::Start(const std::string& address) {
  address_ = address;
  started_ = scheduler_.clock().Monotonic();
  Log(Level::kInfo, "Waiting for a game at " + address);
  WaitForGame();
}

bool Checker::OnConnected(const std::string& peer) {
  if (finished_) return false;
  if (connected_) {
    Report(Diagnostic::kConnectionSecond,
           "another connection was attempted from " + peer + " while the game is connected");
    return false;
  }
  connected_ = true;
  closed_ = false;
  connect_timer_.Cancel();
  connected_at_ = scheduler_.clock().Monotonic();
  timeout_timer_.Set(scheduler_, options_.timeout, [this] { OnTimeout(); });
  Log(Level::kInfo, "A game connected from " + peer);
  Rest(false);
  Asked();
  character_.Begin();
  return true;
}

void Checker::OnPacket(std::string_view text, bool binary) {
  if (finished_) return;
  ++packets_;
  Log(Level::kDebug, "Received: " + Ellipsize(text, kMaxLoggedPacket));
  Packet packet = ReadPacket(text, options_.strictness, options_.proposals);
  if (binary) {
    packet.findings.insert(
        packet.findings.begin(),
        {Diagnostic::kBinaryFrame, "a packet arrived in a binary message; a text message is expected"});
  }
  if (!packet.message || !AnswersBeside(*packet.message)) {
    Rest(packet.message && std::holds_alternative<neuro::ContextMessage>(packet.message->body));
  }
  Report(packet.findings);
  if (finished_ || !packet.message) return;
  if (std::holds_alternative<neuro::UnknownMessage>(packet.message->body)) return;
  if (options_.strictness != Strictness::kLetter) practice_.Saw(*packet.message, scheduler_.clock().Monotonic());
  Handle(std::move(*packet.message));
}

void Checker::OnClosed(const net::Closing& closing) {
  if (finished_) return;
  connected_ = false;
  character_.Stop();
  const std::string how =
      "(" + std::to_string(closing.code) + (closing.reason.empty() ? "" : " " + closing.reason) + ")";
  using Cause = net::Closing::Cause;
  if (closing.unfinished) Report(Diagnostic::kFrameUnfinished, "the connection ended in the middle of a packet");
  if (closing.cause == Cause::kViolation) {
    Report(Diagnostic::kFrameViolation, "the checker closed the connection " + how);
    return;
  }
  if (closing.cause == Cause::kDropped) {
    Report(Diagnostic::kConnectionDropped, "the checker closed the connection " + how);
    return;
  }
  if (packets_ == 0) {
    // A client that only checked whether the port is open.
    Log(Level::kDebug, "The connection ended before any packet arrived " + how);
    CancelTimers();
    WaitForGame();
    return;
  }
  if (closing.cause == Cause::kLost) {
    Report(Diagnostic::kClosedAbnormally, "the connection ended without a close frame");
  }
  closed_ = true;
  Log(Level::kInfo,
      (closing.cause == Cause::kPeer ? "The game closed the connection " : "The connection ended ") + how);
  End(false);
}

void Checker::OnWrongPath(const std::string& path, const std::string& peer) {
  Report(Diagnostic::kConnectionPath, "a connection from " + peer + " came to " + Quote(path) +
                                          ", which the API does not define; connect to " + address_ +
                                          " (or /game, /game/NAME, /neuro on it)");
}

void Checker::OnForeignPage(const std::string& why, const std::string& peer) {
  Log(Level::kWarn, "A connection from " + peer + " was refused: " + why);
}

void Checker::GiveUp(const std::string& reason) {
  finished_ = true;
  CancelTimers();
  Log(Level::kCritical, "The run was aborted: " + reason);
}

void Checker::Interrupt(const std::string& game_failed) {
  if (finished_) return;
  if (!game_failed.empty() && !connected_ && packets_ == 0) {
    Report(Diagnostic::kGameNotStarted, game_failed + ", and no game had connected");
  } else if (!connected_ || !complete()) {
    Report(Diagnostic::kRunInterrupted, "the run was interrupted" + WhatIsLeft());
  }
  End(false);
}

// --- Packets ---

void Checker::NoteGame(const neuro::ClientMessage& message) {
  const bool is_startup = std::holds_alternative<neuro::StartupMessage>(message.body);
  if (games_.empty() && !is_startup && !std::exchange(before_startup_reported_, true)) {
    Report(Diagnostic::kStartupMissing,
           "the first packet of a connection must be `startup`; got " + Quote(CommandOf(message)));
  }
  if (game_.empty()) {
    game_ = message.game;
    result_.game = game_;
  }
  if (message.game == game_ || message.game.empty() || games_.contains(message.game)) return;
  if (!renamed_.insert(message.game).second) return;
  Report(is_startup ? Diagnostic::kSecondGame : Diagnostic::kGameRenamed,
         "the game calls itself " + Quote(message.game) + "; before, it called itself " + Quote(game_));
}

bool Checker::AnswersBeside(const neuro::ClientMessage& message) const {
  const auto* result = std::get_if<neuro::ResultMessage>(&message.body);
  return result != nullptr && pending_ && pending_->beside && pending_->id == result->id;
}

bool Checker::MayCome(const neuro::ClientMessage& message) {
  const bool is_force = std::holds_alternative<neuro::ForceMessage>(message.body);
  // The probe comes at a moment that no game expects, and only its result counts any more.
  if (pending_ && pending_->probe) return std::holds_alternative<neuro::ResultMessage>(message.body);
  if (is_force && force_ && !force_->names.empty() && !force_->crossed) {
    Report(Diagnostic::kForceMultiple,
           "a second force arrived while the one for " + force_->said + " is being processed");
    return false;
  }
  if (!pending_ || std::holds_alternative<neuro::ResultMessage>(message.body) ||
      std::holds_alternative<neuro::UnregisterMessage>(message.body)) {
    return true;
  }
  const std::string expected = "expected the result of action " + Quote(pending_->name) + " (id " +
                               Quote(pending_->id) + "), `context` or `actions/unregister`; got " +
                               Quote(CommandOf(message));
  if (std::holds_alternative<neuro::ContextMessage>(message.body)) {
    Report(Diagnostic::kContextWhilePending,
           "`context` came before the result of action " + Quote(pending_->name) + ", as the API allows");
    return true;
  }
  // What the game did not expect may have crossed this.
  if (pending_->beside || (force_ && force_->crossed)) {
    if (is_force && scheduler_.clock().Monotonic() - pending_->sent > options_.late) {
      Report(Diagnostic::kForceWhilePending, expected + "; the force waits for the result");
    }
    return true;
  }
  Report(is_force ? Diagnostic::kForceWhilePending : Diagnostic::kPendingUnexpected, expected + ", which is ignored");
  return false;
}

void Checker::Handle(neuro::ClientMessage message) {
  NoteGame(message);
  if (finished_ || !MayCome(message)) return;
  struct Visitor {
    Checker& self;
    const std::string& game;
    void operator()(neuro::StartupMessage&) const { self.OnStartup(game); }
    void operator()(neuro::ContextMessage& body) const { self.OnContext(game, body); }
    void operator()(neuro::RegisterMessage& body) const { self.OnRegister(game, body); }
    void operator()(neuro::UnregisterMessage& body) const { self.OnUnregister(body); }
    void operator()(neuro::ForceMessage& body) const { self.OnForce(game, body); }
    void operator()(neuro::ResultMessage& body) const { self.OnResult(game, body); }
    void operator()(neuro::ProposalMessage& body) const { self.OnProposal(body); }
    void operator()(neuro::UnknownMessage&) const {}
  };
  const std::string game = message.game;
  std::visit(Visitor{*this, game}, message.body);
  // A force right after a registration must find the script's action still unsent. Context does not change what can be
  // sent.
  if (!finished_ && !std::holds_alternative<neuro::ContextMessage>(message.body)) Settle();
}

void Checker::OnStartup(const std::string& game) {
  const bool letter = options_.strictness == Strictness::kLetter;
  if (letter ? !games_.empty() : games_.contains(game)) {
    Report(Diagnostic::kStartupMultiple, "`startup` was sent again on the same connection");
  } else if (const Duration took = scheduler_.clock().Monotonic() - *connected_at_;
             games_.empty() && took > options_.late) {
    Report(Diagnostic::kStartupLate, "`startup` came " + Seconds(took) + " after the connection");
  }
  games_.insert(game);
  std::erase_if(actions_, [&](const Registered& action) { return letter || action.game == game; });
  port_.ActionsChanged();
  AddContext("startup", game, "Now playing (" + game + ")", true);
  if (letter || !options_.startup_ack) return;
  std::string ack;
  neuro::EncodeStartupAck(options_.id_prefix + "session", profile_.character_id, profile_.display_name, ack);
  port_.Send(ack);
}

void Checker::OnContext(const std::string& game, const neuro::ContextMessage& context) {
  AddContext("context", game, context.message, context.silent);
  character_.OnContext(context.silent);
}

void Checker::OnRegister(const std::string& game, neuro::RegisterMessage& message) {
  for (neuro::ActionDefinition& definition : message.actions) {
    if (finished_) return;
    result_.tested = true;
    if (Registered* const known = Find(definition.name)) {
      const bool same = known->definition == definition;
      const bool replaces = profile_.registration == neuro::NeuroOptions::Registration::kReplace;
      Report(same ? Diagnostic::kDuplicateIdentical : Diagnostic::kDuplicateConflict,
             "action " + Quote(definition.name) + " is already registered" +
                 (same       ? ", just the same"
                  : replaces ? " with another definition, which is replaced"
                             : " with another definition; the first one is kept"));
      if (finished_ || same || !replaces) continue;
      *known = Registered{std::move(definition), game, nullptr, false};
      CheckAction(*known);
      continue;
    }
    if (once_registered_.size() < kMaxRememberedNames) once_registered_.insert(definition.name);
    Registered& action = actions_.emplace_back(Registered{std::move(definition), game, nullptr, false});
    CheckAction(action);
  }
  if (finished_) return;
  port_.ActionsChanged();
}

void Checker::OnUnregister(const neuro::UnregisterMessage& message) {
  if (message.action_names.empty()) Report(Diagnostic::kUnregisterEmpty, "`actions/unregister` names no action");
  for (const std::string& name : message.action_names) {
    if (std::erase_if(actions_, [&](const Registered& action) { return action.definition.name == name; }) == 0) {
      const bool known = once_registered_.contains(name);
      Report(known ? Diagnostic::kUnregisterInactive : Diagnostic::kUnregisterUnknown,
             "action " + Quote(name) + (known ? " was unregistered already" : " was never registered"));
    }
    if (force_) std::erase(force_->names, name);
    if (resting_ && std::erase(resting_->names, name) != 0 && resting_->names.empty()) resting_.reset();
  }
  port_.ActionsChanged();
  // The API recommends to unregister before a successful result; the document wants a warning at once.
  if (force_ && force_->names.empty() && (options_.strictness == Strictness::kLetter || !pending_)) ForceEmptied();
}

void Checker::ForceEmptied() {
  // Because of what we sent, it may be over.
  if (force_->crossed) return EndForce();
  Report(Diagnostic::kForceEmptied, "every action of the force (" + force_->said +
                                        ") was unregistered while the force was being processed; the force is ignored");
  EndForce();
}

void Checker::OnForce(const std::string& game, const neuro::ForceMessage& message) {
  Asked();
  if (message.action_names.empty()) {
    Report(Diagnostic::kForceEmpty, "the force names no actions and is ignored");
    return;
  }
  Force force;
  force.further = scripted();
  std::vector<std::string> unknown;
  for (const std::string& name : message.action_names) {
    (Find(name) != nullptr ? force.names : unknown).push_back(name);
  }
  const bool crosses = pending_ && pending_->beside;
  if (force.names.empty()) {
    if (crosses) return;  // the game has done what it wanted to ask for
    Report(Diagnostic::kForceAllInvalid,
           "none of the force's actions are registered (" + List(unknown) + "); the force is ignored");
    return;
  }
  if (!unknown.empty() && !crosses) {
    Report(Diagnostic::kForceSomeInvalid,
           "the force names " + std::string(unknown.size() == 1 ? "action " : "actions ") + List(unknown) + ", which " +
               (unknown.size() == 1 ? "is" : "are") + " not registered");
  }
  if (message.ephemeral_context && message.state) AddContext("actions/force", game, *message.state, true);
  force.said = List(force.names);
  force.id = ++last_force_;
  force.priority = message.priority;
  force.crossed = pending_.has_value();
  resting_.reset();
  if (force_) EndForce();
  if (finished_) return;
  force_ = std::move(force);
  if (!pending_) return Ponder();
  pending_->beside = true;
}

void Checker::OnProposal(const neuro::ProposalMessage& message) {
  const Proposal* proposal = options_.proposals.Find(message.command);
  if (proposal == nullptr) return;
  // These sentences come from the table and have no key.
  for (const std::string& warning : proposal->warnings) Log(Level::kWarn, warning);
}

// --- What is registered ---

Checker::Registered* Checker::Find(std::string_view name) {
  const auto found =
      std::ranges::find_if(actions_, [&](const Registered& action) { return action.definition.name == name; });
  return found == actions_.end() ? nullptr : &*found;
}

void Checker::CheckAction(Registered& action) {
  const std::string& name = action.definition.name;
  schema::Budget budget(2 * schema::CompileLimits{}.max_steps);
  neuro::CheckedAction checked = neuro::CheckAction(action.definition, budget);
  for (const neuro::Issue& issue : checked.issues) {
    // A note on every schema would be noise.
    const bool noted = std::ranges::find(result_.rules, issue.diagnostic, &FoundRule::rule) != result_.rules.end();
    if (noted && issue.diagnostic == Diagnostic::kSchemaAdditional) continue;
    const bool denied = options_.denied.neuro && issue.diagnostic == Diagnostic::kSchemaUnsupported;
    if (!denied) Report(issue.diagnostic, "action " + Quote(name) + ": " + issue.detail);
    if (finished_) return;
  }
  const auto& schema = action.definition.schema;
  const bool takes_data = schema && !(schema->is_object() && schema->get_object().empty());
  action.compiled = std::move(checked.compiled);
  action.unusable = takes_data && action.compiled == nullptr;
  if (takes_data) CheckDenied(name, *schema);
}

void Checker::CheckDenied(const std::string& name, const json::Value& source) {
  schema::Budget budget(schema::CompileLimits{}.max_steps);
  const Result<schema::Inspection> inspection = schema::Inspect(source, budget);
  if (!inspection) return;
  std::size_t said = 0;
  for (const auto* uses : {&inspection->uses, &inspection->unknown}) {
    for (const schema::KeywordUse& use : *uses) {
      if (!options_.denied.Contains(use.keyword) || ++said > kMaxSchemaFindings) continue;
      Report(Diagnostic::kSchemaDenied, "the schema of action " + Quote(name) + " uses the denied keyword " +
                                            Quote(use.keyword) + " at " + Quote(inspection->PointerOf(use)));
    }
  }
}

json::Array Checker::ActionsStore() const {
  json::Array out;
  for (const Registered& action : actions_) {
    const neuro::ActionDefinition& definition = action.definition;
    out.push_back(json::Object{{"name", definition.name},
                               {"description", definition.description},
                               {"game", action.game},
                               {"schema", definition.schema ? *definition.schema : json::Value(json::Object())}});
  }
  return out;
}

void Checker::AddContext(std::string_view source, const std::string& game, std::string_view message, bool silent,
                         std::optional<bool> success) {
  constexpr std::size_t kEntry = 100;  // about what the rest of an entry takes
  context_bytes_ += message.size() + game.size() + kEntry;
  if (context_bytes_ > kMaxContextBytes) {
    ++context_left_out_;
    return;
  }
  json::Object entry{{"source", source}, {"game", game}, {"message", message}, {"silent", silent}};
  if (success) entry["success"] = *success;
  context_.push_back(std::move(entry));
  port_.ContextChanged();
}

}  // namespace openseat::checker

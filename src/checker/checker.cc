#include "checker/checker.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "checker/wording.h"
#include "protocols/neuro/action_check.h"
#include "schema/inspect.h"

namespace openseat::checker {
namespace {

constexpr std::size_t kMaxLoggedPacket = 4096;
constexpr std::size_t kMaxSchemaFindings = 20;

std::string List(const std::vector<std::string>& names) {
  std::string out;
  for (const std::string& name : names) out += (out.empty() ? "" : ", ") + Quote(name);
  return out;
}

// "1 error", "2 errors".
std::string Count(std::uint64_t number, std::string_view what) {
  return std::to_string(number) + " " + std::string(what) + (number == 1 ? "" : "s");
}

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
      scheduler_(scheduler),
      port_(port),
      rng_(options_.seed),
      steps_(options_.script.size(), Step::kWaiting) {
  result_.run_id = options_.run_id;
  result_.started = scheduler_.clock().Now();
}

// --- Log ---

void Checker::Log(Level level, std::string message, std::string key) {
  const LogLine line{scheduler_.clock().Now(), level, std::move(message), std::move(key)};
  ++result_.counts[static_cast<std::size_t>(level)];
  if (level >= Level::kWarn && result_.findings.size() < CheckResult::kMaxFindings) result_.findings.push_back(line);
  port_.Log(line);
}

void Checker::Report(Check check, std::string detail) {
  if (finished_) return;
  const CheckInfo& info = InfoOf(check);
  const Weight& weight = info.weights[static_cast<std::size_t>(options_.strictness)];
  if (!weight.level) return;
  Log(*weight.level, std::move(detail), std::string(info.key));
  if (weight.fatal) End(true);
}

void Checker::Report(const std::vector<Finding>& findings) {
  // Reports everything that is wrong with one packet before the run ends for it.
  bool fatal = false;
  for (const Finding& finding : findings) {
    const CheckInfo& info = InfoOf(finding.check);
    const Weight& weight = info.weights[static_cast<std::size_t>(options_.strictness)];
    if (!weight.level) continue;
    Log(*weight.level, finding.detail, std::string(info.key));
    fatal |= weight.fatal;
  }
  if (fatal) End(true);
}

// --- The connection ---

void Checker::Start(const std::string& address) {
  address_ = address;
  Log(Level::kInfo, "Waiting for a game at " + address);
  timeout_timer_.Set(scheduler_, options_.timeout, [this] { OnTimeout(); });
}

bool Checker::OnConnected(const std::string& peer) {
  if (finished_) return false;
  if (connected_) {
    Report(Check::kConnectionSecond, "another connection was attempted from " + peer + " while the game is connected");
    return false;
  }
  connected_ = true;
  closed_ = false;
  Log(Level::kInfo, "A game connected from " + peer);
  Rest();
  return true;
}

void Checker::OnPacket(std::string_view text, bool binary) {
  if (finished_) return;
  ++packets_;
  Rest();
  Log(Level::kDebug, "Received: " + Ellipsize(text, kMaxLoggedPacket));
  Packet packet = ReadPacket(text, options_.strictness, options_.proposals);
  if (binary) {
    packet.findings.insert(packet.findings.begin(),
                           {Check::kPacketBinary, "a packet arrived in a binary message; a text message is expected"});
  }
  Report(packet.findings);
  if (finished_ || !packet.message) return;
  if (std::holds_alternative<neuro::UnknownMessage>(packet.message->body)) return;
  Handle(std::move(*packet.message));
}

void Checker::OnClosed(const net::Closing& closing) {
  if (finished_) return;
  connected_ = false;
  const std::string how =
      "(" + std::to_string(closing.code) + (closing.reason.empty() ? "" : " " + closing.reason) + ")";
  using Cause = net::Closing::Cause;
  if (closing.unfinished) Report(Check::kPacketUnfinished, "the connection ended in the middle of a packet");
  if (closing.cause == Cause::kViolation || closing.cause == Cause::kDropped) {
    Report(Check::kConnectionViolation, "the checker closed the connection " + how);
    return;
  }
  if (packets_ == 0) {
    // A client that only checked whether the port is open.
    Log(Level::kDebug, "The connection ended before any packet arrived " + how);
    quiet_timer_.Cancel();
    return;
  }
  closed_ = true;
  Log(Level::kInfo,
      (closing.cause == Cause::kPeer ? "The game closed the connection " : "The connection ended ") + how);
  End(false);
}

void Checker::OnWrongPath(const std::string& path, const std::string& peer) {
  Report(Check::kConnectionPath, "a connection from " + peer + " came to " + Quote(path) +
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

void Checker::Interrupt() {
  if (finished_) return;
  if (!connected_ || !complete()) Report(Check::kInterrupted, "the run was interrupted" + WhatIsLeft());
  End(false);
}

// --- Packets ---

void Checker::Handle(neuro::ClientMessage message) {
  const bool is_startup = std::holds_alternative<neuro::StartupMessage>(message.body);
  if (!startup_seen_ && !is_startup && !before_startup_reported_) {
    before_startup_reported_ = true;
    Report(Check::kStartupMissing,
           "the first packet of a connection must be `startup`; got " + Quote(CommandOf(message)));
  }
  if (game_.empty()) {
    game_ = message.game;
    result_.game = game_;
  } else if (message.game != game_ && !message.game.empty() && renamed_.insert(message.game).second) {
    Report(Check::kGameRenamed,
           "the game calls itself " + Quote(message.game) + "; before, it called itself " + Quote(game_) + " before");
  }
  const auto* force = std::get_if<neuro::ForceMessage>(&message.body);
  if (force != nullptr && force_) {
    Report(Check::kForceSecond, "a second force arrived while the one for " + force_->said + " is being processed");
    return;
  }
  if (pending_ && !std::holds_alternative<neuro::ResultMessage>(message.body) &&
      !std::holds_alternative<neuro::ContextMessage>(message.body) &&
      !std::holds_alternative<neuro::UnregisterMessage>(message.body)) {
    Report(Check::kPendingUnexpected, "expected the result of action " + Quote(pending_->name) + " (id " +
                                          Quote(pending_->id) + "), `context` or `actions/unregister`; got " +
                                          Quote(CommandOf(message)) + ", which is ignored");
    return;
  }
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
  if (startup_seen_) Report(Check::kStartupAgain, "`startup` was sent again on the same connection");
  startup_seen_ = true;
  actions_.clear();
  port_.ActionsChanged();
  AddContext("startup", game, "Now playing (" + game + ")", true);
}

void Checker::OnContext(const std::string& game, const neuro::ContextMessage& context) {
  AddContext("context", game, context.message, context.silent);
}

void Checker::OnRegister(const std::string& game, neuro::RegisterMessage& message) {
  for (neuro::ActionDefinition& definition : message.actions) {
    if (finished_) return;
    if (Find(definition.name) != nullptr) {
      Report(Check::kActionDuplicate,
             "action " + Quote(definition.name) + " is already registered; the first one is kept");
      continue;
    }
    Registered& action = actions_.emplace_back(Registered{std::move(definition), game, nullptr, false});
    CheckAction(action);
  }
  if (finished_) return;
  port_.ActionsChanged();
}

void Checker::OnUnregister(const neuro::UnregisterMessage& message) {
  for (const std::string& name : message.action_names) {
    std::erase_if(actions_, [&](const Registered& action) { return action.definition.name == name; });
    if (force_) std::erase(force_->names, name);
  }
  port_.ActionsChanged();
  if (force_ && force_->names.empty()) {
    const std::string said = std::move(force_->said);
    force_.reset();
    Report(Check::kForceEmptied, "every action of the force (" + said +
                                     ") was unregistered while the force was being processed; the force is ignored");
  }
}

void Checker::OnForce(const std::string& game, const neuro::ForceMessage& message) {
  if (message.action_names.empty()) {
    Report(Check::kForceEmpty, "the force names no actions and is ignored");
    return;
  }
  Force force;
  for (const std::string& name : message.action_names) {
    if (Find(name) != nullptr) {
      force.names.push_back(name);
    } else {
      Report(Check::kForceUnknownAction, "the force names action " + Quote(name) + ", which is not registered");
    }
  }
  if (force.names.empty()) {
    Report(Check::kForceNoneRegistered, "none of the force's actions are registered; the force is ignored");
    return;
  }
  if (message.ephemeral_context && message.state) AddContext("actions/force", game, *message.state, true);
  force.said = List(force.names);
  force_ = std::move(force);
  AnswerForce();
}

void Checker::OnResult(const std::string& game, const neuro::ResultMessage& result) {
  if (!pending_ || pending_->id != result.id) {
    if (answered_.contains(result.id)) {
      Report(Check::kResultSecond, "action id " + Quote(result.id) + " already has a result; exactly one is expected");
    } else {
      Report(Check::kResultUnknown, "no action was sent with id " + Quote(result.id));
    }
    return;
  }
  Log(Level::kDebug, "Result of action id " + result.id + ": success " + (result.success ? "true" : "false") +
                         ", message " + (result.message.empty() ? "none" : json::Write(json::Value(result.message))));
  AddContext("action/result", game, result.message, true, result.success);
  slow_timer_.Cancel();
  const Pending pending = std::move(*pending_);
  pending_.reset();
  answered_.insert(pending.id);
  if (pending.script_index) steps_[*pending.script_index] = Step::kDone;
  if (pending.record) {
    CheckedAction& record = result_.actions[*pending.record];
    record.outcome = result.success ? CheckedAction::Outcome::kSucceeded : CheckedAction::Outcome::kFailed;
    record.message = result.message;
    record.took = scheduler_.clock().Monotonic() - pending.sent;
  }
  if (force_) {
    if (result.success) {
      force_.reset();
    } else if (pending.unusable) {
      force_.reset();
      Log(Level::kInfo, "The force is given up: without a usable schema, better data cannot be generated");
    } else if (++force_->retries > options_.max_retries) {
      force_.reset();
      Report(Check::kForceRetries, "the force failed " + std::to_string(options_.max_retries + 1) +
                                       " times and is given up; the last message was " +
                                       json::Write(json::Value(result.message)));
    } else {
      AnswerForce();
    }
  }
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
  if (!neuro::IsGoodActionName(name)) {
    Report(Check::kActionName, "action " + Quote(name) + " should be lowercase words joined by _ or -");
  }
  const auto& schema = action.definition.schema;
  if (!schema || (schema->is_object() && schema->get_object().empty())) return;
  CheckSchema(name, *schema, action);
  action.unusable = action.compiled == nullptr;
}

void Checker::CheckSchema(const std::string& name, const json::Value& source, Registered& action) {
  schema::Budget budget(schema::CompileLimits{}.max_steps);
  const Result<schema::Inspection> inspected = schema::Inspect(source, budget);
  if (!inspected) {
    Report(Check::kSchemaInvalid,
           "the schema of action " + Quote(name) + " cannot be used: " + inspected.error().message);
    return;
  }
  const schema::Inspection& inspection = *inspected;
  if (!inspection.is_schema) {
    Report(Check::kSchemaInvalid,
           "the schema of action " + Quote(name) + " must be an object; got " + std::string(json::TypeName(source)));
    return;
  }
  if (inspection.root_types != std::vector<std::string>{"object"}) {
    Report(Check::kSchemaRootType, "the schema of action " + Quote(name) + " should have \"type\": \"object\"");
  }
  std::size_t said = 0;
  for (const schema::KeywordUse& use : inspection.unknown) {
    if (++said > kMaxSchemaFindings) break;
    Report(Check::kSchemaUnknownKeyword, "the schema of action " + Quote(name) + " has the key " + Quote(use.keyword) +
                                             " at " + Quote(inspection.PointerOf(use)) +
                                             ", which JSON Schema does not define");
  }
  said = 0;
  for (const auto* uses : {&inspection.uses, &inspection.unknown}) {
    for (const schema::KeywordUse& use : *uses) {
      if (!options_.denied.Contains(use.keyword) || ++said > kMaxSchemaFindings) continue;
      Report(Check::kSchemaDeniedKeyword, "the schema of action " + Quote(name) + " uses the denied keyword " +
                                              Quote(use.keyword) + " at " + Quote(inspection.PointerOf(use)));
    }
  }
  Result<std::shared_ptr<const schema::Schema>> compiled = schema::Schema::Compile(source);
  if (!compiled) {
    Report(Check::kSchemaInvalid, "the schema of action " + Quote(name) +
                                      " cannot be used: " + compiled.error().message +
                                      (compiled.error().path.empty() ? "" : " (at " + compiled.error().path + ")"));
    return;
  }
  action.compiled = std::move(*compiled);
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
  json::Object entry{{"source", source}, {"game", game}, {"message", message}, {"silent", silent}};
  if (success) entry["success"] = *success;
  context_.push_back(std::move(entry));
  port_.ContextChanged();
}

// --- The end ---

bool Checker::complete() const {
  return !pending_ && !force_ && std::ranges::all_of(steps_, [](Step step) { return step == Step::kDone; });
}

std::string Checker::WhatIsLeft() const {
  std::vector<std::string> never;
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    if (steps_[i] == Step::kWaiting) never.push_back(options_.script[i].action);
  }
  std::string out;
  if (pending_) out += "; action " + Quote(pending_->name) + " (id " + Quote(pending_->id) + ") has no result";
  if (!never.empty()) {
    const bool registered = std::ranges::any_of(
        actions_, [&](const Registered& action) { return action.definition.name == never.front(); });
    out += "; never sent: " + List(never);
    if (!registered) out += " (" + Quote(never.front()) + " is not registered)";
  }
  return out;
}

void Checker::Rest() {
  quiet_timer_.Set(scheduler_, options_.quiet, [this] {
    if (complete()) End(false);
  });
}

void Checker::OnTimeout() {
  const bool scripted = std::ranges::all_of(steps_, [](Step step) { return step == Step::kDone; });
  if (!connected_) {
    Report(Check::kConnectionNone, "no game connected within " + Seconds(options_.timeout));
  } else if (scripted && (!pending_ || scheduler_.clock().Monotonic() - pending_->sent < options_.quiet)) {
    // A game that never ends is always in the middle of something.
    Log(Level::kInfo,
        "Everything is done, but the game is still playing; the run ends after " + Seconds(options_.timeout));
    End(false);
  } else if (pending_) {
    Report(Check::kResultMissing, "the run's " + Seconds(options_.timeout) + " are over" + WhatIsLeft());
  } else {
    Report(Check::kScriptUnfinished, "the run's " + Seconds(options_.timeout) + " are over" + WhatIsLeft());
  }
}

void Checker::End(bool fatal) {
  if (finished_) return;
  if (!fatal) {
    // Findings that are known only at the end.
    if (connected_ && packets_ == 0) Report(Check::kStartupMissing, "the game connected but sent nothing");
    if (closed_ && pending_) {
      Report(Check::kResultMissing, "the game left without answering" + WhatIsLeft());
    } else if (closed_ && !complete()) {
      Report(Check::kScriptUnfinished, "the game left before the script was finished" + WhatIsLeft());
    }
    if (finished_) return;  // those are fatal themselves
  }
  const auto& counts = result_.counts;
  const std::size_t errors =
      counts[static_cast<std::size_t>(Level::kError)] + counts[static_cast<std::size_t>(Level::kCritical)];
  const std::size_t warnings = counts[static_cast<std::size_t>(Level::kWarn)];
  const bool failed = errors > 0 || (options_.fail_on_warn && warnings > 0);
  result_.exit_code = failed ? 1 : 0;
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    if (steps_[i] == Step::kWaiting) AddUnsent(i);
  }
  Log(Level::kInfo, std::string(failed ? "Failed" : "Passed") + ": " + Count(packets_, "packet") + ", " +
                        Count(last_id_, "action") + " sent, " + Count(errors, "error") + ", " +
                        Count(warnings, "warning"));
  result_.ended = scheduler_.clock().Now();
  finished_ = true;
  CancelTimers();
  port_.Finished();
}

void Checker::CancelTimers() {
  settle_timer_.Cancel();
  quiet_timer_.Cancel();
  timeout_timer_.Cancel();
  slow_timer_.Cancel();
}

}  // namespace openseat::checker

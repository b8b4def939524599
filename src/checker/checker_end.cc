// Results, and when and how a run ends.
#include <algorithm>
#include <charconv>
#include <utility>

#include "checker/checker.h"
#include "checker/grade.h"
#include "checker/wording.h"
#include "protocols/neuro/codec.h"

namespace openseat::checker {
namespace {

using neuro::Diagnostic;

constexpr int kIdlePeriods = 5;  // quiet periods without a force that end a run whose game goes on sending

// "1 error", "2 errors".
std::string Count(std::uint64_t number, std::string_view what) {
  return std::to_string(number) + " " + std::string(what) + (number == 1 ? "" : "s");
}

}  // namespace

// --- Results ---

bool Checker::WasAnswered(std::string_view id) const {
  if (!id.starts_with(options_.id_prefix)) return false;
  id.remove_prefix(options_.id_prefix.size());
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(id.data(), id.data() + id.size(), number);
  const bool whole = end == id.data() + id.size() || *end == neuro::kIdTail;
  return error == std::errc() && whole && number > 0 && number <= last_id_;
}

void Checker::OnResult(const std::string& game, const neuro::ResultMessage& result) {
  if (!pending_ || pending_->id != result.id) {
    if (WasAnswered(result.id)) {
      Report(Diagnostic::kResultDuplicate,
             "action id " + Quote(result.id) + " already has a result; exactly one is expected");
    } else {
      Report(Diagnostic::kResultUnexpected, "no action was sent with id " + Quote(result.id));
    }
    return;
  }
  if (!pending_->beside) Asked();
  Log(Level::kDebug, "Result of action id " + result.id + ": success " + (result.success ? "true" : "false") +
                         ", message " + (result.message.empty() ? "none" : json::Write(json::Value(result.message))));
  AddContext("action/result", game, result.message, true, result.success);
  result_timer_.Cancel();
  const Pending pending = std::move(*pending_);
  pending_.reset();
  if (pending.probe) {
    if (result.success)
      Report(Diagnostic::kResultUnknownAction, "the game accepted an action that it never registered");
    return End(false);
  }
  JudgeResult(pending, result);
  if (finished_) return;
  const bool accepted = result.success && !pending.wrong;
  if (accepted && resting_ && std::ranges::find(resting_->names, pending.name) != resting_->names.end()) {
    resting_.reset();  // done unasked
  }
  if (accepted) character_.OnAccepted();
  if (force_ && !AfterTrouble(pending, result)) ContinueForce(pending, result);
}

void Checker::JudgeResult(const Pending& pending, const neuro::ResultMessage& result) {
  const Duration took = scheduler_.clock().Monotonic() - pending.sent;
  CheckedAction none;
  CheckedAction& record = pending.record ? result_.actions[*pending.record] : none;
  record.outcome = result.success ? CheckedAction::Outcome::kSucceeded : CheckedAction::Outcome::kFailed;
  record.message = result.message;
  record.took = took;
  if (took > options_.late) {
    Report(Diagnostic::kResultLate, "the result of action " + Quote(pending.name) + " took " + Seconds(took));
  }
  if (!result.success && result.message.empty()) {
    Report(Diagnostic::kResultNoMessage, "the failing result of action " + Quote(pending.name) + " has no message");
  }
  if (!pending.script_index) return;
  steps_[*pending.script_index] = Step::kDone;
  const Expectation expect = options_.script[*pending.script_index].expect;
  if (result.success && expect == Expectation::kRefused) {
    record.fault = Level::kError;
    Report(Diagnostic::kScriptNotRefused,
           "the script expects that the game refuses action " + Quote(pending.name) + ", but it succeeded");
  } else if (!result.success && (expect == Expectation::kNone || expect == Expectation::kAccepted)) {
    const bool error = options_.refused_fails || expect == Expectation::kAccepted;
    record.fault = error ? Level::kError : Level::kWarn;
    Report(Diagnostic::kResultRefusedValid,
           "the game refused action " + Quote(pending.name) + " of the script; it says " +
               (result.message.empty() ? "nothing" : json::Write(json::Value(result.message))),
           record.fault);
  }
}

void Checker::ContinueForce(const Pending& pending, const neuro::ResultMessage& result) {
  if (result.success) {
    EndForce();
  } else if (force_->names.empty()) {
    ForceEmptied();
  } else if (pending.unusable) {
    EndForce();
    Log(Level::kInfo, "The force is given up: without a usable schema, better data cannot be generated");
  } else if (++force_->retries > options_.max_retries) {
    Report(Diagnostic::kForceGaveUp, "the force failed " + std::to_string(options_.max_retries + 1) +
                                         " times and is given up; the last message was " +
                                         json::Write(json::Value(result.message)));
    EndForce();
  } else if (profile_.force_attempts > 0 && force_->retries % profile_.force_attempts == 0) {
    LetRest(result.message);
  } else {
    Ponder();
  }
}

void Checker::EndForce() {
  const bool further = force_->further;
  force_.reset();
  if (!further || options_.until != Until::kScript || options_.max_forces == 0) return;
  if (++further_forces_ < options_.max_forces || !complete()) return;
  Log(Level::kInfo, "The script is done, and " + Count(static_cast<std::uint64_t>(further_forces_), "further force") +
                        " had an answer; the run ends");
  Finish();
}

// --- The end ---

bool Checker::scripted() const {
  return std::ranges::all_of(steps_, [](Step step) { return step == Step::kDone; });
}

bool Checker::complete() const {
  return !pending_ && !force_ && !resting_ && scripted();
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

void Checker::WaitForGame() {
  const Duration left = started_ + options_.connect_timeout - scheduler_.clock().Monotonic();
  connect_timer_.Set(scheduler_, std::max(left, Duration(0)), [this] {
    Report(Diagnostic::kConnectionNone, "no game connected within " + Seconds(options_.connect_timeout));
  });
}

void Checker::Rest(bool only_context) {
  const bool counts = options_.until == Until::kQuiet || (options_.until == Until::kScript && !only_context);
  if (!counts) return;
  quiet_timer_.Set(scheduler_, options_.quiet, [this] {
    if (complete()) Finish();
  });
}

void Checker::Asked() {
  if (options_.until != Until::kScript) return;
  idle_timer_.Set(scheduler_, kIdlePeriods * options_.quiet, [this] {
    if (!complete()) return Asked();
    Log(Level::kInfo, "The script is done, and the game forced nothing for " + Seconds(kIdlePeriods * options_.quiet) +
                          "; the run ends");
    Finish();
  });
}

void Checker::OnTimeout() {
  const std::string over = "the run's " + Seconds(options_.timeout) + " are over";
  const bool waits = pending_ && scheduler_.clock().Monotonic() - pending_->sent >= options_.quiet;
  if (!scripted() || waits) {
    Report(pending_ ? Diagnostic::kResultMissing : Diagnostic::kScriptUnfinished, over + WhatIsLeft());
  } else if (options_.until == Until::kExit) {
    Report(Diagnostic::kRunTimeout, over + ", and the game has not closed the connection");
  } else {
    // A game that never ends is always in the middle of something.
    Log(Level::kInfo, "Everything is done, and the run ends after " + Seconds(options_.timeout));
    Finish();
  }
}

void Checker::Finish() {
  if (options_.probe && connected_ && !pending_ && !probed_) return SendProbe();
  End(false);
}

void Checker::SendProbe() {
  probed_ = true;
  constexpr std::string_view kName = "openseat_probe_of_an_unknown_action";
  const std::string id = options_.id_prefix + std::to_string(++last_id_);
  pending_ = Pending{id, std::string(kName), std::nullopt, std::nullopt, false, scheduler_.clock().Monotonic(), true};
  Log(Level::kDebug, "Sent action: id " + id + ", name " + std::string(kName) + ", data none");
  CancelTimers();
  result_timer_.Set(scheduler_, options_.probe_timeout, [this] {
    pending_.reset();
    Report(Diagnostic::kResultUnknownAction, "the game did not answer an action that it never registered");
    End(false);
  });
  std::string packet;
  neuro::EncodeAction(id, kName, std::nullopt, packet);
  port_.Send(packet);
}

void Checker::End(bool fatal) {
  if (finished_) return;
  if (!fatal) ReportAtEnd();
  if (finished_) return;  // a finding was fatal itself
  Conclude();
  finished_ = true;
  CancelTimers();
  port_.Finished();
}

// Findings that are known only at the end.
void Checker::ReportAtEnd() {
  if (connected_ && packets_ == 0) Report(Diagnostic::kStartupMissing, "the game connected but sent nothing");
  if (closed_ && pending_ && pending_->probe) {
    Report(Diagnostic::kResultUnknownAction,
           "the game closed the connection when it got an action that it never registered");
  } else if (closed_ && pending_) {
    Report(Diagnostic::kResultMissing, "the game left without answering" + WhatIsLeft());
  } else if (closed_ && !complete()) {
    Report(Diagnostic::kScriptUnfinished, "the game left before the script was finished" + WhatIsLeft());
  }
  const auto& counts = result_.counts;
  const bool sound = counts[static_cast<std::size_t>(Level::kError)] == 0;
  if (!finished_ && sound && !result_.tested && options_.script.empty()) {
    Report(Diagnostic::kScriptNothing, "the game registered no action, and the script has none");
  }
}

void Checker::Conclude() {
  for (FoundRule& found : result_.rules) found.count = std::max(found.count, practice_.count(found.rule));
  const auto& counts = result_.counts;
  const std::size_t errors =
      counts[static_cast<std::size_t>(Level::kError)] + counts[static_cast<std::size_t>(Level::kCritical)];
  const std::size_t warnings = counts[static_cast<std::size_t>(Level::kWarn)];
  const bool failed = errors > 0 || (options_.fail_on_warn && failing_warnings_ > 0);
  result_.exit_code = failed ? 1 : 0;
  result_.ended = scheduler_.clock().Now();
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    if (steps_[i] == Step::kWaiting) AddUnsent(i);
  }
  if (const std::string left_out = limit_.LeftOut(); !left_out.empty()) Log(Level::kInfo, "Left out: " + left_out);
  if (context_left_out_ > 0) {
    Log(Level::kInfo, "The context store lacks " + Count(context_left_out_, "later text") + ": it is full");
  }
  const Grade grade = GradeOf(result_);
  Log(Level::kInfo, "Grade: " + GradeText(grade));
  int place = 0;
  for (const Cost& cost : grade.costliest) {
    Log(Level::kInfo, std::to_string(++place) + ". costs " + std::to_string(cost.points) + ": " + CostText(cost));
  }
  Log(Level::kInfo, std::string(failed ? "Failed" : "Passed") + ": " + Count(packets_, "packet") + ", " +
                        Count(last_id_, "action") + " sent, " + Count(errors, "error") + ", " +
                        Count(warnings, "warning"));
}

void Checker::CancelTimers() {
  settle_timer_.Cancel();
  think_timer_.Cancel();
  rest_timer_.Cancel();
  character_.Stop();
  quiet_timer_.Cancel();
  idle_timer_.Cancel();
  connect_timer_.Cancel();
  timeout_timer_.Cancel();
  result_timer_.Cancel();
}

}  // namespace openseat::checker

// CheckResult: what a checker run found, for the summary, the annotations and the JUnit file. A plain value.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "checker/log.h"
#include "protocols/neuro/diagnostics.h"

namespace openseat::checker {

// An action that the checker sent, or a scripted one that it could not send.
struct CheckedAction {
  enum class Outcome : std::uint8_t { kNotSent, kNoResult, kSucceeded, kFailed };
  std::string name;
  std::string id;           // "" if not sent
  std::string data;         // JSON text, "" if it takes none
  bool scripted = false;    // a script entry
  bool forced = false;      // answers an actions/force
  bool on_purpose = false;  // its data is wrong on purpose, by the profile
  bool replaced = false;    // the script's data did not match; generated data was sent
  Outcome outcome = Outcome::kNotSent;
  std::string message;           // of the result
  std::optional<Duration> took;  // from the action to its result
  std::optional<Level> fault;    // of the finding that the game did not do what the script expects
};

// A rule that found something.
struct FoundRule {
  neuro::Diagnostic rule;
  Level level = Level::kInfo;  // the worst
  std::size_t count = 0;
  std::string first;  // the first finding's sentence
};

struct CheckResult {
  std::string run_id;
  std::string game;  // the game's latest name, "" if it never gave one
  Time started;
  Time ended;
  int exit_code = 0;  // 0 or 1
  bool passed() const { return exit_code == 0; }

  std::array<std::size_t, kLevels> counts{};  // of log lines, by level
  std::vector<LogLine> findings;              // warn and above, in order, at most kMaxFindings
  static constexpr std::size_t kMaxFindings = 1000;
  std::vector<FoundRule> rules;        // in the order found
  bool tested = false;                 // the game registered something, or was sent an action
  std::vector<CheckedAction> actions;  // in the order sent, then those not sent; at most kMaxActions
  static constexpr std::size_t kMaxActions = 1000;

  std::string log_file;
  std::string actions_store;
  std::string context_store;
};

}  // namespace openseat::checker

// What passes between a table and whoever sits at a seat: Decision, Choice, Verdict, Context. Plain values.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/json.h"
#include "base/result.h"
#include "base/time.h"
#include "core/action.h"
#include "core/ids.h"
#include "core/sight.h"

namespace openseat {

enum class Priority : std::uint8_t { kLow, kMedium, kHigh, kCritical };
std::string_view PriorityName(Priority priority);  // "low" …
std::optional<Priority> ParsePriority(std::string_view name);

// The table asks a seat to choose now.
struct Decision {
  DecisionId id;      // given by the seat (Seat::Ask)
  std::string query;  // what is asked, in a sentence
  // What the seat sees meanwhile; never null.
  std::shared_ptr<const Sight> sight = Sight::None();
  bool ephemeral = false;  // query and sight are to be forgotten with the decision
  Priority priority = Priority::kLow;
  ActionSet actions;                   // what may be chosen; never empty
  std::optional<Duration> time_limit;  // from the first time it is asked
  // Filled by the seat:
  Time asked{};  // the first time
  // … and when it asks again:
  int attempt = 1;      // 1, 2 …
  std::string refusal;  // why the last choice was refused
};

// The answer: an action's name and its data. Voluntary where `decision` is empty.
struct Choice {
  std::string action;
  json::Value data{};  // null: none given
  std::optional<DecisionId> decision{};
  // The referee is not to check it: sent to the game as it is. For agents that test how a game takes bad data; hosted
  // games check all the same. `raw`, where set, is sent instead of `data` and may be no JSON at all.
  bool unchecked = false;
  std::optional<std::string> raw{};
  std::string by{};  // who chose, where it was not the seat's agent: "console", "client"
};

struct Verdict {
  enum class Kind : std::uint8_t {
    kAccepted,
    kRefused,   // with a message that lets the agent do better; a decision is asked again
    kTimedOut,  // the game never said; counts as refused, is not asked again
    kLost,      // it never counted: the game's connection went, or it could not be journalled; may be asked again
  };
  Kind kind = Kind::kAccepted;
  std::string message;
  json::Value result;  // of a hosted game's action; null otherwise
  // Why it is not accepted: the rules' word in a hosted game (core/judge.h), or the match's (kClosed, kIo …).
  ErrorCode code = ErrorCode::kIncorrectMove;
  std::string path{};  // what of the data is wrong; may be empty

  bool accepted() const { return kind == Kind::kAccepted; }
  // REQUIRES !accepted().
  Error error() const { return {code, message, path}; }
  static Verdict Refused(Error error) {
    return {Kind::kRefused, std::move(error.message), nullptr, error.code, std::move(error.path)};
  }
};
std::string_view VerdictName(Verdict::Kind kind);  // "accepted" …

// Something a seat is told.
struct Context {
  std::string message;
  bool silent = true;      // false: an answer would be welcome
  bool ephemeral = false;  // forgotten with the decision it belongs to
};

// How a decision ended.
enum class DecisionEnd : std::uint8_t {
  kSettled,    // by an accepted choice
  kReplaced,   // by another decision of the same table
  kWithdrawn,  // by the table, or none of its actions is left
  kGaveUp,     // refused too often
  kTimedOut,   // its time limit, or no verdict came
  kLost,       // a choice was under way, and its verdict is kLost
};
std::string_view DecisionEndName(DecisionEnd end);

// Adds "asked" and, where there is a time limit, "deadline" (ISO 8601) to what is shown of a pending decision.
void AddTimes(const Decision& decision, json::Object& shown);

}  // namespace openseat

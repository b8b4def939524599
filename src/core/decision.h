// The values that pass between a table and the agent at a seat: Decision, Choice, Verdict, Context. Plain values.
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
  DecisionId id;      // set by the seat (Seat::Ask)
  std::string query;  // the question, as a sentence
  // What the seat sees meanwhile; never null.
  std::shared_ptr<const Sight> sight = Sight::None();
  bool ephemeral = false;  // query and sight must be forgotten with the decision
  Priority priority = Priority::kLow;
  ActionSet actions;                   // what may be chosen; never empty
  std::optional<Duration> time_limit;  // counted from the first time it is asked
  // Set by the seat:
  Time asked{};  // the first time
  // … and when it asks again:
  int attempt = 1;      // 1, 2 …
  std::string refusal;  // why the last choice was refused
  bool last = false;    // one more refusal, and it is given up
};

// The answer: an action's name and its data. Voluntary if `decision` is empty.
struct Choice {
  std::string action;
  json::Value data{};  // null: none given
  std::optional<DecisionId> decision{};
  // Asks the referee not to check it: it is sent to the game unchanged. For agents that test how a game handles bad
  // data; hosted games check it anyway. If `raw` is set, it is sent instead of `data` and need not be JSON.
  bool unchecked = false;
  std::optional<std::string> raw{};
  // Not an answer, though a decision may be pending: any action of the seat, and its verdict leaves the decision alone.
  bool beside = false;
  std::string by{};                // who chose, if not the seat's agent: "console", "client"
  std::optional<double> cpu_ms{};  // the CPU time that the agent's program spent on it, if it is known
  std::string retry{};             // which request made it, for a client that repeats it; journaled (core/retries.h)
};

struct Verdict {
  enum class Kind : std::uint8_t {
    kAccepted,
    kRefused,   // with a message that lets the agent do better; a decision is asked again
    kTimedOut,  // the game never answered; counts as refused, is not asked again
    kLost,      // it never counted: the game's connection was lost, or it could not be journaled; may be asked again
  };
  Kind kind = Kind::kAccepted;
  std::string message;  // accepted: what happened, for a player to read; may be empty
  json::Value result;   // for a hosted game's action; otherwise null
  // Why it is not accepted: the rules' error in a hosted game (core/judge.h), or the match's (kClosed, kIo …).
  ErrorCode code = ErrorCode::kIncorrectMove;
  std::string path{};  // what is wrong with the data; may be empty

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
  kWithdrawn,  // by the table, or because none of its actions is left
  kGaveUp,     // refused too often
  kTimedOut,   // its time limit passed, or no verdict came
  kLost,       // a choice was in progress, and its verdict is kLost
};
std::string_view DecisionEndName(DecisionEnd end);

// Adds "asked" and, if there is a time limit, "deadline" (ISO 8601) to the JSON of a pending decision.
void AddTimes(const Decision& decision, json::Object& shown);

}  // namespace openseat

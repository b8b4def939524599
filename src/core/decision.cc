#include "core/decision.h"

#include "base/check.h"

namespace openseat {

std::string_view PriorityName(Priority priority) {
  switch (priority) {
    case Priority::kLow:
      return "low";
    case Priority::kMedium:
      return "medium";
    case Priority::kHigh:
      return "high";
    case Priority::kCritical:
      return "critical";
  }
  CheckFailed("Priority", __FILE__, __LINE__, "a Priority outside its enum");
}

std::optional<Priority> ParsePriority(std::string_view name) {
  if (name == "low") return Priority::kLow;
  if (name == "medium") return Priority::kMedium;
  if (name == "high") return Priority::kHigh;
  if (name == "critical") return Priority::kCritical;
  return std::nullopt;
}

std::string_view VerdictName(Verdict::Kind kind) {
  switch (kind) {
    case Verdict::Kind::kAccepted:
      return "accepted";
    case Verdict::Kind::kRefused:
      return "refused";
    case Verdict::Kind::kTimedOut:
      return "timed-out";
    case Verdict::Kind::kLost:
      return "lost";
  }
  CheckFailed("Verdict::Kind", __FILE__, __LINE__, "a Verdict::Kind outside its enum");
}

std::string_view DecisionEndName(DecisionEnd end) {
  switch (end) {
    case DecisionEnd::kSettled:
      return "settled";
    case DecisionEnd::kReplaced:
      return "replaced";
    case DecisionEnd::kWithdrawn:
      return "withdrawn";
    case DecisionEnd::kGaveUp:
      return "gave-up";
    case DecisionEnd::kTimedOut:
      return "timed-out";
    case DecisionEnd::kLost:
      return "lost";
  }
  CheckFailed("DecisionEnd", __FILE__, __LINE__, "a DecisionEnd outside its enum");
}

void AddTimes(const Decision& decision, json::Object& shown) {
  shown["asked"] = FormatIso8601(decision.asked);
  if (decision.time_limit) shown["deadline"] = FormatIso8601(decision.asked + *decision.time_limit);
}

}  // namespace openseat

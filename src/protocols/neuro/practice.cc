// Dispatch, context, forces and results; what is registered is in practice_actions.cc.
#include "protocols/neuro/practice.h"

#include <algorithm>
#include <bit>
#include <string>
#include <utility>

#include "base/json.h"
#include "base/text.h"

namespace openseat::neuro {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr Duration kSettling = seconds(5);  // after a startup, when a game says everything at once
constexpr std::size_t kBurst = 10, kMany = 30;
constexpr std::size_t kContextsPerResult = 3;  // a fast agent makes a game talk fast
constexpr std::size_t kStreamed = 5;
constexpr std::size_t kLongContext = 400, kDump = 200;
constexpr std::size_t kTimesRepeated = 4;
constexpr unsigned kLastForces = 0b11111;
constexpr Duration kAtOnce = milliseconds(250);
constexpr int kTimes = 3;
constexpr std::size_t kBulkyState = 1'000, kLongState = 8'000, kLongList = 60, kLongMessage = 1'000, kVagueMessage = 15;
constexpr int kSilentSuccesses = 10;
constexpr std::size_t kSameText = 5;
constexpr Duration kNews = seconds(2);
constexpr std::size_t kRemembered = 64;  // of each kind

bool IsBlankText(std::string_view text) {
  return text.find_first_not_of(" \t\r\n") == std::string_view::npos;
}

std::string Short(std::string_view text) {
  return Quote(text, kMaxQuoted);
}

template <typename Each>
void ForEachLine(std::string_view text, const Each& each) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    each(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

void DropBefore(std::vector<Instant>& times, Instant first) {
  times.erase(times.begin(), std::ranges::lower_bound(times, first));
}

std::size_t CountSince(const std::vector<Instant>& times, Instant first) {
  return static_cast<std::size_t>(times.end() - std::ranges::lower_bound(times, first));
}

}  // namespace

void Practice::Saw(const ClientMessage& message, Instant now) {
  if (std::holds_alternative<StartupMessage>(message.body)) {
    s_ = Session();
    s_.started = now;
    const bool identifier = std::ranges::all_of(
        message.game, [](char c) { return (c >= 'a' && c <= 'z') || IsDigit(c) || c == '_' || c == '-'; });
    if (identifier && message.game.find_first_of("_-") != std::string::npos) {
      Found(Diagnostic::kGameDisplayName, "the game calls itself " + Short(message.game) + ", like an identifier");
    }
  }
  CheckSilence(now);
  s_.last = now;
  std::visit([&](const auto& body) { See(body, now); }, message.body);
}

void Practice::BeginRun() {
  counts_.clear();
  told_.clear();
  told_before_.clear();
}

void Practice::Reconnected() {
  for (const std::size_t hash : told_) {
    if (std::ranges::find(told_before_, hash) == told_before_.end()) told_before_.push_back(hash);
  }
  told_.clear();
  if (told_before_.size() > kRemembered) told_before_.erase(told_before_.begin(), told_before_.end() - kRemembered);
}

void Practice::Sent(std::string_view id, std::string_view action) {
  std::erase_if(s_.sent, [&](const auto& each) { return each.first == id; });
  if (s_.sent.size() >= kRemembered) s_.sent.erase(s_.sent.begin());
  s_.sent.emplace_back(id, action);
  if (const auto found = s_.registrations.find(action); found != s_.registrations.end()) found->second.used = true;
}

std::size_t Practice::count(Diagnostic rule) const {
  const auto found = counts_.find(rule);
  return found == counts_.end() ? 0 : found->second;
}

void Practice::Found(Diagnostic rule, std::string detail) {
  if (++counts_[rule] == 1) report_(rule, std::move(detail));
}

void Practice::CheckHeading(std::string_view member, std::string_view text) {
  if (text.find('#') == std::string_view::npos) return;
  bool code = false;
  bool found = false;
  ForEachLine(text, [&](std::string_view line) {
    if (line.starts_with("```")) code = !code;
    if (code || found || !line.starts_with("# ")) return;
    found = true;
    Found(Diagnostic::kContextHeading, "`" + std::string(member) + "` has the heading " + Short(line));
  });
}

void Practice::CheckSilence(Instant now) {
  if (s_.forced_once || !s_.first_registration || !s_.last) return;
  if (now - *s_.first_registration < minutes(3) || now - *s_.last < seconds(60)) return;
  Found(Diagnostic::kForceNever,
        "actions were registered " + std::to_string((now - *s_.first_registration) / seconds(1)) +
            " s ago and never forced, and nothing came for " + std::to_string((now - *s_.last) / seconds(1)) + " s");
}

// --- Context ---

void Practice::See(const ContextMessage& context, Instant now) {
  s_.last_context = now;
  if (s_.silent_success && now - *s_.silent_success <= kNews) {
    s_.silent_success.reset();
    s_.silent_successes = 0;
  }
  const std::string_view text = context.message;
  if (IsBlankText(text)) return Found(Diagnostic::kContextEmpty, "a context has no text");
  CheckHeading("message", text);
  const char first = text[text.find_first_not_of(" \t\r\n")];
  if (text.size() >= kDump && (first == '{' || first == '[')) {
    const Result<json::Value> document = json::Parse(text, json::kInnerLimits);
    if (document || document.error().code == ErrorCode::kTooLarge) {
      Found(Diagnostic::kContextDump, "a context is a JSON document of " + std::to_string(text.size()) + " bytes");
    }
  }
  CheckRepeated(text, now);
  if (now - s_.started < kSettling) return;
  CheckFlood(now);
  CheckTelemetry(text, now);
}

void Practice::CheckFlood(Instant now) {
  s_.contexts.push_back(now);
  DropBefore(s_.contexts, now - seconds(60));
  DropBefore(s_.results, now - seconds(60));
  const auto over = [&](Duration window, std::size_t most) {
    const std::size_t contexts = CountSince(s_.contexts, now - window);
    if (contexts <= most + kContextsPerResult * CountSince(s_.results, now - window)) return false;
    Found(Diagnostic::kContextFlood,
          std::to_string(contexts) + " contexts came within " + std::to_string(window / seconds(1)) + " s");
    return true;
  };
  // Counted once per burst.
  if (over(seconds(10), kBurst) || over(seconds(60), kMany)) s_.contexts.clear();
}

void Practice::CheckTelemetry(std::string_view message, Instant now) {
  std::string blanked(message.substr(0, 2 * kDump));
  bool digits = false;
  for (char& c : blanked) {
    if (!IsDigit(c)) continue;
    c = '0';
    digits = true;
  }
  // However many digits a number has.
  blanked.erase(std::unique(blanked.begin(), blanked.end(), [](char a, char b) { return a == '0' && b == '0'; }),
                blanked.end());
  if (!digits || blanked != s_.blanked) s_.streamed.clear();
  s_.blanked = std::move(blanked);
  s_.streamed.push_back(now);
  DropBefore(s_.streamed, now - seconds(30));
  if (s_.streamed.size() < kStreamed) return;
  Found(Diagnostic::kContextTelemetry,
        std::to_string(kStreamed) + " contexts in a row differ only in numbers, as in " + Short(message));
  s_.streamed.clear();
}

void Practice::CheckRepeated(std::string_view message, Instant now) {
  if (message.size() < kLongContext) return;
  const std::size_t hash = std::hash<std::string_view>()(message);
  if (std::erase(told_before_, hash) > 0) {
    Found(Diagnostic::kContextToldAgain, "a context of " + std::to_string(message.size()) +
                                             " bytes was told before the connection was lost: " + Short(message));
  }
  if (told_.size() < kRemembered && std::ranges::find(told_, hash) == told_.end()) told_.push_back(hash);
  std::erase_if(s_.long_contexts, [&](const Said& said) { return said.when < now - minutes(5); });
  if (s_.long_contexts.size() > kRemembered) s_.long_contexts.erase(s_.long_contexts.begin());
  s_.long_contexts.push_back({hash, now});
  const auto times = std::ranges::count(s_.long_contexts, hash, &Said::text);
  if (static_cast<std::size_t>(times) < kTimesRepeated) return;
  Found(Diagnostic::kContextRepeated,
        "the same context of " + std::to_string(message.size()) + " bytes came for the 4th time: " + Short(message));
  std::erase_if(s_.long_contexts, [&](const Said& said) { return said.text == hash; });
}

// --- Forces ---

void Practice::See(const ForceMessage& force, Instant now) {
  s_.forced_once = true;
  s_.streamed.clear();
  std::erase_if(s_.fresh_changes, [&](Instant when) { return now - when <= seconds(1); });
  CheckChurn(now);
  if (IsBlankText(force.query)) Found(Diagnostic::kForceNoQuery, "a force has no `query`");
  CheckHeading("query", force.query);
  CheckPriority(force.priority, now);
  CheckChain(force, now);
  CheckState(force);
  if (!force.state && s_.last_context && now - *s_.last_context <= kAtOnce && ++s_.contexts_before_forces == kTimes) {
    s_.contexts_before_forces = 0;
    Found(Diagnostic::kContextState, "3 forces without `state` came right after a context");
  }
  if (force.state && s_.silent_success && now - *s_.silent_success <= kNews) {
    s_.silent_success.reset();
    s_.silent_successes = 0;
  }
  for (const std::string& name : force.action_names) {
    if (const auto found = s_.registrations.find(name); found != s_.registrations.end()) found->second.used = true;
  }
  s_.forced.assign(
      force.action_names.begin(),
      force.action_names.begin() + static_cast<std::ptrdiff_t>(std::min(force.action_names.size(), kMostForced)));
  s_.just_played = false;
  s_.same_failures = 0;
  s_.last_failure.clear();
}

void Practice::CheckPriority(Priority priority, Instant now) {
  ++s_.priorities[static_cast<std::size_t>(priority)];
  std::size_t forces = 0;
  for (const std::size_t each : s_.priorities) forces += each;
  const std::size_t critical = s_.priorities[static_cast<std::size_t>(Priority::kCritical)];
  const std::size_t high = s_.priorities[static_cast<std::size_t>(Priority::kHigh)];
  if (priority == Priority::kCritical) {
    s_.critical.push_back(now);
    DropBefore(s_.critical, now - seconds(60));
    if (s_.critical.size() >= 3) {
      s_.critical.clear();
      return Found(Diagnostic::kForceUrgent, "3 forces within 60 s have priority `critical`");
    }
  }
  if (forces >= 8 && (critical * 4 > forces || critical + high == forces)) {
    s_.priorities = {};
    Found(Diagnostic::kForceUrgent, "of " + std::to_string(forces) + " forces, " + std::to_string(critical) +
                                        " have priority `critical` and " + std::to_string(high) + " `high`");
  }
}

void Practice::CheckState(const ForceMessage& force) {
  const std::string_view state = force.state ? std::string_view(*force.state) : std::string_view();
  CheckHeading("state", state);
  const bool bulky = state.size() >= kBulkyState && !force.ephemeral_context;
  s_.remembered = (s_.remembered << 1 | (bulky ? 1 : 0)) & kLastForces;
  if (std::popcount(s_.remembered) >= kTimes) {
    s_.remembered = 0;
    Found(Diagnostic::kForceRemembered, "3 of the last 5 forces had a `state` that is remembered, the last one of " +
                                            std::to_string(state.size()) + " bytes");
  }
  if (state.size() <= kLongList * 2) return;  // a line takes two bytes
  std::size_t listed = 0;
  ForEachLine(state, [&](std::string_view line) {
    const std::size_t text = line.find_first_not_of(" \t");
    if (text == std::string_view::npos) return;
    const char c = line[text];
    listed += c == '-' || c == '*' || IsDigit(c) ? 1 : 0;
  });
  if (state.size() > kLongState || listed > kLongList) {
    Found(Diagnostic::kForceLong,
          "a `state` has " + std::to_string(state.size()) + " bytes and " + std::to_string(listed) + " list lines");
  }
}

void Practice::CheckChain(const ForceMessage& force, Instant now) {
  if (force.action_names.size() > kMostForced) {
    s_.links = 0;
    return;
  }
  const bool at_once = s_.last_success && now - *s_.last_success <= kAtOnce;
  const auto is_small = [&](const std::string& name) {
    const auto found = s_.registered.find(name);
    return found != s_.registered.end() && found->second.properties <= 1;
  };
  const auto is_other = [&](const std::string& name) { return std::ranges::find(s_.forced, name) == s_.forced.end(); };
  const bool link =
      at_once && std::ranges::all_of(force.action_names, is_other) && std::ranges::all_of(force.action_names, is_small);
  s_.links = link ? s_.links + 1 : 0;
  if (s_.links < kTimes) return;
  s_.links = 0;
  if (++s_.chains < kTimes) return;
  s_.chains = 0;
  Found(Diagnostic::kForceChained, "3 forces followed each other at once, 3 times, each for a small part of a choice");
}

// --- Results ---

void Practice::See(const ResultMessage& result, Instant now) {
  const auto sent = std::ranges::find(s_.sent, result.id, &std::pair<std::string, std::string>::first);
  const std::string action = sent == s_.sent.end() ? std::string() : std::move(sent->second);
  if (sent != s_.sent.end()) s_.sent.erase(sent);
  s_.streamed.clear();
  s_.results.push_back(now);
  if (s_.results.size() > 1'000) s_.results.erase(s_.results.begin(), s_.results.begin() + 500);
  CheckChurn(now);
  if (!result.success) return CheckFailure(result);
  if (!action.empty()) CheckSuccess(action, result, now);
}

void Practice::CheckFailure(const ResultMessage& result) {
  if (IsBlankText(result.message)) return;  // another rule's
  s_.same_failures = result.message == s_.last_failure ? s_.same_failures + 1 : 1;
  s_.last_failure = result.message;
  if (result.message.size() < kVagueMessage) {
    Found(Diagnostic::kResultVague, "a failing result only says " + Short(result.message));
  } else if (s_.same_failures == kTimes) {
    Found(Diagnostic::kResultVague, "3 failing results of one force say the same: " + Short(result.message));
  }
}

void Practice::CheckSuccess(const std::string& action, const ResultMessage& result, Instant now) {
  s_.just_played = s_.just_played || std::ranges::find(s_.forced, action) != s_.forced.end();
  s_.last_success = now;
  if (s_.silent_successes >= kSilentSuccesses) {
    s_.silent_successes = 0;
    Found(Diagnostic::kResultSameText,
          std::to_string(kSilentSuccesses) +
              " successful results in a row said nothing, and no context or state followed");
  }
  if (IsBlankText(result.message)) {
    s_.silent_success = now;
    ++s_.silent_successes;
    return;
  }
  s_.silent_successes = 0;
  if (result.message.size() > kLongMessage) {
    Found(Diagnostic::kResultLong,
          "the successful result of " + Short(action) + " has " + std::to_string(result.message.size()) + " bytes");
  }
  if (result.message.size() > kDump || s_.said.size() >= kRemembered) return;
  std::vector<std::string>& actions = s_.said[result.message];
  if (actions.size() >= kSameText || std::ranges::find(actions, action) != actions.end()) return;
  actions.push_back(action);
  if (actions.size() == kSameText) {
    Found(Diagnostic::kResultSameText, "5 different actions have the same message: " + Short(result.message));
  }
}

}  // namespace openseat::neuro

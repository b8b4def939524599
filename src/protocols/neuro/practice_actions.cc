// What a game registers, how often, and how it describes it.
#include <algorithm>
#include <array>
#include <functional>
#include <utility>

#include "base/json.h"
#include "base/text.h"
#include "protocols/neuro/practice.h"

namespace openseat::neuro {
namespace {

using std::chrono::seconds;

constexpr Duration kOpening = seconds(5);   // after a startup, when a game registers one by one
constexpr std::size_t kMostNames = 2'000;   // remembered
constexpr std::size_t kMostCompared = 200;  // registered actions among which alike ones are looked for
constexpr std::size_t kMostChanges = 12;
constexpr std::size_t kTooMany = 40;
constexpr std::size_t kAlike = 5;
constexpr std::size_t kLongDescription = 300;
constexpr int kSentences = 3;
constexpr int kAgain = 5, kEnumChurn = 4, kLate = 3;

constexpr auto kVague = std::to_array<std::string_view>({"action", "option", "choice", "button", "item", "do", "test"});
constexpr auto kListVerbs = std::to_array<std::string_view>({"list", "get", "show", "help"});
constexpr auto kListNouns = std::to_array<std::string_view>({"action", "actions", "command", "commands"});
// What may change about a schema without changing its form.
constexpr auto kFluid =
    std::to_array<std::string_view>({"enum", "const", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum",
                                     "minLength", "maxLength", "minItems", "maxItems"});

std::string Named(std::string_view name) {
  return Quote(name, kMaxQuoted);
}

void Mix(std::size_t& hash, std::size_t other) {
  hash ^= other + 0x9e3779b97f4a7c15 + (hash << 6) + (hash >> 2);
}

std::size_t ValueHash(const json::Value& value, bool form) {
  if (const json::String* text = value.if_string()) return std::hash<std::string_view>()(json::View(*text));
  std::size_t hash = static_cast<std::size_t>(value.kind());
  if (const json::Array* array = value.if_array()) {
    for (const json::Value& item : *array) Mix(hash, ValueHash(item, form));
  } else if (const json::Object* object = value.if_object()) {
    for (const auto& member : *object) {
      const std::string_view name = json::KeyOf(member);
      Mix(hash, std::hash<std::string_view>()(name));
      if (!form || std::ranges::find(kFluid, name) == kFluid.end()) Mix(hash, ValueHash(member.value(), form));
    }
  } else if (value.is_number()) {
    Mix(hash, std::hash<double>()(value.to_number<double>()));
  } else if (value.is_bool()) {
    Mix(hash, value.get_bool() ? 1 : 2);
  }
  return hash;
}

std::size_t SchemaHash(const ActionDefinition& action, bool form) {
  return action.schema ? ValueHash(*action.schema, form) : 0;
}

std::vector<std::string_view> WordsOf(std::string_view name) {
  std::vector<std::string_view> words;
  while (!name.empty()) {
    const std::size_t end = std::min(name.find_first_of("_-"), name.size());
    if (end > 0) words.push_back(name.substr(0, end));
    name.remove_prefix(std::min(end + 1, name.size()));
  }
  return words;
}

template <std::size_t N>
bool IsOneOf(std::string_view word, const std::array<std::string_view, N>& words) {
  return std::ranges::find(words, word) != words.end();
}

// Without digits, or without the last word.
std::string WithoutDigits(std::string_view name) {
  std::string out(name);
  std::erase_if(out, IsDigit);
  return out;
}
std::string WithoutLastWord(std::string_view name) {
  const std::size_t joint = name.find_last_of("_-");
  return joint == std::string_view::npos ? std::string() : std::string(name.substr(0, joint)) + "_*";
}

// A sentence ends where a new one begins with a capital, or with the text.
int Sentences(std::string_view text) {
  int sentences = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '.' && text[i] != '!' && text[i] != '?') continue;
    const std::size_t next = text.find_first_not_of(" \n", i + 1);
    if (next == std::string_view::npos || (next > i + 1 && text[next] >= 'A' && text[next] <= 'Z')) ++sentences;
  }
  return sentences;
}

}  // namespace

void Practice::See(const RegisterMessage& message, Instant now) {
  bool changed = false;
  for (const ActionDefinition& action : message.actions) {
    if (!s_.first_registration) s_.first_registration = now;
    CheckDefinition(action);
    if (action.name.size() > kMostNameBytes) continue;  // it is not remembered
    CheckRegisteredAgain(action);
    if (s_.registered.size() >= kMostNames) continue;
    const json::Value* properties = action.schema ? json::Find(*action.schema, "properties") : nullptr;
    const Registered registered{SchemaHash(action, false),
                                properties != nullptr && properties->is_object() ? properties->get_object().size() : 0};
    changed |= s_.registered.insert_or_assign(action.name, registered).second;
  }
  if (s_.registered.size() > kTooMany) {
    Found(Diagnostic::kActionsMany, std::to_string(s_.registered.size()) + " actions are registered at a time");
  }
  CheckAlike();
  if (changed) Changed(now);
}

void Practice::See(const UnregisterMessage& message, Instant now) {
  bool changed = false;
  bool late = false;
  for (const std::string& name : message.action_names) {
    changed |= s_.registered.erase(name) > 0;
    late = late || (s_.just_played && s_.last_success && now - *s_.last_success <= seconds(1) &&
                    std::ranges::find(s_.forced, name) != s_.forced.end());
  }
  if (late) {
    s_.just_played = false;
    if (++s_.late_unregistrations == kLate) {
      s_.late_unregistrations = 0;
      Found(Diagnostic::kUnregisterLate, "the actions of forces are unregistered right after their successful results");
    }
  }
  if (changed && s_.sent.empty()) Changed(now);
}

void Practice::CheckDefinition(const ActionDefinition& action) {
  std::string_view name = action.name;
  const std::size_t end = name.find_last_not_of("0123456789_-");
  const std::string stem = AsciiLower(end == std::string_view::npos ? name : name.substr(0, end + 1));
  if (IsOneOf(stem, kVague) || stem.size() == 1) {
    Found(Diagnostic::kActionVagueName, "the name of the action " + Named(name) + " says nothing");
  }
  const std::vector<std::string_view> words = WordsOf(name);
  if (words.size() >= 2 && words.size() <= 3 && IsOneOf(words.front(), kListVerbs) &&
      IsOneOf(words.back(), kListNouns)) {
    Found(Diagnostic::kActionListsActions, "the action " + Named(name) + " lists what the agent knows already");
  }
  const int sentences = Sentences(action.description);
  if (action.description.size() > kLongDescription || sentences > kSentences) {
    Found(Diagnostic::kActionLongText, "the description of the action " + Named(name) + " has " +
                                           std::to_string(action.description.size()) + " bytes and " +
                                           std::to_string(sentences) + " sentences");
  }
}

void Practice::CheckRegisteredAgain(const ActionDefinition& action) {
  auto known = s_.registrations.find(action.name);
  if (known == s_.registrations.end()) {
    if (s_.registrations.size() >= kMostNames) return;
    known = s_.registrations.emplace(action.name, Registration{}).first;
    known->second.same = known->second.alike = 0;
  }
  Registration& last = known->second;
  std::size_t definition = SchemaHash(action, false);
  std::size_t form = SchemaHash(action, true);
  Mix(definition, std::hash<std::string>()(action.description));
  Mix(form, std::hash<std::string>()(action.description));
  const bool same = definition == last.definition;
  const bool alike = !same && form == last.form;
  // Actions that are registered for one decision are disposable: the API recommends it.
  last.same = last.used ? 1 : same ? last.same + 1 : 1;
  last.alike = last.used ? 1 : alike ? last.alike + 1 : same ? last.alike : 1;
  last.definition = definition;
  last.form = form;
  last.used = false;
  if (last.same == kAgain) {
    Found(Diagnostic::kActionsAgain, "the action " + Named(action.name) + " was registered 5 times, always alike");
  }
  if (last.alike == kEnumChurn) {
    Found(Diagnostic::kActionsEnumChurn,
          "the action " + Named(action.name) + " was registered 4 times with other values to choose from");
  }
}

void Practice::CheckAlike() {
  if (count(Diagnostic::kActionsAlike) > 0 || s_.registered.size() < kAlike || s_.registered.size() > kMostCompared)
    return;
  std::map<std::pair<std::string, std::size_t>, std::size_t> groups;
  for (const auto& [name, action] : s_.registered) {
    const std::string digits = WithoutDigits(name);
    const std::string word = WithoutLastWord(name);
    for (const std::string& stem : {digits == name ? std::string() : digits, word}) {
      if (stem.empty() || ++groups[{stem, action.schema}] < kAlike) continue;
      return Found(Diagnostic::kActionsAlike,
                   "5 registered actions are much like " + Named(name) + ", with the same schema");
    }
  }
}

// A result excuses changes in the second after it, a force those in the second before it.
void Practice::Changed(Instant now) {
  CheckChurn(now);
  if (now - s_.started < kOpening) return;
  if (!s_.results.empty() && now - s_.results.back() <= seconds(1)) return;
  s_.fresh_changes.push_back(now);
  if (s_.fresh_changes.size() > kMostChanges * 10) s_.fresh_changes.erase(s_.fresh_changes.begin());
}

void Practice::CheckChurn(Instant now) {
  const auto fresh = std::ranges::lower_bound(s_.fresh_changes, now - seconds(1));
  for (auto change = s_.fresh_changes.begin(); change != fresh; ++change) {
    s_.changes.push_back(*change);
    std::erase_if(s_.changes, [&](Instant when) { return *change - when > seconds(60); });
    if (s_.changes.size() <= kMostChanges) continue;
    Found(Diagnostic::kActionsChurn,
          "the set of registered actions changed " + std::to_string(s_.changes.size()) + " times within 60 s");
    s_.changes.clear();
  }
  s_.fresh_changes.erase(s_.fresh_changes.begin(), fresh);
}

}  // namespace openseat::neuro

// FitActions: a seat's actions in the form that the Neuro API asks for, and the way back. The API wants names of
// lower-case words, schemas whose root is an object, and only the keywords on its list. The referee still checks
// whatever is left out of a schema, and its answer says what was wrong. Names and schemas may come from strangers.
// Pure, any thread.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "core/action.h"
#include "protocols/neuro/messages.h"
#include "schema/budget.h"

namespace openseat::neuro {

// To fit all schemas of one message: about ten milliseconds. No known game's actions come close.
inline constexpr std::uint64_t kFitSteps = 1'000'000;

// Without the keywords that the API advises against, at every place of a schema; names of properties are not keywords.
// anyOf and oneOf become one schema that allows what any of their schemas allows: it unites properties and enumerated
// values, and keeps of the rest what all of them say. All work is charged to `budget`. Errors: kTooLarge if that is not
// enough; it is exhausted then.
Result<json::Value> FitSchema(const json::Value& schema, schema::Budget& budget);

// "Play Card!" -> "play_card"; "action" if nothing is left. At most kMaxToolName bytes.
std::string FitName(std::string_view name);

// Tells names apart that fit to the same one: "go", "go_2", "go_3". A stem that is in use remembers its last suffix, so
// that thousands of names with one stem do not try all suffixes again.
class Suffixes {
 public:
  // The stem, or the stem with a suffix, within kMaxToolName bytes: a name that is not taken. REQUIRES that FitName
  // returned `stem`, and a Free of it later.
  std::string Take(const std::string& stem, const std::function<bool(const std::string&)>& taken);
  void Free(const std::string& stem);

 private:
  struct Stem {
    std::size_t used = 0;      // how many names
    std::uint64_t suffix = 1;  // the last one
  };
  std::map<std::string, Stem, std::less<>> stems_;
};

// The actions that the backend was told about, by their names on the wire.
class FittedActions {
 public:
  // Under its earlier name, if an action of this name is here already. A schema that cannot be used (Action::compiled),
  // or for which `budget` is not enough, stays as the game gave it.
  ActionDefinition Put(const Action& action, schema::Budget& budget);
  void Remove(const std::string& wire_name);
  void Clear() { *this = {}; }

  // The way back: the seat's name for the action, or the name unchanged if the backend was not told about it.
  std::string ActionName(std::string_view wire_name) const;
  // The choice's data from the text in the message. kParse if it is not JSON.
  Result<json::Value> Data(std::string_view wire_name, const std::optional<std::string>& text) const;

 private:
  struct Entry {
    std::string action;
    bool wrapped = false;  // its data is not an object, and is sent as the member "value" of one
  };
  std::string WireName(const std::string& action);

  std::map<std::string, Entry, std::less<>> by_wire_name_;
  std::map<std::string, std::string> wire_names_;  // by the action's name
  Suffixes suffixes_;
};

}  // namespace openseat::neuro

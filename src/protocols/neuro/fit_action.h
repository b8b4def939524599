// FitActions: a seat's actions in the form that the Neuro API asks for, and the way back. The API wants names of
// lower-case words, schemas whose root is an object, and only the keywords on its list. The referee still checks
// whatever is left out of a schema, and its answer says what was wrong. Pure, any thread.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "core/action.h"
#include "protocols/neuro/messages.h"

namespace openseat::neuro {

// Without the keywords that the API advises against, at every place of a schema; names of properties are not keywords.
// anyOf and oneOf become one schema that allows what any of their schemas allows: it unites properties and enumerated
// values, and keeps of the rest what all of them say.
json::Value FitSchema(const json::Value& schema);

// "Play Card!" -> "play_card"; "action" if nothing is left.
std::string FitName(std::string_view name);

// The actions that the backend was told about, by their names on the wire.
class FittedActions {
 public:
  // Under its earlier name, if an action of this name is here already.
  ActionDefinition Put(const Action& action);
  void Remove(const std::string& wire_name) { by_wire_name_.erase(wire_name); }
  void Clear() { by_wire_name_.clear(); }

  // The way back: the seat's name for the action, or the name unchanged if the backend was not told about it.
  std::string ActionName(std::string_view wire_name) const;
  // The choice's data from the text in the message. kParse if it is not JSON.
  Result<json::Value> Data(std::string_view wire_name, const std::optional<std::string>& text) const;

 private:
  struct Entry {
    std::string action;
    bool wrapped = false;  // its data is not an object, and is sent as the member "value" of one
  };
  std::string WireName(const std::string& action) const;

  std::map<std::string, Entry, std::less<>> by_wire_name_;
};

}  // namespace openseat::neuro

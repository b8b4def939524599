// FitActions: a seat's actions in the form that the Neuro API asks for, and the way back. The API wants names of
// lower-case words, schemas whose root is an object, and keywords outside its list alone; what is left out of a schema
// this way is still checked by the referee, whose answer says what was wrong. Pure, any thread.
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

// Without the keywords that the API advises against, at every place where a schema stands; property names are no
// keywords.
json::Value FitSchema(const json::Value& schema);

// "Play Card!" -> "play_card"; "action" where nothing is left.
std::string FitName(std::string_view name);

// The actions that somebody was told of, by the names that they have on the wire.
class FittedActions {
 public:
  // Under the name that it had, where an action of this name is here already.
  ActionDefinition Put(const Action& action);
  void Remove(const std::string& wire_name) { by_wire_name_.erase(wire_name); }
  void Clear() { by_wire_name_.clear(); }

  // What comes back: the seat's name of the action, or the name as it came where nobody was told of it.
  std::string ActionName(std::string_view wire_name) const;
  // The choice's data from the text in the message. kParse where it is no JSON.
  Result<json::Value> Data(std::string_view wire_name, const std::optional<std::string>& text) const;

 private:
  struct Entry {
    std::string action;
    bool wrapped = false;  // its data is no object, and travels as the member "value" of one
  };
  std::string WireName(const std::string& action) const;

  std::map<std::string, Entry, std::less<>> by_wire_name_;
};

}  // namespace openseat::neuro

// Action: something a seat may do. Shared and immutable once made: agents, decisions and the console hold the same one.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/json.h"
#include "schema/schema.h"

namespace openseat {

class Action {
 public:
  Action() = default;
  Action(std::string its_name, std::string its_description, std::optional<json::Value> its_schema)
      : name(std::move(its_name)), description(std::move(its_description)), schema(std::move(its_schema)) {}

  std::string name;         // unique within its seat
  std::string description;  // for whoever plays
  // The schema of the choice's data, as the game gave it; nullopt: the action takes no data.
  std::optional<json::Value> schema;

  // `schema` compiled, when this is first called; null where there is none, or where it is no usable schema (then any
  // data passes here and the game is the only judge). Any thread.
  const schema::Schema* compiled() const;
  // Whoever makes the action has compiled it already, or found it to be of no use (null).
  void SetCompiled(std::shared_ptr<const schema::Schema> compiled);

 private:
  mutable std::once_flag once_;
  mutable std::shared_ptr<const schema::Schema> compiled_;
};

using ActionPtr = std::shared_ptr<const Action>;

// An ordered set of actions by name. As a rule a handful; with thousands it takes constant time to find, add and remove
// one all the same. One thread, also for what is const.
class ActionSet {
 public:
  // In the order in which they were added.
  const std::vector<ActionPtr>& all() const;
  bool empty() const { return size() == 0; }
  std::size_t size() const { return indexed() ? places_.size() : actions_.size(); }

  // nullptr where there is none of that name.
  ActionPtr Find(std::string_view name) const;
  // Replaces the action of that name in its place, or adds it at the end.
  void Put(ActionPtr action);
  bool Remove(std::string_view name);  // whether there was one
  void Clear();
  // "a, b or c": for messages.
  std::string Names() const;

 private:
  bool indexed() const { return !places_.empty(); }
  // Where the action of that name stands in actions_; its size where there is none.
  std::size_t PlaceOf(std::string_view name) const;
  // Closes the gaps, and looks up the names anew where they are many.
  void Tidy() const;

  // With an index, what was removed leaves a null until there is reason to close the gap. Both change in Tidy alone
  // where the set does not.
  mutable std::vector<ActionPtr> actions_;
  // Empty while the actions are few. The names are the actions' own.
  mutable std::unordered_map<std::string_view, std::size_t> places_;
};

}  // namespace openseat

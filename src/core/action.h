// Action: something a seat may do. Shared and immutable once made: agents, decisions and the console hold the same one.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
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

// An ordered set of actions by name. Small: tens, not thousands.
class ActionSet {
 public:
  const std::vector<ActionPtr>& all() const { return actions_; }
  bool empty() const { return actions_.empty(); }
  std::size_t size() const { return actions_.size(); }

  // nullptr where there is none of that name.
  ActionPtr Find(std::string_view name) const;
  // Replaces the action of that name in its place, or adds it at the end.
  void Put(ActionPtr action);
  bool Remove(std::string_view name);  // whether there was one
  void Clear() { actions_.clear(); }
  // "a, b or c": for messages.
  std::string Names() const;

 private:
  std::vector<ActionPtr> actions_;
};

}  // namespace openseat

// Action: something a seat may do. Shared and immutable once made: agents, decisions and the console hold the same one.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/json.h"
#include "base/lazy.h"
#include "schema/schema.h"

namespace openseat {

class Action {
 public:
  Action() = default;
  Action(std::string its_name, std::string its_description, std::optional<json::Value> its_schema)
      : name(std::move(its_name)), description(std::move(its_description)), schema(std::move(its_schema)) {}

  std::string name;         // unique within its seat
  std::string description;  // for the player
  // The schema of the choice's data, as the game gave it; nullopt: the action takes no data.
  std::optional<json::Value> schema;

  // `schema`, compiled on the first call; null if there is no schema, or if it is unusable (then any data passes here
  // and the game is the only judge). Any thread.
  const schema::Schema* compiled() const;
  // For a caller that has compiled it already, or found it unusable (null).
  void SetCompiled(std::shared_ptr<const schema::Schema> compiled);

 private:
  const Lazy<std::shared_ptr<const schema::Schema>> compiled_;
};

using ActionPtr = std::shared_ptr<const Action>;

// An ordered set of actions by name. Usually a handful; even with thousands it takes constant time to find, add and
// remove one. One thread, even for const functions.
class ActionSet {
 public:
  ActionSet() = default;
  ActionSet(const ActionSet& other) { *this = other; }
  ActionSet(ActionSet&&) noexcept = default;
  ActionSet& operator=(const ActionSet& other);
  ActionSet& operator=(ActionSet&&) noexcept = default;
  ~ActionSet() = default;

  // In the order in which they were added.
  const std::vector<ActionPtr>& all() const;
  bool empty() const { return size() == 0; }
  std::size_t size() const { return indexed() ? places_->size() : actions_.size(); }

  // nullptr if no action has that name.
  ActionPtr Find(std::string_view name) const;
  // Replaces the action with that name in its place, or adds it at the end.
  void Put(ActionPtr action);
  bool Remove(std::string_view name);  // returns whether there was one
  void Clear();
  // "a, b or c", of many the first ones (Listing): for messages.
  std::string Names() const;

 private:
  using Places = std::unordered_map<std::string_view, std::size_t>;
  bool indexed() const { return places_ != nullptr; }
  // The index of the action with that name in actions_; its size if there is no such action.
  std::size_t PlaceOf(std::string_view name) const;
  // Closes the gaps, and rebuilds the index if there are many actions.
  void Tidy() const;

  // With an index, a removed action leaves a null until there is reason to close the gap. While the set does not
  // change, only Tidy changes these two.
  mutable std::vector<ActionPtr> actions_;
  // Null while there are few actions. The names are the actions' own.
  mutable std::unique_ptr<Places> places_;
};

// About how many bytes the action takes as JSON: name, description and schema, escapes included. What is beyond `most`
// is not looked at; the result is larger than `most` then.
std::size_t WrittenBytes(const Action& action, std::size_t most);
std::size_t WrittenBytes(const ActionSet& actions, std::size_t most);

}  // namespace openseat

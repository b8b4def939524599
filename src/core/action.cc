#include "core/action.h"

#include <algorithm>

#include "base/text.h"
#include "schema/measure.h"

namespace openseat {
namespace {

// Up to this many, looking at each is faster than an index.
constexpr std::size_t kFew = 16;

// The names of an action's members, and what is around them.
constexpr std::size_t kAroundAction = 40;

}  // namespace

ActionSet& ActionSet::operator=(const ActionSet& other) {
  if (this == &other) return *this;
  actions_ = other.actions_;
  places_ = other.indexed() ? std::make_unique<Places>(*other.places_) : nullptr;
  return *this;
}

std::size_t ActionSet::PlaceOf(std::string_view name) const {
  if (!indexed()) {
    const auto found =
        std::ranges::find(actions_, name, [](const ActionPtr& action) { return std::string_view(action->name); });
    return static_cast<std::size_t>(found - actions_.begin());
  }
  const auto found = places_->find(name);
  return found == places_->end() ? actions_.size() : found->second;
}

const schema::Schema* Action::compiled() const {
  return compiled_
      .Get([this] {
        std::shared_ptr<const schema::Schema> compiled;
        if (!schema) return compiled;
        if (auto made = schema::Schema::Compile(*schema)) compiled = std::move(*made);
        return compiled;
      })
      .get();
}

void Action::SetCompiled(std::shared_ptr<const schema::Schema> compiled) {
  compiled_.Get([&] { return std::move(compiled); });
}

ActionPtr ActionSet::Find(std::string_view name) const {
  const std::size_t place = PlaceOf(name);
  return place == actions_.size() ? nullptr : actions_[place];
}

void ActionSet::Put(ActionPtr action) {
  const std::size_t place = PlaceOf(action->name);
  if (place < actions_.size()) {
    if (indexed()) {
      places_->erase(action->name);
      places_->emplace(action->name, place);
    }
    actions_[place] = std::move(action);
    return;
  }
  if (indexed()) places_->emplace(action->name, actions_.size());
  actions_.push_back(std::move(action));
  if (!indexed() && actions_.size() > kFew) Tidy();
}

bool ActionSet::Remove(std::string_view name) {
  const std::size_t place = PlaceOf(name);
  if (place == actions_.size()) return false;
  if (!indexed()) {
    actions_.erase(actions_.begin() + static_cast<std::ptrdiff_t>(place));
    return true;
  }
  places_->erase(name);
  actions_[place].reset();  // `name` may be destroyed with it
  if (actions_.size() > 2 * places_->size()) Tidy();
  return true;
}

void ActionSet::Clear() {
  actions_.clear();
  places_.reset();
}

const std::vector<ActionPtr>& ActionSet::all() const {
  if (actions_.size() != size()) Tidy();
  return actions_;
}

void ActionSet::Tidy() const {
  std::erase(actions_, nullptr);
  places_.reset();
  if (actions_.size() <= kFew) return;
  places_ = std::make_unique<Places>();
  for (std::size_t i = 0; i < actions_.size(); ++i) places_->emplace(actions_[i]->name, i);
}

std::string ActionSet::Names() const {
  return Listing(all(), " or ", [](const ActionPtr& action) -> std::string_view { return action->name; });
}

std::size_t WrittenBytes(const Action& action, std::size_t most) {
  std::size_t bytes = kAroundAction + action.name.size() + action.description.size();
  if (bytes > most) return bytes;
  bytes = kAroundAction + schema::WrittenBytes(action.name) + schema::WrittenBytes(action.description);
  if (bytes <= most && action.schema) bytes += schema::WrittenBytes(*action.schema, most - bytes);
  return bytes;
}

std::size_t WrittenBytes(const ActionSet& actions, std::size_t most) {
  std::size_t bytes = 0;
  for (const ActionPtr& action : actions.all()) {
    bytes += WrittenBytes(*action, most - bytes);
    if (bytes > most) break;
  }
  return bytes;
}

}  // namespace openseat

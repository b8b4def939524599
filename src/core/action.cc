#include "core/action.h"

#include <algorithm>

namespace openseat {

const schema::Schema* Action::compiled() const {
  std::call_once(once_, [this] {
    if (!schema) return;
    if (auto made = schema::Schema::Compile(*schema)) compiled_ = std::move(*made);
  });
  return compiled_.get();
}

void Action::SetCompiled(std::shared_ptr<const schema::Schema> compiled) {
  std::call_once(once_, [&] { compiled_ = std::move(compiled); });
}

ActionPtr ActionSet::Find(std::string_view name) const {
  for (const ActionPtr& action : actions_) {
    if (action->name == name) return action;
  }
  return nullptr;
}

void ActionSet::Put(ActionPtr action) {
  for (ActionPtr& existing : actions_) {
    if (existing->name == action->name) {
      existing = std::move(action);
      return;
    }
  }
  actions_.push_back(std::move(action));
}

bool ActionSet::Remove(std::string_view name) {
  return std::erase_if(actions_, [&](const ActionPtr& action) { return action->name == name; }) > 0;
}

std::string ActionSet::Names() const {
  std::string out;
  for (std::size_t i = 0; i < actions_.size(); ++i) {
    if (i > 0) out += i + 1 == actions_.size() ? " or " : ", ";
    out += actions_[i]->name;
  }
  return out;
}

}  // namespace openseat

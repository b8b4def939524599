#include "core/action.h"

#include <algorithm>

namespace openseat {

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

#include "protocols/agent_api/cards.h"

namespace openseat::agent_api::netrunner {

Cards::Cards(const json::Value& observation) {
  for (const std::string_view side : {"corp", "runner"}) {
    if (const json::Value* player = json::Find(observation, side)) Add(*player);
  }
}

// NOLINTNEXTLINE(misc-no-recursion): as deep as an observation of ours
void Cards::Add(const json::Value& value) {
  if (value.is_array()) {
    for (const json::Value& each : value.get_array()) Add(each);
    return;
  }
  if (!value.is_object()) return;
  const json::Object& object = value.get_object();
  const std::string_view cid = json::TextOf(object, "cid");
  // For a hosted card, both the short form and the complete one are there.
  if (!cid.empty() && object.contains("zone")) by_cid_.insert_or_assign(cid, &object);
  for (const auto& [name, member] : object) {
    if (member.is_object() || member.is_array()) Add(member);
  }
}

const json::Object* Cards::Find(std::string_view cid) const {
  const auto found = by_cid_.find(cid);
  return found == by_cid_.end() ? nullptr : found->second;
}

std::string Cards::Title(std::string_view cid) const {
  const json::Object* card = Find(cid);
  const std::string_view title = card == nullptr ? std::string_view() : json::TextOf(*card, "title");
  return title.empty() ? "a facedown card" : std::string(title);
}

}  // namespace openseat::agent_api::netrunner

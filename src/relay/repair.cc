#include "relay/repair.h"

#include <algorithm>

#include "base/json.h"
#include "protocols/neuro/codec.h"
#include "protocols/neuro/fit_action.h"

namespace openseat::relay {

Result<Repairs> ParseRepairs(std::string_view list) {
  Repairs repairs;
  while (!list.empty()) {
    const std::string_view one = list.substr(0, list.find(','));
    list.remove_prefix(std::min(list.size(), one.size() + 1));
    if (one == "messages" || one == "all") repairs.messages = true;
    if (one == "schemas" || one == "all") repairs.schemas = true;
    if (one == "names" || one == "all") repairs.names = true;
    if (one != "messages" && one != "schemas" && one != "names" && one != "all") {
      return Fail(ErrorCode::kInvalid,
                  "the repairs are messages, schemas, names, or all; got \"" + std::string(one) + "\"");
    }
  }
  return repairs;
}

std::string NameBook::Put(const Owner& owner, const std::string& name) {
  if (const auto known = wires_.find({owner, name}); known != wires_.end()) return known->second;
  std::string wire = neuro::FitName(name);
  if (by_wire_.contains(wire)) wire = neuro::FitName(owner.second) + "_" + wire;
  const std::string stem = wire;
  for (int n = 2; by_wire_.contains(wire); ++n) wire = stem + "_" + std::to_string(n);
  if (wires_.size() >= kMaxNames) return name;
  by_wire_.emplace(wire, Entry{owner, name});
  wires_.emplace(std::pair(owner, name), wire);
  return wire;
}

std::string NameBook::Known(const Owner& owner, const std::string& name) const {
  const auto known = wires_.find({owner, name});
  return known == wires_.end() ? name : known->second;
}

std::optional<std::string> NameBook::GameName(std::uint64_t channel, std::string_view wire) const {
  const auto found = by_wire_.find(wire);
  if (found == by_wire_.end() || found->second.owner.first != channel) return std::nullopt;
  return found->second.name;
}

void NameBook::ForgetGame(const Owner& owner) {
  std::erase_if(by_wire_, [&](const auto& entry) { return entry.second.owner == owner; });
  std::erase_if(wires_, [&](const auto& entry) { return entry.first.first == owner; });
}

void NameBook::ForgetChannel(std::uint64_t channel) {
  std::erase_if(by_wire_, [&](const auto& entry) { return entry.second.owner.first == channel; });
  std::erase_if(wires_, [&](const auto& entry) { return entry.first.first.first == channel; });
}

std::optional<Repair::Repaired> Repair::ToUpstream(bool binary, const std::vector<neuro::Decoded>& documents,
                                                   std::string_view game) {
  Repaired repaired;
  schema::Budget budget(neuro::kFitSteps);
  bool changed = false;
  if (repairs_.messages) {
    if (binary) repaired.notes.emplace_back("a binary frame was sent on as text");
    for (const neuro::Decoded& decoded : documents) {
      for (const neuro::Issue& issue : decoded.issues) {
        repaired.notes.push_back("a message was written again: " + issue.detail);
      }
    }
    changed = !repaired.notes.empty();
  }
  for (const neuro::Decoded& decoded : documents) {
    if (!decoded.message) {
      // What cannot be read cannot be written again: it passes as it is, or is left out if it was to be repaired.
      if (!repairs_.messages) return std::nullopt;
      continue;
    }
    // A command that the API does not have cannot be written again either: its data is not read.
    if (std::holds_alternative<neuro::UnknownMessage>(decoded.message->body)) return std::nullopt;
    neuro::Decoded& out = repaired.documents.emplace_back(decoded);
    if (out.message->game.empty()) out.message->game = game;
    if (repairs_.schemas && FitSchemas(*out.message, budget, repaired.notes)) changed = true;
    if (repairs_.names && Rename(*out.message, repaired.notes)) changed = true;
  }
  if (!changed) return std::nullopt;
  for (const neuro::Decoded& decoded : repaired.documents) {
    neuro::EncodeClient(*decoded.message, repaired.texts.emplace_back());
  }
  return repaired;
}

bool Repair::FitSchemas(neuro::ClientMessage& message, schema::Budget& budget, std::vector<std::string>& notes) {
  auto* registered = std::get_if<neuro::RegisterMessage>(&message.body);
  if (registered == nullptr) return false;
  bool changed = false;
  for (neuro::ActionDefinition& action : registered->actions) {
    if (!action.schema) continue;
    Result<json::Value> fitted = neuro::FitSchema(*action.schema, budget);
    if (!fitted) {
      notes.push_back("the schema of \"" + action.name +
                      "\" and those after it were sent as they are: " + fitted.error().message);
      break;
    }
    if (json::Equal(*fitted, *action.schema)) continue;
    action.schema = *std::move(fitted);
    notes.push_back("the schema of \"" + action.name + "\" was sent without the keywords that the API advises against");
    changed = true;
  }
  return changed;
}

bool Repair::Rename(neuro::ClientMessage& message, std::vector<std::string>& notes) {
  const NameBook::Owner owner{channel_, message.game};
  bool changed = false;
  const auto use = [&](std::string& name, std::string wire) {
    if (wire == name) return;
    notes.push_back("the action \"" + name + "\" of \"" + message.game + "\" was sent as \"" + wire + "\"");
    name = std::move(wire);
    changed = true;
  };
  if (std::holds_alternative<neuro::StartupMessage>(message.body)) {
    book_.ForgetGame(owner);
  } else if (auto* registered = std::get_if<neuro::RegisterMessage>(&message.body)) {
    for (neuro::ActionDefinition& action : registered->actions) use(action.name, book_.Put(owner, action.name));
  } else if (auto* unregistered = std::get_if<neuro::UnregisterMessage>(&message.body)) {
    for (std::string& name : unregistered->action_names) use(name, book_.Known(owner, name));
  } else if (auto* force = std::get_if<neuro::ForceMessage>(&message.body)) {
    for (std::string& name : force->action_names) use(name, book_.Known(owner, name));
  }
  return changed;
}

std::optional<std::string> Repair::ToGame(const neuro::ServerMessage& message) const {
  const auto* action = std::get_if<neuro::ActionMessage>(&message);
  if (!repairs_.names || action == nullptr) return std::nullopt;
  const std::optional<std::string> name = book_.GameName(channel_, action->name);
  if (!name || *name == action->name) return std::nullopt;
  std::string text;
  neuro::EncodeAction(action->id, *name, action->data, text);
  return text;
}

}  // namespace openseat::relay

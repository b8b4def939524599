#include "relay/repair.h"

#include <algorithm>
#include <utility>

#include "base/budget.h"
#include "base/json.h"
#include "protocols/neuro/codec.h"
#include "protocols/neuro/session.h"

namespace openseat::relay {
namespace {

// Of how many names a name takes the place: it is kept twice.
std::size_t CountOf(const std::string& name) {
  return 1 + name.size() / 256;
}

}  // namespace

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

std::optional<std::string> NameBook::Put(const Owner& owner, const std::string& name, std::size_t most) {
  OfChannel& channel = channels_[owner.first];
  if (const auto known = channel.names.find({owner.second, name}); known != channel.names.end()) {
    channel.unregistered.erase(std::exchange(known->second.unregistered, 0));
    return known->second.wire;
  }
  while (channel.count + CountOf(name) > most) {
    if (channel.unregistered.empty()) return std::nullopt;
    Forget(channel, channel.unregistered.begin()->second);
  }
  std::string stem = neuro::FitName(name);
  if (by_wire_.contains(stem)) stem = neuro::FitName(neuro::FitName(owner.second) + "_" + stem);
  std::string wire = suffixes_.Take(stem, [this](const std::string& taken) { return by_wire_.contains(taken); });
  by_wire_.emplace(wire, Entry{owner.first, name});
  channel.count += CountOf(name);
  channel.names.emplace(std::pair(owner.second, name), Name{wire, std::move(stem)});
  return wire;
}

std::string NameBook::Known(const Owner& owner, const std::string& name) const {
  const auto channel = channels_.find(owner.first);
  if (channel == channels_.end()) return name;
  const auto known = channel->second.names.find({owner.second, name});
  return known == channel->second.names.end() ? name : known->second.wire;
}

void NameBook::Unregister(const Owner& owner, const std::string& name) {
  OfChannel& channel = channels_[owner.first];
  const auto known = channel.names.find({owner.second, name});
  if (known == channel.names.end() || known->second.unregistered != 0) return;
  known->second.unregistered = ++last_unregistered_;
  channel.unregistered.emplace(last_unregistered_, known);
}

std::optional<std::string> NameBook::GameName(std::uint64_t channel, std::string_view wire) const {
  const auto found = by_wire_.find(wire);
  if (found == by_wire_.end() || found->second.channel != channel) return std::nullopt;
  return found->second.name;
}

void NameBook::Forget(OfChannel& channel, Names::iterator name) {
  channel.count -= CountOf(name->first.second);
  channel.unregistered.erase(name->second.unregistered);
  by_wire_.erase(name->second.wire);
  suffixes_.Free(name->second.stem);
  channel.names.erase(name);
}

void NameBook::ForgetGame(const Owner& owner) {
  OfChannel& channel = channels_[owner.first];
  for (auto name = channel.names.lower_bound({owner.second, ""});
       name != channel.names.end() && name->first.first == owner.second;) {
    Forget(channel, name++);
  }
}

void NameBook::ForgetChannel(std::uint64_t channel) {
  const auto found = channels_.find(channel);
  if (found == channels_.end()) return;
  Names& names = found->second.names;
  while (!names.empty()) Forget(found->second, names.begin());
  channels_.erase(found);
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
  const NameBook::Owner owner{channel_, neuro::CutName(message.game)};
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
    std::size_t left = 0;
    for (neuro::ActionDefinition& action : registered->actions) {
      std::optional<std::string> wire = book_.Put(owner, action.name, max_names_);
      if (wire) {
        use(action.name, *std::move(wire));
      } else {
        ++left;
      }
    }
    if (left > 0) {
      // In front, because only so many notes of a channel are said.
      notes.insert(notes.begin(), std::to_string(left) + " actions of \"" + message.game +
                                      "\" were sent with their own names: " + std::string(SettingOf(Limit::kActions)) +
                                      " is " + std::to_string(max_names_));
    }
  } else if (auto* unregistered = std::get_if<neuro::UnregisterMessage>(&message.body)) {
    for (std::string& name : unregistered->action_names) {
      book_.Unregister(owner, name);
      use(name, book_.Known(owner, name));
    }
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

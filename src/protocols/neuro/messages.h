// The messages of the Neuro API (specs: neuro-api.md and what today's clients add), as values. Pure: no socket, no
// state.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/json.h"
#include "protocols/neuro/diagnostics.h"

namespace openseat::neuro {

enum class Priority { kLow, kMedium, kHigh, kCritical };
std::string_view PriorityName(Priority priority);
std::optional<Priority> ParsePriority(std::string_view name);

struct ActionDefinition {
  std::string name;
  std::string description;
  std::optional<json::Value> schema;  // as it came; nullopt: left out (or null)
};

// Game to server.
struct StartupMessage {};
struct ContextMessage {
  std::string message;
  bool silent = true;
};
struct RegisterMessage {
  std::vector<ActionDefinition> actions;
};
struct UnregisterMessage {
  std::vector<std::string> action_names;
};
struct ForceMessage {
  std::optional<std::string> state;
  std::string query;
  bool ephemeral_context = false;
  Priority priority = Priority::kLow;
  std::vector<std::string> action_names;
};
struct ResultMessage {
  std::string id;
  bool success = false;
  std::string message;
};
struct ProposalMessage {  // shutdown/ready and whatever else is only proposed
  std::string command;
};
struct UnknownMessage {
  std::string command;
};

// Something odd about a message that could be read all the same, or the reason why it could not.
struct Issue {
  Diagnostic diagnostic;
  std::string path;    // "data.actions[0].schema", "" for the whole
  std::string detail;  // one sentence
  bool operator==(const Issue&) const = default;
};

struct ClientMessage {
  std::string game;  // "" where it did not say
  std::variant<StartupMessage, ContextMessage, RegisterMessage, UnregisterMessage, ForceMessage, ResultMessage,
               ProposalMessage, UnknownMessage>
      body;
};

// One document of an incoming message. `message` is empty where nothing usable was in it; `issues` says why then.
struct Decoded {
  std::optional<ClientMessage> message;
  std::vector<Issue> issues;
};

}  // namespace openseat::neuro

// The messages of the Neuro API (specs: neuro-api.md and what today's clients add), as values. Pure: no socket, no
// state.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/json.h"
#include "core/decision.h"
#include "protocols/neuro/diagnostics.h"

namespace openseat::neuro {

struct ActionDefinition {
  std::string name;
  std::string description;
  std::optional<json::Value> schema;  // unchanged; nullopt: left out (or null, or [])
  bool operator==(const ActionDefinition&) const = default;
};

// Game to server.
struct StartupMessage {
  bool operator==(const StartupMessage&) const = default;
};
struct ContextMessage {
  std::string message;
  bool silent = true;
  bool operator==(const ContextMessage&) const = default;
};
struct RegisterMessage {
  std::vector<ActionDefinition> actions;
  bool operator==(const RegisterMessage&) const = default;
};
struct UnregisterMessage {
  std::vector<std::string> action_names;
  bool operator==(const UnregisterMessage&) const = default;
};
struct ForceMessage {
  std::optional<std::string> state = std::nullopt;
  std::string query;
  bool ephemeral_context = false;
  Priority priority = Priority::kLow;
  std::vector<std::string> action_names;  // each once
  bool operator==(const ForceMessage&) const = default;
};
struct ResultMessage {
  std::string id;
  bool success = false;
  std::string message;
  bool operator==(const ResultMessage&) const = default;
};
struct ProposalMessage {  // "shutdown/ready": proposed, not part of the API
  std::string command;
  bool operator==(const ProposalMessage&) const = default;
};
struct UnknownMessage {
  std::string command;
  bool operator==(const UnknownMessage&) const = default;
};

// Something odd about a message that could be read anyway, or the reason why it could not.
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
  bool operator==(const ClientMessage&) const = default;
};

// One document of an incoming message. `message` is empty if the document was unusable: exactly then there is a
// kInvalidMessage among the issues.
struct Decoded {
  std::optional<ClientMessage> message;
  std::vector<Issue> issues;
  bool for_chimera = false;  // a request of a Chimera client, which came to the wrong door
};

// Server to game.
struct ActionMessage {
  std::string id;
  std::string name;
  std::optional<std::string> data;  // JSON text; nullopt: the action takes none
  bool operator==(const ActionMessage&) const = default;
};
struct StartupAckMessage {
  std::string session_id;
  std::string character_id;
  std::string display_name;
  bool operator==(const StartupAckMessage&) const = default;
};
struct ReregisterAllMessage {  // a proposal that servers send anyway
  bool operator==(const ReregisterAllMessage&) const = default;
};
struct ShutdownGracefulMessage {  // a proposal
  bool wants_shutdown = true;     // false withdraws an earlier wish
  bool operator==(const ShutdownGracefulMessage&) const = default;
};
struct ShutdownImmediateMessage {  // a proposal
  bool operator==(const ShutdownImmediateMessage&) const = default;
};
struct SpeechFinishedMessage {
  bool is_final = true;  // the last of a response's utterances
  bool canceled = false;
  std::string reason;  // may be empty
  bool operator==(const SpeechFinishedMessage&) const = default;
};
struct VoiceUnavailableMessage {  // on the voice socket only
  std::string reason;             // may be empty
  bool operator==(const VoiceUnavailableMessage&) const = default;
};
using ServerMessage =
    std::variant<ActionMessage, StartupAckMessage, ReregisterAllMessage, ShutdownGracefulMessage,
                 ShutdownImmediateMessage, SpeechFinishedMessage, VoiceUnavailableMessage, UnknownMessage>;

}  // namespace openseat::neuro

// The Neuro API's wire format (docs/protocols/neuro.md): text of WebSocket messages to values and back. Pure: no
// socket, no state, any thread.
//
// Reading what games send is lenient and never fails silently: everything that had to be repaired, guessed or left out
// is an Issue. Issues concern one message by itself. What depends on earlier messages (an unregistered action, a second
// force) is up to the session, and what is odd about an action's definition is up to action_check.h.
//
// What we write is accepted by the strictest client: one line of ASCII, no nulls, no members beyond the API's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "protocols/neuro/messages.h"

namespace openseat::neuro {

struct DecodeLimits {
  // For one WebSocket message.
  json::Limits json{.max_bytes = 4u << 20, .max_depth = 128, .max_values = 100'000};
  std::size_t max_documents = 32;  // in one WebSocket message
  // Text that is not JSON is read again, byte by byte, to repair it; for longer messages only the error is reported.
  std::size_t max_repaired_bytes = 256u << 10;
  std::size_t max_issues = 64;  // per document; the last one says how many more there were
};

// What a Chimera client is told here.
inline constexpr std::string_view kChimeraHint = "Chimera clients connect to /chimera";

// Game to server. The documents in the text of one WebSocket message: exactly one for every well-behaved client, more
// if a client glues several together, never zero.
//
// Issues raised here: kInvalidMessage, kUnknownCommand, kVendorCommand, kCommandMisspelt, kGameBlank, kRepairedJson,
// kSeveralDocuments (on the first), kInvalidUtf8, kNullField, kUnknownField (once per document), kMissingField,
// kInvalidField, kDuplicateEntry, kEmptyArrayData, kMisspelt, kSchemaEmpty (null only), kProposal.
std::vector<Decoded> DecodeClient(std::string_view text, const DecodeLimits& limits = {});

// Server to game. Each appends one message to `out`.
// `data`, the action's data, is JSON text; it is sent as a string. nullopt if the action takes none.
enum class ActionForm : std::uint8_t { kUsual, kDataFirst };  // the order of the message's members
void EncodeAction(std::string_view id, std::string_view name, std::optional<std::string_view> data, std::string& out,
                  ActionForm form = ActionForm::kUsual);
void EncodeStartupAck(std::string_view session_id, std::string_view character_id, std::string_view display_name,
                      std::string& out);
void EncodeReregisterAll(std::string& out);
void EncodeShutdownGraceful(bool wants_shutdown, std::string& out);
void EncodeShutdownImmediate(std::string& out);
// `canceled` and `reason` are left out if nullopt.
void EncodeSpeechFinished(bool is_final, std::optional<bool> canceled, std::optional<std::string_view> reason,
                          std::string& out);
void EncodeVoiceUnavailable(std::string_view reason, std::string& out);

// The other side, for our own games and for dialing out. Game to server; each appends one message to `out`.
void EncodeStartup(std::string_view game, std::string& out);
void EncodeContext(std::string_view game, const ContextMessage& context, std::string& out);
void EncodeRegister(std::string_view game, std::span<const ActionDefinition> actions, std::string& out);
void EncodeUnregister(std::string_view game, std::span<const std::string> action_names, std::string& out);
// `ephemeral_context` and `priority` are left out if they have their defaults.
void EncodeForce(std::string_view game, const ForceMessage& force, std::string& out);
// An empty message is left out.
void EncodeResult(std::string_view game, const ResultMessage& result, std::string& out);
// Any of these; a proposal or an unknown command is sent without data.
void EncodeClient(const ClientMessage& message, std::string& out);

// Server to game, as the game reads it. Unknown commands become UnknownMessage; unknown members are skipped. Errors:
// kParse and kTooLarge of json::Parse, kInvalid if a required member is missing or has the wrong type (path:
// "data.id").
Result<ServerMessage> DecodeServer(std::string_view text, const json::Limits& limits = DecodeLimits().json);

}  // namespace openseat::neuro

#include "protocols/neuro/diagnostics.h"

#include <algorithm>
#include <array>
#include <cstddef>

namespace openseat::neuro {
namespace {

using enum Diagnostic;
using enum Severity;

// One row per diagnostic, in the enumeration's order. docs/protocols/neuro.md has the same table; a test compares them.
constexpr std::array kTable = std::to_array<DiagnosticInfo>({
    {kInvalidMessage, "prot/invalid_message", kError, "A message could not be read, so it was ignored.",
     "Send one JSON object of at most 4 MiB per message, with `command`, `game` and what the command needs in `data`."},
    {kUnknownCommand, "prot/unknown_command", kWarn, "The API has no command of this name; the message was ignored.",
     "Check the spelling; commands of your own belong under a prefix of your own, and nobody will answer them."},
    {kRepairedJson, "prot/json/repaired", kError, "A message was not valid JSON; it was repaired and read.",
     "Let a JSON library write your messages: other servers drop this one."},
    {kSeveralDocuments, "prot/json/several", kError, "One message held several JSON documents; each was read.",
     "Send each document as a WebSocket message of its own, and finish every message."},
    {kInvalidUtf8, "prot/text/invalid_utf8", kError, "A text was not valid UTF-8; the bad bytes were replaced.",
     "Convert your texts to UTF-8 before they are sent, or escape them as \\uXXXX."},
    {kBinaryFrame, "prot/frame/binary", kError, "A message came as a binary frame; it was read as text.",
     "Send text frames: the real server does not read binary ones."},
    {kFrameViolation, "prot/frame/violation", kError,
     "The game broke a rule of WebSocket (RFC 6455); the connection was closed.",
     "Leave the framing to a WebSocket library; the detail names the rule."},
    {kFrameUnfinished, "prot/frame/unfinished", kWarn,
     "The connection ended in the middle of a message, which was lost.",
     "Finish every message (its last frame has the FIN bit) before you close the connection."},
    {kNullField, "prot/field/null", kInfo, "A member that can be left out is null; it was treated as left out.",
     "Leave out what you have no value for: stricter servers refuse null."},
    {kUnknownField, "prot/field/unknown", kInfo, "A message has members that the API does not know; they were ignored.",
     "Remove them: stricter servers drop the whole message."},
    {kMissingField, "prot/field/missing", kWarn, "A required member is missing; an empty value was used.",
     "Send every member that the API requires."},
    {kInvalidField, "prot/field/invalid", kError, "A member has a type or a value that the API does not allow.",
     "Send the type that the API asks for: other servers drop the message or misread it."},
    {kDuplicateEntry, "prot/field/duplicate", kInfo, "A list names the same action more than once.",
     "Name each action once."},
    {kEmptyArrayData, "prot/field/array_for_object", kWarn, "An empty array stands where an object belongs.",
     "Leave the member out, or make the encoder write {} (in Lua and PHP an empty table becomes [])."},
    {kMisspelt, "prot/field/misspelt", kWarn, "A name is misspelled in a known way; it was read as what it should be.",
     "Correct the name: other servers do not know this spelling."},
    {kStartupMissing, "prot/startup/missing", kWarn, "The game sent something before its startup message.",
     "Send startup first on every new connection, reconnections included."},
    {kStartupMultiple, "prot/startup/multiple", kWarn,
     "The game sent startup more than once on a connection; its actions were cleared again.",
     "Send startup once, right after connecting; to drop actions, unregister them."},
    {kStartupLate, "perf/late/startup", kInfo, "The startup message came more than 500 ms after the connection.",
     "Send startup as soon as the connection is open."},
    {kGameRenamed, "prot/v1/game_renamed", kError, "The game's name changed on an open connection.",
     "Keep one name, the display name, in every message."},
    {kResumedSilently, "prot/reconnect/no_startup", kWarn,
     "The game came back after a lost connection without sending startup; its table was kept as it was.",
     "After a reconnection send startup and register your actions again."},
    {kForceNotRepeated, "prot/reconnect/no_force", kInfo,
     "The game came back without repeating its open force; it was asked again on the game's behalf.",
     "After a reconnection send the force again that was open before."},
    {kActionName, "prot/action/name", kWarn, "An action's name is not lower-case words joined by _ or -.",
     "Use a name such as \"play_card\": a to z, 0 to 9, and single _ or - between words."},
    {kNoDescription, "prot/action/no_desc", kWarn, "An action has no description.",
     "Say in a sentence what the action does: the description is all that the player reads about it."},
    {kSchemaEmpty, "prot/schema/prefer_omit_to_empty", kWarn, "An action's schema is null or {}.",
     "Leave the schema out if an action takes no data; as a schema, {} allows anything."},
    {kSchemaTypeObject, "prot/schema/type_object", kWarn, "A schema's root does not say \"type\": \"object\".",
     "Make the root an object and put a single value into a property of it."},
    {kSchemaUnsupported, "prot/schema/unsupported_keywords", kWarn,
     "A schema uses keywords that the API advises against, or that JSON Schema does not have.",
     "Use simple schemas: type, properties, required, items, enum, const, and bounds; check the rest in the game."},
    {kSchemaAdditional, "prot/schema/additionalProperties", kInfo, "A schema uses additionalProperties.",
     "It is checked here, but the API lists it as not supported: check for surplus members in the game too."},
    {kSchemaInvalid, "prot/schema/invalid", kError,
     "A schema is not valid JSON Schema, so the action's data is not checked against it.",
     "Correct the schema; the detail says where it is wrong."},
    {kSchemaConfusing, "perf/schema/confusing", kInfo, "A schema is hard to follow for a language model.",
     "Keep schemas flat and short; the detail says what stands out."},
    {kSchemaCostly, "perf/schema/costly", kWarn, "A schema asks for too much work, so data is not checked against it.",
     "Split or simplify the schema: patterns with nested repetitions, long chains of references and very large schemas "
     "cost most."},
    {kDuplicateIdentical, "perf/register/identical_duplicate", kInfo,
     "An action was registered again with the same definition.",
     "Harmless, but each action needs to be registered only once."},
    {kDuplicateConflict, "prot/v1/register/conflict", kWarn, "An action was registered again with another definition.",
     "Unregister an action before you register it with another definition: servers differ on which one counts."},
    {kUnregisterUnknown, "prot/unregister/unknown", kWarn, "The game unregistered an action that it never registered.",
     "Check the name, and whether the game lost track of its actions after a reconnection."},
    {kUnregisterInactive, "prot/unregister/inactive", kInfo,
     "The game unregistered an action that was no longer registered.", "Unregister each action once."},
    {kUnregisterEmpty, "prot/unregister/empty", kInfo, "The game unregistered an empty list of actions.",
     "Do not send the message when there is nothing to unregister."},
    {kForceEmpty, "prot/force/empty", kError, "A force names no actions; it was ignored.",
     "Name at least one registered action in action_names."},
    {kForceSomeInvalid, "prot/force/some_invalid", kWarn,
     "A force names actions that are not registered; the rest was used.",
     "Register actions before you force them, and name only those."},
    {kForceAllInvalid, "prot/force/all_invalid", kError,
     "None of the actions of a force is registered; it was ignored.",
     "Register the actions first, then send the force."},
    {kForceMultiple, "prot/force/multiple", kError, "A force came while another one was open; it replaced that one.",
     "Send the next force only after the successful result of the open one."},
    {kForceWhilePending, "prot/force/while_pending_result", kError,
     "A force came while the result of an action was still owed.",
     "Send the action's result first, then the next force."},
    {kForceEmptied, "prot/force/emptied", kInfo, "All actions of an open force were unregistered; the force ended.",
     "Fine if intended; otherwise unregister a force's actions only once one of them has succeeded."},
    {kForceRefused, "prot/force/refused", kWarn,
     "The game keeps refusing what is chosen for a force; it is asked again, ever more slowly.",
     "Say in the failing result what would be right, let the schema say it, or accept the action."},
    {kForceGaveUp, "prot/force/gave_up", kWarn, "A force failed as often as it may be retried; it was given up.",
     "Say in the failing result what would have been right, or accept the action; send the force again to go on."},
    {kResultNoMessage, "prot/result/error_nomessage", kWarn, "A failing result has no message.",
     "Say what was wrong: the message is what the next try goes by."},
    {kResultUnknownAction, "prot/result/unknown_action", kWarn,
     "An action that the game did not register got a successful result; its force was asked again.",
     "Answer an action that you do not know with a failing result."},
    {kResultAcceptedWrong, "prot/result/accepted_invalid", kWarn,
     "Data that an action's schema refuses got a successful result; its force was asked again.",
     "Check the data of every action, and answer wrong data with a failing result that says what is wrong."},
    {kResultUnexpected, "prot/result/unexpected", kWarn,
     "A result names an action that is not waiting for one; it was ignored.",
     "Send back the id of the action message exactly as it came, once, on the same connection."},
    {kResultDuplicate, "prot/result/duplicate", kWarn, "An action got a second result; it was ignored.",
     "Send one result for each action; tell what happens later with context."},
    {kResultAfterTimeout, "prot/result/after_timeout", kWarn,
     "A result came after the action had been counted as failed; it was ignored.",
     "Send the result once the action is checked, before it is carried out."},
    {kResultLate, "perf/late/action_result", kWarn, "A result took longer than 500 ms.",
     "Send the result once the action is checked; tell what happens later with context."},
    {kResultTimeout, "perf/timeout/action_result", kError, "An action got no result in time; it counts as failed.",
     "Answer every action with a result, those that the game does not know included."},
    {kContextWhilePending, "prot/context/while_pending", kInfo,
     "Context came while the result of an action was owed; it was held until the result.",
     "Fine; send the result first if the order matters."},
    {kLimit, "prot/limit", kError, "A limit of this server was reached; what went beyond it was left out.",
     "Send less, or have the setting that the detail names raised."},
    {kProposal, "prot/proposal", kWarn, "The message is only proposed for the API, not part of it.",
     "Do not rely on it: other servers ignore it."},
    {kVoiceUnavailable, "prot/voice/unavailable", kInfo, "The game asked for voice, which this server does not offer.",
     "Nothing to do: the game goes on without voice."},
    {kClosedAbnormally, "prot/close/abnormal", kInfo, "The connection ended without a close frame.",
     "Close the WebSocket when the game ends."},
    {kAgentInvalid, "agent/invalid_choice", kInfo, "The agent chose something invalid; the game did not see it.",
     "Nothing to do in the game: the agent was told and asked again."},
    {kAgentGaveUp, "agent/gave_up", kWarn, "The agent could not answer a force, which was given up.",
     "If the detail says that nothing fits the action's schema, check the schema; otherwise send the force again."},
    {kRecordingGap, "server/recording_gap", kWarn, "Something of the table could not be recorded; the game goes on.",
     "Nothing if the disk was full; send less if the detail names a limit."},
});

constexpr bool InOrder() {
  for (std::size_t i = 0; i < kTable.size(); ++i) {
    if (static_cast<std::size_t>(kTable[i].diagnostic) != i) return false;
  }
  return true;
}
static_assert(InOrder() && kTable.size() == static_cast<std::size_t>(kRecordingGap) + 1,
              "the table has one row per diagnostic, in the enumeration's order");

}  // namespace

std::string_view SeverityName(Severity severity) {
  constexpr std::array<std::string_view, 3> kNames = {"info", "warn", "error"};
  return kNames[static_cast<std::size_t>(severity)];
}

const DiagnosticInfo& InfoOf(Diagnostic diagnostic) {
  return kTable[static_cast<std::size_t>(diagnostic)];
}
std::string_view AdviceOf(std::string_view key) {
  const auto* const found = std::ranges::find(kTable, key, &DiagnosticInfo::key);
  return found == kTable.end() ? std::string_view() : found->advice;
}

std::span<const DiagnosticInfo> AllDiagnostics() {
  return kTable;
}

}  // namespace openseat::neuro

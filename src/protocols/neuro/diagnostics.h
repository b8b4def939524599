// The diagnostics of the Neuro side: what is odd or wrong in a game's messages, each with a stable key. The table is
// the one source for logs, the console API, docs/protocols/neuro.md and `openseat check`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace openseat::neuro {

enum class Severity : std::uint8_t { kInfo, kWarn, kError };

std::string_view SeverityName(Severity severity);  // "info", "warn", "error"

// Length in bytes to which a stranger's text is cut in a sentence.
inline constexpr std::size_t kMaxQuoted = 80;

// Keys of related tools are kept if they mean the same, so that people recognize them.
enum class Diagnostic : std::uint8_t {
  kInvalidMessage,       // prot/invalid_message           error
  kUnknownCommand,       // prot/unknown_command           warn
  kRepairedJson,         // prot/json/repaired             error: not valid JSON, read all the same
  kSeveralDocuments,     // prot/json/several              error: more than one JSON document in a message
  kInvalidUtf8,          // prot/text/invalid_utf8         error
  kBinaryFrame,          // prot/frame/binary              error
  kFrameViolation,       // prot/frame/violation           error: closed with 1002
  kFrameUnfinished,      // prot/frame/unfinished          warn: the connection ended within a message
  kNullField,            // prot/field/null                info: a member that should be left out is null
  kUnknownField,         // prot/field/unknown             info
  kMissingField,         // prot/field/missing             warn: absent, a default was taken
  kInvalidField,         // prot/field/invalid             error: a type or value that the API does not have
  kDuplicateEntry,       // prot/field/duplicate           info: a name stands twice in a list
  kEmptyArrayData,       // prot/field/array_for_object    warn: [] where {} is meant
  kMisspelt,             // prot/field/misspelt            warn: aciton_names, ephermeral_context, action:result …
  kStartupMissing,       // prot/startup/missing           warn
  kStartupMultiple,      // prot/startup/multiple          warn
  kStartupLate,          // perf/late/startup              info: more than 500 ms after the connection
  kGameRenamed,          // prot/v1/game_renamed           error
  kResumedSilently,      // prot/reconnect/no_startup      warn: a reconnect without startup
  kForceNotRepeated,     // prot/reconnect/no_force        info: open force asked again by us
  kActionName,           // prot/action/name               warn: not lower case words with _ or -
  kNoDescription,        // prot/action/no_desc            warn
  kSchemaEmpty,          // prot/schema/prefer_omit_to_empty  warn: null
  kSchemaTypeObject,     // prot/schema/type_object        warn
  kSchemaUnsupported,    // prot/schema/unsupported_keywords  warn
  kSchemaAdditional,     // prot/schema/additionalProperties  info
  kSchemaInvalid,        // prot/schema/invalid            error
  kSchemaConfusing,      // perf/schema/confusing          info
  kSchemaCostly,         // perf/schema/costly             warn: too much work to compile it or to check data by it
  kDuplicateIdentical,   // perf/register/identical_duplicate  info
  kDuplicateConflict,    // prot/v1/register/conflict      warn
  kUnregisterUnknown,    // prot/unregister/unknown        warn
  kUnregisterInactive,   // prot/unregister/inactive       info: was registered once
  kUnregisterEmpty,      // prot/unregister/empty          info
  kForceEmpty,           // prot/force/empty               error
  kForceSomeInvalid,     // prot/force/some_invalid        warn
  kForceAllInvalid,      // prot/force/all_invalid         error
  kForceMultiple,        // prot/force/multiple            error
  kForceWhilePending,    // prot/force/while_pending_result  error
  kForceEmptied,         // prot/force/emptied             info: all its actions were unregistered
  kForceRefused,         // prot/force/refused             warn: again and again
  kForceGaveUp,          // prot/force/gave_up             warn: retry limit reached
  kResultNoMessage,      // prot/result/error_nomessage    warn
  kResultUnknownAction,  // prot/result/unknown_action     warn: success for an action that it never registered
  kResultAcceptedWrong,  // prot/result/accepted_invalid   warn: success for data that the schema refuses
  kResultUnexpected,     // prot/result/unexpected         warn: unknown id
  kResultDuplicate,      // prot/result/duplicate          warn
  kResultAfterTimeout,   // prot/result/after_timeout      warn: discarded
  kResultLate,           // perf/late/action_result        warn: more than 500 ms
  kResultTimeout,        // perf/timeout/action_result     error
  kContextWhilePending,  // prot/context/while_pending     info: held until the result
  kLimit,                // prot/limit                     error: what went beyond a limit was left out
  kProposal,             // prot/proposal                  warn: a proposed command
  kVoiceUnavailable,     // prot/voice/unavailable         info
  kClosedAbnormally,     // prot/close/abnormal            info: no close frame
  kAgentInvalid,         // agent/invalid_choice           info: the agent's fault, not the game's
  kAgentGaveUp,          // agent/gave_up                  warn: a force that the agent could not answer
  kRecordingGap,         // server/recording_gap           warn: the disk, or a limit
};

struct DiagnosticInfo {
  Diagnostic diagnostic;
  std::string_view key;
  Severity severity;
  std::string_view sentence;  // what happened, in general
  std::string_view advice;    // what the game's developer can do about it
};

const DiagnosticInfo& InfoOf(Diagnostic diagnostic);
// The advice for this key; "" if there is no such diagnostic.
std::string_view AdviceOf(std::string_view key);
// In the enumeration's order.
std::span<const DiagnosticInfo> AllDiagnostics();

}  // namespace openseat::neuro

// The rules that games which speak the Neuro API are held to, for the server and for `openseat check`: the one table
// for diagnostics, the checker's findings, the console API and docs/rules.md.
#pragma once

#include <array>
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

// Keys of related tools are kept if they mean the same, so that people recognize them. The table has the keys.
enum class Diagnostic : std::uint8_t {
  // A message by itself.
  kInvalidMessage,
  kUnknownCommand,
  kVendorCommand,
  kCommandMisspelt,
  kRepairedJson,
  kSeveralDocuments,
  kInvalidUtf8,
  kBinaryFrame,
  kFrameViolation,
  kFrameUnfinished,
  kNullField,
  kUnknownField,
  kMissingField,
  kInvalidField,
  kDuplicateEntry,
  kEmptyArrayData,
  kMisspelt,
  kProposal,
  // The connection and the game's name.
  kStartupMissing,
  kStartupMultiple,
  kStartupLate,
  kGameBlank,
  kGameDisplayName,
  kGameRenamed,
  kSecondGame,
  kResumedSilently,
  kForceNotRepeated,
  kReconnectNoActions,
  kClosedAbnormally,
  kShutdownClosed,
  kShutdownNotReady,
  // An action's definition.
  kActionName,
  kNoDescription,
  kSchemaEmpty,
  kSchemaTypeObject,
  kSchemaUnsupported,
  kSchemaUnknownKeyword,
  kSchemaDenied,
  kSchemaAdditional,
  kSchemaInvalid,
  kSchemaConfusing,
  kSchemaCostly,
  // What is registered.
  kDuplicateIdentical,
  kDuplicateConflict,
  kUnregisterUnknown,
  kUnregisterInactive,
  kUnregisterEmpty,
  kActionCollision,
  // Forces and results.
  kForceEmpty,
  kForceSomeInvalid,
  kForceAllInvalid,
  kForceMultiple,
  kForceWhilePending,
  kPendingUnexpected,
  kForceEmptied,
  kForceRefused,
  kForceGaveUp,
  kResultNoMessage,
  kResultUnexpected,
  kResultDuplicate,
  kResultAfterTimeout,
  kResultRefusedValid,
  kResultUnknownAction,
  kResultAcceptedWrong,
  kResultMissing,
  kResultLate,
  kResultTimeout,
  kContextWhilePending,
  // The API's best practices (practice.h).
  kContextHeading,
  kContextDump,
  kContextFlood,
  kContextTelemetry,
  kContextRepeated,
  kContextToldAgain,
  kContextState,
  kContextEmpty,
  kActionVagueName,
  kActionLongText,
  kActionListsActions,
  kActionsChurn,
  kActionsAgain,
  kActionsEnumChurn,
  kActionsAlike,
  kActionsMany,
  kForceNoQuery,
  kForceUrgent,
  kForceRemembered,
  kForceLong,
  kForceChained,
  kForceNever,
  kResultVague,
  kResultSameText,
  kResultLong,
  kUnregisterLate,
  // The server, its agents, and a run of the checker.
  kLimit,
  kAgentInvalid,
  kAgentGaveUp,
  kRecordingGap,
  kScriptData,
  kScriptNoData,
  kScriptNotRefused,
  kScriptNothing,
  kScriptUnfinished,
  kConnectionNone,
  kConnectionSecond,
  kConnectionPath,
  kConnectionDropped,
  kGameNotStarted,
  kRunTimeout,
  kRunInterrupted,
};

// How a finding counts in one mode.
enum class Weight : std::uint8_t { kNot, kInfo, kWarn, kError, kFatal, kCritical };  // the last two end a run

enum class Mode : std::uint8_t { kServe, kLetter, kDefault, kLenient };
inline constexpr std::size_t kModes = 4;

// A rule's weights by mode.
struct Weights {
  // One character per mode: - not reported, i info, w warn, e error, F error that ends the run, C critical, which does.
  consteval Weights(const char (&by_mode)[kModes + 1]) {  // NOLINT(google-explicit-constructor): a table's notation
    for (std::size_t mode = 0; mode < kModes; ++mode) weights[mode] = Of(by_mode[mode]);
  }
  // Reported by the server only.
  constexpr Weights(Severity in_serve)  // NOLINT(google-explicit-constructor)
      : weights{static_cast<Weight>(static_cast<std::uint8_t>(in_serve) + 1)} {}

  constexpr Weight operator[](Mode mode) const { return weights[static_cast<std::size_t>(mode)]; }

  std::array<Weight, kModes> weights{};

 private:
  static consteval Weight Of(char c) {
    switch (c) {
      case '-':
        return Weight::kNot;
      case 'i':
        return Weight::kInfo;
      case 'w':
        return Weight::kWarn;
      case 'e':
        return Weight::kError;
      case 'F':
        return Weight::kFatal;
      case 'C':
        return Weight::kCritical;
      default:
        throw "a weight is one of -iweFC";
    }
  }
};

constexpr Severity SeverityOf(Weight weight) {
  if (weight <= Weight::kInfo) return Severity::kInfo;
  return weight == Weight::kWarn ? Severity::kWarn : Severity::kError;
}

struct DiagnosticInfo {
  Diagnostic diagnostic;
  std::string_view key;  // stable
  Weights weights;
  std::string_view sentence;                              // what was seen: the evidence
  std::string_view advice;                                // what the game's developer can do about it: the remedy
  Severity severity = SeverityOf(weights[Mode::kServe]);  // in serve; meaningless if it is not reported there
};

const DiagnosticInfo& InfoOf(Diagnostic diagnostic);
// The advice for this key; "" if there is no such diagnostic.
std::string_view AdviceOf(std::string_view key);
// In the enumeration's order.
std::span<const DiagnosticInfo> AllDiagnostics();
// nullptr: there is no such rule.
const DiagnosticInfo* FindDiagnostic(std::string_view key);
// The whole table in Markdown, as in docs/rules.md.
std::string RulesAsMarkdown();

}  // namespace openseat::neuro

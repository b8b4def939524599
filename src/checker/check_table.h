// The table of everything that the checker may find: key, level, what it means and how to mend it. The one source of
// the log's findings and of docs/checker.md, which a test compares with it.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "checker/log.h"

namespace openseat::checker {

// How closely packets are held to the document (vicky.md). kLetter: its TypeScript shapes as they stand, its three
// misspellings included. kDefault: neuro-api.md's names, and what it or today's published protocol makes optional is
// none of a game's faults. kLenient: as kDefault, but a wrong shape does not end the run.
enum class Strictness : std::uint8_t { kLetter, kDefault, kLenient };
std::string_view StrictnessName(Strictness strictness);
std::optional<Strictness> ParseStrictness(std::string_view name);

enum class Check : std::uint8_t {
  kPacketJson,
  kPacketObject,
  kPacketBinary,
  kPacketMissing,
  kPacketType,
  kPacketUnknownCommand,
  kPacketMisspelt,
  kPacketExtra,
  kPacketEmptyArray,
  kPacketUnfinished,
  kStartupMissing,
  kStartupAgain,
  kGameRenamed,
  kActionName,
  kActionDuplicate,
  kSchemaInvalid,
  kSchemaUnknownKeyword,
  kSchemaDeniedKeyword,
  kSchemaRootType,
  kScriptData,
  kScriptNoData,
  kScriptUnfinished,
  kResultUnknown,
  kResultSecond,
  kResultSlow,
  kResultMissing,
  kPendingUnexpected,
  kForceUnknownAction,
  kForceNoneRegistered,
  kForceEmpty,
  kForceSecond,
  kForceEmptied,
  kForceRetries,
  kProposal,
  kConnectionNone,
  kConnectionSecond,
  kConnectionPath,
  kConnectionViolation,
  kInterrupted,
};

// What one strictness makes of a finding. Without a level it is none.
struct Weight {
  std::optional<Level> level;
  bool fatal = false;  // the run ends at once, with exit code 1
};

struct CheckInfo {
  Check check;
  std::string_view key;           // stable: "packet/type"
  std::array<Weight, 3> weights;  // by Strictness
  std::string_view sentence;      // what happened, in general
  std::string_view advice;        // how a game's developer mends it
};

const CheckInfo& InfoOf(Check check);
// In the enumeration's order.
std::span<const CheckInfo> AllChecks();
// All of it as a Markdown table, one check a row: what docs/checker.md shows.
std::string ChecksAsMarkdown();

}  // namespace openseat::checker

// The table of all checks: key, level, what happened and how to fix it. The only source of the log's findings and of
// docs/checker.md, which a test compares with it.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "checker/log.h"

namespace openseat::checker {

// How strictly packets follow the document (vicky.md). kLetter: its TypeScript shapes exactly, including its three
// misspellings. kDefault: neuro-api.md's names; what it or today's published protocol makes optional is
// allowed. kLenient: like kDefault, but a wrong shape does not end the run.
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

// The weight of a finding under one strictness. Without a level, it is not reported.
struct Weight {
  std::optional<Level> level;
  bool fatal = false;  // the run ends at once, with exit code 1
};

struct CheckInfo {
  Check check;
  std::string_view key;           // stable: "packet/type"
  std::array<Weight, 3> weights;  // by Strictness
  std::string_view sentence;      // what happened, in general
  std::string_view advice;        // how a game's developer fixes it
};

const CheckInfo& InfoOf(Check check);
// In enumeration order.
std::span<const CheckInfo> AllChecks();
// The whole table in Markdown, one check per row, as in docs/checker.md.
std::string ChecksAsMarkdown();

}  // namespace openseat::checker

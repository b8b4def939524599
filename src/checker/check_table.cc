#include "checker/check_table.h"

#include "base/check.h"

namespace openseat::checker {
namespace {

constexpr Weight kNothing{};
constexpr Weight kWarn{Level::kWarn, false};
constexpr Weight kError{Level::kError, false};
constexpr Weight kFatal{Level::kError, true};
constexpr Weight kCritical{Level::kCritical, true};

using Weights = std::array<Weight, 3>;  // letter, default, lenient
constexpr Weights kShape{kFatal, kFatal, kError};
constexpr Weights kAlwaysError{kError, kError, kError};
constexpr Weights kAlwaysWarn{kWarn, kWarn, kWarn};
constexpr Weights kAlwaysCritical{kCritical, kCritical, kCritical};

constexpr auto kChecks = std::to_array<CheckInfo>({
    {Check::kPacketJson, "packet/json", kShape, "A packet is not valid JSON.",
     "Use a JSON library and send one document per WebSocket message. Hand-built strings break on quotes and "
     "newlines."},
    {Check::kPacketObject, "packet/object", kShape, "A packet is JSON, but not an object.",
     "Send an object with `command`, `game` and, for most commands, `data`."},
    {Check::kPacketBinary,
     "packet/binary",
     {kError, kError, kWarn},
     "A packet arrived in a binary WebSocket message.",
     "Send text messages. Randy reads binary ones; Neuro does not."},
    {Check::kPacketMissing, "packet/missing", kShape, "A member that the command requires is missing.",
     "Add the member. The log line gives its path."},
    {Check::kPacketType, "packet/type", kShape, "A member has the wrong type, or a value that the API does not define.",
     "Send the type that the log line names."},
    {Check::kPacketUnknownCommand, "packet/unknown-command", kShape, "The API has no such command.",
     "Check the spelling, including the slash. Send custom commands only to your own server."},
    {Check::kPacketMisspelt,
     "packet/misspelt",
     {kNothing, kWarn, kWarn},
     "A member uses a name that the checker's specification misspells (`aciton_names`, `ephermeral_context`, `actions` "
     "of a force).",
     "Use the names in the API specification: `action_names`, `ephemeral_context`."},
    {Check::kPacketExtra,
     "packet/extra",
     {kFatal, kWarn, kNothing},
     "A packet has a member that the API does not define.",
     "Remove it. Servers may reject or ignore it."},
    {Check::kPacketEmptyArray,
     "packet/empty-array",
     {kFatal, kWarn, kWarn},
     "A member is `[]` where an empty object is expected, as some languages serialize an empty table.",
     "Omit the member."},
    {Check::kPacketUnfinished,
     "packet/unfinished",
     {kError, kWarn, kWarn},
     "The connection ended in the middle of a packet, which was lost.",
     "Finish every message (set FIN on its last frame) before you close the connection."},
    {Check::kStartupMissing, "startup/missing", kAlwaysError, "The first packet of the connection was not `startup`.",
     "Send `startup` first, as soon as the connection opens."},
    {Check::kStartupAgain, "startup/again", kAlwaysWarn, "`startup` was sent again on the same connection.",
     "Send it once per connection. It clears all registered actions each time."},
    {Check::kGameRenamed,
     "game/renamed",
     {kNothing, kWarn, kWarn},
     "The game changed its name.",
     "Send the same `game` in every packet: the name that players know."},
    {Check::kActionName,
     "action/name",
     {kNothing, kWarn, kNothing},
     "An action's name is not lowercase words joined by `_` or `-`.",
     "Name actions like `join_friend_lobby`."},
    {Check::kActionDuplicate, "action/duplicate", kAlwaysWarn,
     "An action was registered under a name that was already registered; the first one was kept.",
     "Unregister an action before you register it again."},
    {Check::kSchemaInvalid, "schema/invalid", kAlwaysError,
     "An action's schema is not a usable JSON Schema (draft 2020-12).",
     "Fix the schema. The log line says where and why."},
    {Check::kSchemaUnknownKeyword, "schema/unknown-keyword", kAlwaysError,
     "An action's schema has a key that JSON Schema does not define.",
     "Check the spelling. Validators silently ignore unknown keys."},
    {Check::kSchemaDeniedKeyword, "schema/denied-keyword", kAlwaysError,
     "An action's schema uses a keyword listed in --denied-keywords.",
     "Use other keywords, or check the data in the game and send a failing result."},
    {Check::kSchemaRootType,
     "schema/root-type",
     {kNothing, kWarn, kNothing},
     "An action's schema does not have `\"type\": \"object\"`.",
     "The API requires objects. Put the value in a property."},
    {Check::kScriptData, "script/data", kAlwaysWarn,
     "The script's data does not match the schema that the game registered; matching generated data was sent instead.",
     "Fix the script or the schema."},
    {Check::kScriptNoData, "script/no-data", kAlwaysError,
     "No data matching an action's schema could be generated, so the action was not sent.",
     "Put matching data in the script. If nothing can match the schema, fix the schema."},
    {Check::kScriptUnfinished, "script/unfinished", kAlwaysCritical,
     "The run ended before every action in the script was sent and answered.",
     "Check the action in the log line. Either it was never registered, or the game stopped too early."},
    {Check::kResultUnknown, "result/unknown", kAlwaysError, "A result has an id that no sent action has.",
     "Reply with the exact id that came with the action."},
    {Check::kResultSecond, "result/second", kAlwaysError, "An action got a second result.",
     "Send exactly one result per action."},
    {Check::kResultSlow,
     "result/slow",
     {kNothing, kWarn, kNothing},
     "A result took more than 20 seconds; Neuro would have treated the action as failed.",
     "Send the result as soon as the data is validated, before the game carries out the action."},
    {Check::kResultMissing, "result/missing", kAlwaysCritical, "An action never got a result.",
     "Send a result for every action, including those that fail."},
    {Check::kPendingUnexpected, "pending/unexpected", kAlwaysError,
     "A packet other than `action/result`, `context` or `actions/unregister` arrived while an action was waiting for "
     "its result; it was ignored.",
     "Send the result first."},
    {Check::kForceUnknownAction, "force/unknown-action", kAlwaysError,
     "A force names an unregistered action; the others were used.", "Register an action before you force it."},
    {Check::kForceNoneRegistered, "force/none-registered", kAlwaysError,
     "None of a force's actions are registered; the force was ignored.",
     "Register the actions before you force them. Neuro ignores such a force, too."},
    {Check::kForceEmpty, "force/empty", kAlwaysError, "A force names no actions; it was ignored.",
     "Put at least one registered action in `action_names`."},
    {Check::kForceSecond,
     "force/second",
     {kFatal, kFatal, kFatal},
     "A second force arrived while one was being processed.",
     "Send the first force's result with `success: true` before you force again."},
    {Check::kForceEmptied, "force/emptied", kAlwaysWarn,
     "All actions of a force were unregistered while it was being processed; it was ignored.",
     "Send the successful result first, then unregister the force's actions. After a failed result there would be "
     "nothing left to retry."},
    {Check::kForceRetries, "force/retries", kAlwaysError, "A force's actions kept failing, so the checker gave up.",
     "Say in `message` what was wrong, and set `success` to true if a retry cannot help."},
    {Check::kProposal, "proposal", kAlwaysWarn, "The command is only proposed for the API.",
     "Do not send it unless you know that the server supports it."},
    {Check::kConnectionNone, "connection/none", kAlwaysCritical, "No game connected in time.",
     "Start the game after the checker, and have it connect to the address that the checker prints."},
    {Check::kConnectionSecond, "connection/second", kAlwaysWarn,
     "A second connection was attempted while the game was connected; it was refused.",
     "Use one connection. The checker tests one game at a time."},
    {Check::kConnectionPath, "connection/path", kAlwaysWarn,
     "A connection used a path that the API does not define; it was refused.",
     "Connect to the address that the checker prints, at `/`, `/game`, `/game/NAME` or `/neuro`."},
    {Check::kConnectionViolation,
     "connection/violation",
     {kFatal, kFatal, kFatal},
     "The game violated the WebSocket protocol or a limit (a packet over 4 MiB, a ping without a pong); the checker "
     "closed the connection.",
     "See the log line for the rule or limit. Leave framing to a WebSocket library, and split large packets."},
    {Check::kInterrupted, "run/interrupted", kAlwaysCritical, "The run was interrupted before it finished.",
     "Let the checker finish, or raise the step's time limit."},
});

}  // namespace

std::string_view StrictnessName(Strictness strictness) {
  switch (strictness) {
    case Strictness::kLetter:
      return "letter";
    case Strictness::kDefault:
      return "default";
    case Strictness::kLenient:
      return "lenient";
  }
  return "default";
}

std::optional<Strictness> ParseStrictness(std::string_view name) {
  for (const Strictness strictness : {Strictness::kLetter, Strictness::kDefault, Strictness::kLenient}) {
    if (name == StrictnessName(strictness)) return strictness;
  }
  return std::nullopt;
}

const CheckInfo& InfoOf(Check check) {
  const CheckInfo& info = kChecks[static_cast<std::size_t>(check)];
  OPENSEAT_CHECK(info.check == check, "the table is in the enumeration's order");
  return info;
}

std::span<const CheckInfo> AllChecks() {
  return kChecks;
}

std::string ChecksAsMarkdown() {
  std::string out = "| check | letter | default | lenient | what happened | what to do |\n|---|---|---|---|---|---|\n";
  for (const CheckInfo& info : kChecks) {
    out += "| `" + std::string(info.key) + "` |";
    for (const Weight& weight : info.weights) {
      out += weight.level ? " " + std::string(LevelName(*weight.level)) : " –";
      if (weight.fatal) out += ", ends the run";
      out += " |";
    }
    out += " " + std::string(info.sentence) + " | " + std::string(info.advice) + " |\n";
  }
  return out;
}

}  // namespace openseat::checker

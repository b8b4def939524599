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
     "Write packets with a JSON library, one document in each WebSocket message; hand-made strings break at quotes and "
     "line ends."},
    {Check::kPacketObject, "packet/object", kShape, "A packet is JSON, but no object.",
     "Every packet is an object with `command`, `game` and, for most commands, `data`."},
    {Check::kPacketBinary,
     "packet/binary",
     {kError, kError, kWarn},
     "A packet came in a binary WebSocket message.",
     "Send text messages: Randy reads binary ones, Neuro does not."},
    {Check::kPacketMissing, "packet/missing", kShape, "A member that the command needs is not there.",
     "Send the member; the line names it with its path."},
    {Check::kPacketType, "packet/type", kShape, "A member has the wrong type, or a value that the API does not have.",
     "Send the type that the line names."},
    {Check::kPacketUnknownCommand, "packet/unknown-command", kShape, "The API has no such command.",
     "Check the spelling, the slash included; send commands of your own to a server of your own."},
    {Check::kPacketMisspelt,
     "packet/misspelt",
     {kNothing, kWarn, kWarn},
     "A member has a name that stands in the checker's specification by mistake (`aciton_names`, `ephermeral_context`, "
     "`actions` of a force).",
     "Use the names of the API's specification: `action_names`, `ephemeral_context`."},
    {Check::kPacketExtra,
     "packet/extra",
     {kFatal, kWarn, kNothing},
     "A packet has a member that the API does not know.",
     "Leave it out: servers may refuse it or ignore it."},
    {Check::kPacketEmptyArray,
     "packet/empty-array",
     {kFatal, kWarn, kWarn},
     "`[]` stands where an empty object is meant, as some languages write an empty table.",
     "Leave the member out."},
    {Check::kPacketUnfinished,
     "packet/unfinished",
     {kError, kWarn, kWarn},
     "The connection ended in the middle of a packet, which is lost.",
     "Finish every message (its last frame has the FIN bit) before you close the connection."},
    {Check::kStartupMissing, "startup/missing", kAlwaysError, "The first packet of the connection was not `startup`.",
     "Send `startup` as soon as the connection is open, before anything else."},
    {Check::kStartupAgain, "startup/again", kAlwaysWarn, "`startup` came a second time on the same connection.",
     "Send it once a connection: each time it clears every registered action."},
    {Check::kGameRenamed,
     "game/renamed",
     {kNothing, kWarn, kWarn},
     "The game gave itself another name than before.",
     "Send the same `game` with every packet, the name that players know."},
    {Check::kActionName,
     "action/name",
     {kNothing, kWarn, kNothing},
     "An action's name is not made of lower-case words joined by `_` or `-`.",
     "Name actions like `join_friend_lobby`."},
    {Check::kActionDuplicate, "action/duplicate", kAlwaysWarn,
     "An action was registered under a name that is registered already; the first one was kept.",
     "Unregister an action before you register it anew, and do not register the same one twice."},
    {Check::kSchemaInvalid, "schema/invalid", kAlwaysError,
     "An action's schema is no JSON Schema of draft 2020-12, or one that cannot be used.",
     "Mend the schema; the line says where and why."},
    {Check::kSchemaUnknownKeyword, "schema/unknown-keyword", kAlwaysError,
     "An action's schema has a key that JSON Schema does not know.",
     "Check the spelling; a validator would ignore it without a word."},
    {Check::kSchemaDeniedKeyword, "schema/denied-keyword", kAlwaysError,
     "An action's schema uses a keyword of the list that was given with --denied-keywords.",
     "Say it with other keywords, or check it in the game and answer with a failing result."},
    {Check::kSchemaRootType,
     "schema/root-type",
     {kNothing, kWarn, kNothing},
     "An action's schema is not of `\"type\": \"object\"`.",
     "The API wants objects: put the value into a property."},
    {Check::kScriptData, "script/data", kAlwaysWarn,
     "The script's data does not fit the schema that the game registered; made-up data that does was sent instead.",
     "Mend the script, or the schema."},
    {Check::kScriptNoData, "script/no-data", kAlwaysError,
     "No data could be made up that fits an action's schema, so that the action could not be sent.",
     "Give the script data that fits; a schema that nothing satisfies has to be mended."},
    {Check::kScriptUnfinished, "script/unfinished", kAlwaysCritical,
     "The run ended before every action of the script had been sent and answered.",
     "Look which action the line names: it was never registered, or the game was stopped too early."},
    {Check::kResultUnknown, "result/unknown", kAlwaysError, "A result has an id that no action was sent with.",
     "Answer with the very id that came with the action."},
    {Check::kResultSecond, "result/second", kAlwaysError, "An action was answered a second time.",
     "Send one result for each action."},
    {Check::kResultSlow,
     "result/slow",
     {kNothing, kWarn, kNothing},
     "A result took longer than 20 seconds; Neuro would have taken the action for failed.",
     "Answer as soon as the data is validated, before the action is carried out in the game."},
    {Check::kResultMissing, "result/missing", kAlwaysCritical, "An action was never answered.",
     "Send a result for each action, for those too that fail."},
    {Check::kPendingUnexpected, "pending/unexpected", kAlwaysError,
     "Another packet than `action/result`, `context` or `actions/unregister` came while an action waited for its "
     "result; "
     "it was not carried out.",
     "Send the result first."},
    {Check::kForceUnknownAction, "force/unknown-action", kAlwaysError,
     "A force names an action that is not registered; the others were used.",
     "Register an action before you force it."},
    {Check::kForceNoneRegistered, "force/none-registered", kAlwaysError,
     "None of a force's actions is registered; the force was ignored.",
     "Register the actions before you force them; Neuro would do nothing at all."},
    {Check::kForceEmpty, "force/empty", kAlwaysError, "A force names no action; it was ignored.",
     "Put at least one registered action into `action_names`."},
    {Check::kForceSecond,
     "force/second",
     {kFatal, kFatal, kFatal},
     "A second force came while one was being processed.",
     "Wait until the result of the first one has been sent with `success: true`."},
    {Check::kForceEmptied, "force/emptied", kAlwaysWarn,
     "All actions of a force were unregistered while it was being processed; it was ignored.",
     "Send the successful result first, then unregister the force's actions: after a failed one there would be nothing "
     "left to retry."},
    {Check::kForceRetries, "force/retries", kAlwaysError, "A force was refused again and again and given up.",
     "Say in `message` what was wrong, and set `success` to true where a retry is of no use."},
    {Check::kProposal, "proposal", kAlwaysWarn, "A command that is only proposed for the API.",
     "Leave it out unless you know that the server supports it."},
    {Check::kConnectionNone, "connection/none", kAlwaysCritical, "No game connected in time.",
     "Start the game after the checker, and let it connect to the address that the checker prints."},
    {Check::kConnectionSecond, "connection/second", kAlwaysWarn,
     "A second connection came while the game was connected; it was refused.",
     "Keep one connection; the checker tests one game at a time."},
    {Check::kConnectionPath, "connection/path", kAlwaysWarn,
     "A connection came to a path that the API does not have; it was refused.",
     "Connect to the address that the checker prints: to `/`, `/game`, `/game/NAME` or `/neuro`."},
    {Check::kConnectionViolation,
     "connection/violation",
     {kFatal, kFatal, kFatal},
     "The game broke a rule of WebSocket or a limit (a packet of more than 4 MiB, a ping without its pong), and the "
     "checker closed the connection.",
     "The line names the rule or the limit. Leave the framing to a WebSocket library, and split what is too large."},
    {Check::kInterrupted, "run/interrupted", kAlwaysCritical, "The run was interrupted before its end.",
     "Let the checker end by itself, or raise the time that the step may take."},
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

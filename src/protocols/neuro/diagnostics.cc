#include "protocols/neuro/diagnostics.h"

#include <algorithm>
#include <array>
#include <cstddef>

namespace openseat::neuro {
namespace {

using enum Diagnostic;

// One row per rule, in the enumeration's order: serve, then check's letter, default, lenient. docs/rules.md has the
// same table; a test compares them.
constexpr std::array kTable = std::to_array<DiagnosticInfo>({
    {kInvalidMessage, "prot/invalid_message", "eFFe",
     "A message could not be read, or lacks what its command cannot do without; it was ignored.",
     "Send one JSON object of at most 4 MiB per message, with `command`, `game` and what the command needs in `data`."},
    {kUnknownCommand, "prot/unknown_command", "wFFe", "The API has no command of this name; the message was ignored.",
     "Check the spelling; commands of your own belong under a prefix of your own, and nobody will answer them."},
    {kVendorCommand, "prot/vendor_command", "iFFi",
     "A command stands under a prefix of its own (`mygame/…`), as the API asks of custom commands; it was ignored.",
     "Send it only to a server of your own: others ignore it, and the checker ends a run at commands that the API "
     "lacks."},
    {kCommandMisspelt, "prot/command/misspelt", "eFFe",
     "A command is misspelled in a known way (`action:result`, a wrong plural).",
     "Correct the name, including the slash: other servers ignore the message."},
    {kRepairedJson, "prot/json/repaired", "eFFe", "A message is not valid JSON, but can be read after repairs.",
     "Let a JSON library write your messages: other servers drop this one."},
    {kSeveralDocuments, "prot/json/several", "eFFe", "One message holds several JSON documents.",
     "Send each document as a WebSocket message of its own, and finish every message."},
    {kInvalidUtf8, "prot/text/invalid_utf8", "eFFe", "A text is not valid UTF-8; the bad bytes were replaced.",
     "Convert your texts to UTF-8 before they are sent, or escape them as \\uXXXX."},
    {kBinaryFrame, "prot/frame/binary", "eeew", "A message came as a binary frame; it was read as text.",
     "Send text frames: Randy reads binary ones, the real server does not."},
    {kFrameViolation, "prot/frame/violation", "eFFF",
     "The game broke a rule of WebSocket (RFC 6455) or a limit (4 MiB per message); the connection was closed.",
     "Leave the framing to a WebSocket library; the detail names the rule."},
    {kFrameUnfinished, "prot/frame/unfinished", "weww",
     "The connection ended in the middle of a message, which was lost.",
     "Finish every message (its last frame has the FIN bit) before you close the connection."},
    {kNullField, "prot/field/null", "i-ii", "A member that can be left out is null; it was treated as left out.",
     "Leave out what you have no value for: stricter servers refuse null."},
    {kUnknownField, "prot/field/unknown", "wFw-",
     "A message has members that the API does not define; they were ignored.",
     "Remove them: stricter servers drop the whole message."},
    {kMissingField, "prot/field/missing", "wFFe", "A required member is missing.",
     "Send every member that the API requires; the detail gives its path."},
    {kInvalidField, "prot/field/invalid", "eFFe", "A member has a type or a value that the API does not define.",
     "Send the type that the detail names: other servers drop the message or misread it."},
    {kDuplicateEntry, "prot/field/duplicate", "i-ii", "A list names the same action more than once.",
     "Name each action once."},
    {kEmptyArrayData, "prot/field/array_for_object", "wFww", "An empty array stands where an object belongs.",
     "Leave the member out, or make the encoder write {} (in Lua and PHP an empty table becomes [])."},
    {kMisspelt, "prot/field/misspelt", "w-ww",
     "A member is misspelled in a known way (`aciton_names`, `ephermeral_context`, `actions` of a force); it was read "
     "as what it should be.",
     "Correct the name: other servers do not know this spelling."},
    {kProposal, "prot/proposal", "wwww", "The command is only proposed for the API, not part of it.",
     "Do not send it unless you know that the server supports it: others ignore it."},
    {kStartupMissing, "prot/startup/missing", "weee", "The game sent something before its startup message.",
     "Send startup first on every new connection, reconnections included."},
    {kStartupMultiple, "prot/startup/multiple", "wwww",
     "The game sent startup more than once on a connection; its actions were cleared again.",
     "Send startup once, right after connecting; to drop actions, unregister them."},
    {kStartupLate, "perf/late/startup", "i-ii", "The startup message came more than 500 ms after the connection.",
     "Send startup as soon as the connection is open."},
    {kGameBlank, "prot/game/blank", "e-ew", "`game` is blank.", "Send the game's display name in every message."},
    {kGameDisplayName, "prot/game/not_display_name", "i-ii",
     "`game` looks like an identifier: lower case with `_` or `-`, without a space.",
     "Use the name that players know, with its spaces and capitals."},
    {kGameRenamed, "prot/v1/game_renamed", "e-ew", "The game's name changed on an open connection.",
     "Keep one name, the display name, in every message."},
    {kSecondGame, "prot/v1/game_renamed/startup", "i-ii",
     "A `startup` with another name came on the same connection: a second game.",
     "Fine for a program that plays several games; otherwise keep one name."},
    {kResumedSilently, "prot/reconnect/no_startup", "w---",
     "The game came back after a lost connection without sending startup; its table was kept as it was.",
     "After a reconnection send startup and register your actions again."},
    {kForceNotRepeated, "prot/reconnect/no_force", "i---",
     "The game came back without repeating its open force; it was asked again on the game's behalf.",
     "After a reconnection send the force again that was open before."},
    {kReconnectNoActions, "prot/reconnect/no_actions", "w---",
     "The game came back with a startup, but registered nothing within 2 s, though it had actions before.",
     "After a reconnection send startup and register your actions at once, without being asked."},
    {kClosedAbnormally, "prot/close/abnormal", "i-ii", "The connection ended without a close frame.",
     "Close the WebSocket when the game ends."},
    {kShutdownClosed, "prot/shutdown/closed", "i---",
     "The server asked for a shutdown, and the game closed without `shutdown/ready`.",
     "Save, send `shutdown/ready`, and leave it to the server to end the program."},
    {kShutdownNotReady, "prot/shutdown/no_ready", "i---",
     "The server asked for an immediate shutdown, and `shutdown/ready` did not come within 10 s.",
     "Save at once and send `shutdown/ready`."},
    {kActionName, "prot/action/name", "w-wi", "An action's name is not lower-case words joined by _ or -.",
     "Use a name such as `play_card`: a to z, 0 to 9, and single `_` or `-` between words."},
    {kNoDescription, "prot/action/no_desc", "w-wi", "An action has no description.",
     "Say in a sentence what the action does: the description is all that the player reads about it."},
    {kSchemaEmpty, "prot/schema/prefer_omit_to_empty", "i-ii",
     "An action's schema is null or {}; the action takes no data.",
     "The API permits {}, but leave the schema out if you can: in JSON Schema, {} allows anything."},
    {kSchemaTypeObject, "prot/schema/type_object", "w-wi", "A schema's root does not say `\"type\": \"object\"`.",
     "Make the root an object and put a single value into a property of it."},
    {kSchemaUnsupported, "prot/schema/unsupported_keywords", "w-wi",
     "A schema uses keywords that the API advises against.",
     "Use simple schemas: type, properties, required, items, enum, const, and bounds; check the rest in the game."},
    {kSchemaUnknownKeyword, "prot/schema/unknown_keyword", "weee",
     "A schema has a key that JSON Schema does not define.",
     "Check the spelling: validators silently ignore unknown keys."},
    {kSchemaDenied, "prot/schema/denied_keyword", "-eee", "A schema uses a keyword listed in `--denied-keywords`.",
     "Use other keywords, or check the data in the game and send a failing result."},
    {kSchemaAdditional, "prot/schema/additionalProperties", "i-ii",
     "The root of a schema with properties does not say `additionalProperties`.",
     "Check for surplus members in the game. Some testers want the keyword; the API lists it as not supported."},
    {kSchemaInvalid, "prot/schema/invalid", "eeee",
     "A schema is not valid JSON Schema, so the action's data is not checked against it.",
     "Correct the schema; the detail says where it is wrong."},
    {kSchemaConfusing, "perf/schema/confusing", "i-ii", "A schema is hard to follow for a language model.",
     "Keep schemas flat and short; the detail says what stands out."},
    {kSchemaCostly, "perf/schema/costly", "w-ww", "A schema asks for too much work, so data is not checked against it.",
     "Split or simplify the schema: patterns with nested repetitions, long chains of references and very large schemas "
     "cost most."},
    {kDuplicateIdentical, "perf/register/identical_duplicate", "iwwi",
     "An action was registered again with the same definition.",
     "Harmless, but each action needs to be registered only once."},
    {kDuplicateConflict, "prot/v1/register/conflict", "wwww", "An action was registered again with another definition.",
     "Unregister an action before you register it with another definition: servers differ on which one counts."},
    {kUnregisterUnknown, "prot/unregister/unknown", "i-ii", "The game unregistered an action that it never registered.",
     "The API allows it. Check the name, and whether the game lost track of its actions after a reconnection."},
    {kUnregisterInactive, "prot/unregister/inactive", "i-ii",
     "The game unregistered an action that was no longer registered.", "Unregister each action once."},
    {kUnregisterEmpty, "prot/unregister/empty", "i-ii", "The game unregistered an empty list of actions.",
     "Do not send the message when there is nothing to unregister."},
    {kActionCollision, "prot/actions/collision", "i---",
     "Another connected game has registered an action of the same name.",
     "Use names that only your game has (`mygame_move`): to the character, the actions of all games are one list."},
    {kForceEmpty, "prot/force/empty", "eeee", "A force names no actions; it was ignored.",
     "Name at least one registered action in `action_names`."},
    {kForceSomeInvalid, "prot/force/some_invalid", "weee",
     "A force names actions that are not registered; the rest was used.",
     "Register actions before you force them, and name only those."},
    {kForceAllInvalid, "prot/force/all_invalid", "eeee",
     "None of the actions of a force is registered; it was ignored.",
     "Register the actions before you force them: Neuro ignores such a force, too."},
    {kForceMultiple, "prot/force/multiple", "eFFF", "A force came while another one was open.",
     "Send the next force only after the successful result of the open one: some servers replace the first, others "
     "break."},
    {kForceWhilePending, "prot/force/while_pending_result", "eeee",
     "A force came while the result of an action was still owed.",
     "Send the action's result first, then the next force."},
    {kPendingUnexpected, "prot/pending/unexpected", "-eew",
     "`startup`, `actions/register` or a proposed command came while an action waited for its result; it was ignored.",
     "Send the action's result first."},
    {kForceEmptied, "prot/force/emptied", "wwww",
     "All actions of a force were unregistered, and then its action failed, so nothing was left to retry (`letter`: at "
     "once, without waiting for the result).",
     "After a failing result keep the force's actions registered; unregister them once one has succeeded, before or "
     "after its result."},
    {kForceRefused, "prot/force/refused", "wwww",
     "The game keeps refusing what is chosen for a force; it is asked again, ever more slowly (in `openseat check`: "
     "under a profile that limits the tries).",
     "Say in the failing result what would be right, let the schema say it, or accept the action."},
    {kForceGaveUp, "prot/force/gave_up", "weee",
     "A force's actions failed as often as they may be retried; it was given up.",
     "Say in the failing result what would have been right, or accept the action; set `success` to true if a retry "
     "cannot help."},
    {kResultNoMessage, "prot/result/error_nomessage", "w-ww", "A failing result has no message.",
     "Say what was wrong: the message is what the next try goes by."},
    {kResultUnexpected, "prot/result/unexpected", "weee",
     "A result names an action that is not waiting for one; it was ignored.",
     "Send back the id of the action message exactly as it came, once, on the same connection."},
    {kResultDuplicate, "prot/result/duplicate", "weee", "An action got a second result; it was ignored.",
     "Send one result for each action; tell what happens later with context."},
    {kResultAfterTimeout, "prot/result/after_timeout", "w---",
     "A result came after the action had been counted as failed; it was ignored.",
     "Send the result once the action is checked, before it is carried out."},
    {kResultRefusedValid, "prot/result/refused_valid", "-www", "The game refused an action of the script.",
     "Fix the game or the script; if it is right to refuse, say `\"expect\": \"refused\"` in the script (an error with "
     "`--refused error`)."},
    {kResultUnknownAction, "prot/result/unknown_action", "wwww",
     "The game accepted an action that it never registered, or did not answer it within 2 s (in `openseat check`: with "
     "`--probe`).",
     "Answer every action; one that the game does not know with `success` false and a message that says so."},
    {kResultAcceptedWrong, "prot/result/accepted_invalid", "wwww",
     "Data that an action's schema refuses got a successful result (in `openseat check`: with `--profile chaos`).",
     "Check the data of every action, and answer wrong data with a failing result that says what is wrong."},
    {kResultMissing, "prot/result/missing", "-CCC", "An action had no result when the run ended.",
     "Send a result for every action, including those that fail."},
    {kResultLate, "perf/late/action_result", "w-wi", "A result took longer than 500 ms.",
     "Send the result once the action is checked; tell what happens later with context."},
    {kResultTimeout, "perf/timeout/action_result", "e-ew",
     "An action got no result within 20 s; Neuro counts it as failed.",
     "Answer every action with a result as soon as its data is checked, also actions that the game does not know."},
    {kContextWhilePending, "prot/context/while_pending", "i-ii",
     "Context came while the result of an action was owed; the agent reads it after the result.",
     "Fine; send the result first if the order matters."},
    {kContextHeading, "perf/context/heading", "i-ii",
     "A `message`, `state` or `query` has a Markdown heading of the top level (`# …`).",
     "Markdown is welcome, top-level headings are not: they belong to the prompt around your text."},
    {kContextDump, "perf/context/json_dump", "i-ii", "A context `message` of 200 bytes or more is a JSON document.",
     "Say it in prose or as a list; JSON is for `state`."},
    {kContextFlood, "perf/context/flood", "w-wi",
     "More than 10 contexts came within 10 s, or more than 30 within 60 s, apart from 3 for each result and from the "
     "first 5 s.",
     "Send occasional, meaningful context; put the current situation into the `state` of the next force."},
    {kContextTelemetry, "perf/context/telemetry", "w-wi",
     "After the first 5 s, 5 contexts in a row within 30 s, without a force or a result between them, differ only in "
     "their numbers.",
     "Do not stream positions or counters: say what matters when it changes."},
    {kContextRepeated, "perf/context/repeated", "i-ii",
     "The same context of 400 bytes or more came a 4th time within 5 minutes.",
     "Send long explanations once, and again only at key moments."},
    {kContextToldAgain, "perf/reconnect/context_repeated", "i---",
     "After a reconnection, a context of 400 bytes or more came that had been told before.",
     "Context outlives a connection: tell only what is new."},
    {kContextState, "perf/context/should_be_state", "i-ii",
     "3 times, a force without `state` came within 250 ms of a context.",
     "Put what the decision needs into the `state` of the force."},
    {kContextEmpty, "perf/context/empty", "w-wi", "A context has a blank `message`.",
     "Say what is happening, or send nothing."},
    {kActionVagueName, "perf/action/vague_name", "i-ii",
     "An action's name says nothing: `action`, `option`, `choice`, `button`, `item`, `do`, `test` or one letter, with "
     "or without a number.",
     "Name the action after what it does, as in `play_card`."},
    {kActionLongText, "perf/action/long_desc", "i-ii",
     "An action's description has more than 300 bytes, or more than 3 sentences.",
     "Describe an action in one or two sentences; explain the rules once, in a context."},
    {kActionListsActions, "perf/action/lists_actions", "i-ii", "An action only lists the actions, as its name says.",
     "Leave it out: the agent knows what is registered."},
    {kActionsChurn, "perf/actions/churn", "w-wi",
     "The set of registered actions changed more than 12 times in 60 s, apart from the first 5 s, the second before a "
     "force and the second after a result.",
     "Keep the set stable: register early, refuse what is not possible now, and say why."},
    {kActionsAgain, "perf/actions/reregistered_same", "i-ii",
     "An action was registered 5 times, always alike, without being forced or taken in between.",
     "Register at the start what is used throughout; keep it registered, unless it is disposable."},
    {kActionsEnumChurn, "perf/actions/enum_churn", "i-ii",
     "An action was registered 4 times with schemas that differ only in `enum`, `const` or bounds, without being "
     "forced or taken in between.",
     "Keep one schema with a free value, name the options in `state`, and check the value in the game."},
    {kActionsAlike, "perf/actions/near_identical", "i-ii",
     "5 or more registered actions have the same schema and names that differ only in a number or the last word.",
     "Register one action with a parameter."},
    {kActionsMany, "perf/actions/too_many", "i-ii", "More than 40 actions are registered at a time.",
     "Register what is useful now; about 20 is no problem."},
    {kForceNoQuery, "perf/force/empty_query", "w-wi", "A force has a blank `query`.",
     "Say what the agent is to do now."},
    {kForceUrgent, "perf/force/urgent", "w-wi",
     "3 forces with priority `critical` came within 60 s, or of 8 forces more than a quarter were `critical` or all "
     "`high` or `critical`.",
     "Use `low` for turn-based games, and `critical` only where a second counts: it interrupts speech."},
    {kForceRemembered, "perf/force/state_remembered", "w-wi",
     "3 of the last 5 forces had a `state` of 1,000 bytes or more without `ephemeral_context`.",
     "Set `ephemeral_context` to true when each force repeats the situation: otherwise every copy is remembered."},
    {kForceLong, "perf/force/too_much", "i-ii", "A `state` has more than 8,000 bytes or 60 list lines.",
     "Say what the decision needs, in moderate amounts."},
    {kForceChained, "perf/force/chained", "i-ii",
     "3 chains of 3 forces, each within 250 ms of the last success, asked for other actions with at most one parameter "
     "each.",
     "Ask for it in one action with two or three parameters: each force costs a round trip."},
    {kForceNever, "perf/force/never", "i-ii",
     "Actions were registered, but no force came within 3 minutes, and nothing for 60 s.",
     "Force whenever the game waits for the agent: otherwise it forgets the game."},
    {kResultVague, "perf/result/vague_error", "i-ii",
     "A failing result's message has fewer than 15 bytes, or says the same for the 3rd time in one force.",
     "Say what was wrong and what would be right, so that the next try can succeed."},
    {kResultSameText, "perf/result/uninformative", "i-ii",
     "10 successful results in a row had no message and no context within 2 s, or 5 different actions have the same "
     "message.",
     "Say what changed; leave the message out only if nothing did."},
    {kResultLong, "perf/result/long_message", "i-ii", "A successful result's message has more than 1,000 bytes.",
     "Keep it small; send the rest as context."},
    {kUnregisterLate, "perf/unregister/after_result", "i-ii",
     "3 times, an action of a force was unregistered within 1 s after its successful result.",
     "Unregister disposable actions before the result, so that they are not taken again."},
    {kLimit, "prot/limit", "e---", "A limit of this server was reached; what went beyond it was left out.",
     "Send less, or have the setting that the detail names raised."},
    {kAgentInvalid, "agent/invalid_choice", "i---", "The agent chose something invalid; the game did not see it.",
     "Nothing to do in the game: the agent was told and asked again."},
    {kAgentGaveUp, "agent/gave_up", "w---", "The agent could not answer a force, which was given up.",
     "If the detail says that nothing fits the action's schema, check the schema; otherwise send the force again."},
    {kRecordingGap, "server/recording_gap", "w---", "Something of the table could not be recorded; the game goes on.",
     "Nothing if the disk was full; send less if the detail names a limit."},
    {kScriptData, "script/data", "-www",
     "The script's data does not match the schema that the game registered; matching generated data was sent instead.",
     "Fix the script or the schema; to test a refusal, say `\"expect\": \"refused\"`."},
    {kScriptNoData, "script/no-data", "-eee",
     "No data matching an action's schema could be generated, so the action was not sent.",
     "Put matching data into the script. If nothing can match the schema, fix the schema."},
    {kScriptNotRefused, "script/not-refused", "-eee",
     "The game did not do what the script expects: it accepted an action with `\"expect\": \"refused\"`, or refused "
     "one with `\"accepted\"`.",
     "Check the data in the game, and send a failing result that says what is wrong."},
    {kScriptNothing, "script/nothing-tested", "-www",
     "The game registered nothing and no action was sent, so nothing was tested.",
     "Give the game time to register its actions (`--quiet`), or write a script."},
    {kScriptUnfinished, "script/unfinished", "-CCC",
     "The run ended before every action in the script was sent and answered.",
     "Check the action in the detail. Either it was never registered, or the game stopped too early."},
    {kConnectionNone, "connection/none", "-CCC", "No game connected within `--connect-timeout`.",
     "Start the game after the checker, and have it connect to the address that the checker prints."},
    {kConnectionSecond, "connection/second", "-www",
     "A second connection was attempted while the game was connected; it was refused.",
     "Use one connection. The checker tests one game at a time."},
    {kConnectionPath, "connection/path", "-www",
     "A connection used a path that the API does not define; it was refused.",
     "Connect to the address that the checker prints, at `/`, `/game`, `/game/NAME` or `/neuro`."},
    {kConnectionDropped, "connection/dropped", "-FFF",
     "The game did not answer a ping, or did not read what was sent; the checker closed the connection.",
     "Let the WebSocket library run while the game is busy."},
    {kGameNotStarted, "game/not-started", "-CCC", "The command that starts the game failed before a game connected.",
     "Run the command by hand; its output is in the game's log."},
    {kRunTimeout, "run/timeout", "-CCC",
     "The game did not close the connection within `--timeout`, as `--until exit` asks.",
     "Close the connection when the game ends, or use another `--until`."},
    {kRunInterrupted, "run/interrupted", "-CCC", "The run was interrupted before it finished.",
     "Let the checker finish, or raise the step's time limit."},
});

constexpr bool InOrder() {
  for (std::size_t i = 0; i < kTable.size(); ++i) {
    if (static_cast<std::size_t>(kTable[i].diagnostic) != i) return false;
  }
  return true;
}
static_assert(InOrder() && kTable.size() == static_cast<std::size_t>(kRunInterrupted) + 1,
              "the table has one row per diagnostic, in the enumeration's order");

}  // namespace

std::string_view SeverityName(Severity severity) {
  constexpr std::array<std::string_view, 3> kNames = {"info", "warn", "error"};
  return kNames[static_cast<std::size_t>(severity)];
}

const DiagnosticInfo& InfoOf(Diagnostic diagnostic) {
  return kTable[static_cast<std::size_t>(diagnostic)];
}

std::span<const DiagnosticInfo> AllDiagnostics() {
  return kTable;
}

const DiagnosticInfo* FindDiagnostic(std::string_view key) {
  const auto found = std::ranges::find(kTable, key, &DiagnosticInfo::key);
  return found == kTable.end() ? nullptr : &*found;
}

std::string_view AdviceOf(std::string_view key) {
  const DiagnosticInfo* const found = FindDiagnostic(key);
  return found == nullptr ? std::string_view() : found->advice;
}

std::string RulesAsMarkdown() {
  constexpr std::array<std::string_view, 6> kWords = {
      "–", "info", "warn", "error", "error, ends the run", "critical, ends the run"};
  std::string out =
      "| rule | serve | letter | default | lenient | evidence | remedy |\n|---|---|---|---|---|---|---|\n";
  for (const DiagnosticInfo& info : kTable) {
    out.append("| `").append(info.key).append("` |");
    for (const Weight weight : info.weights.weights) {
      // A server has no run to end.
      const bool in_serve = &weight == info.weights.weights.data();
      out.append(" ").append(kWords[static_cast<std::size_t>(in_serve ? std::min(weight, Weight::kError) : weight)]);
      out.append(" |");
    }
    out.append(" ").append(info.sentence).append(" | ").append(info.advice).append(" |\n");
  }
  return out;
}

}  // namespace openseat::neuro

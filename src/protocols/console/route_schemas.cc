// What the console's routes take and answer: the schemas that route_info.cc refers to.
#include <string_view>
#include <utility>

#include "net/schemas.h"
#include "protocols/console/route_info.h"

namespace openseat::console {
namespace {

using net::schemas::Any;
using net::schemas::ListOf;
using net::schemas::Moment;
using net::schemas::Nullable;
using net::schemas::ObjectOf;
using net::schemas::OneOf;
using net::schemas::Ref;
using net::schemas::Text;
using net::schemas::Typed;
using net::schemas::Whole;

// Shown once, when a seat is given to an agent that plays from outside.
json::Object SeatSecrets() {
  return {{"token", Text("For a seat that is played from outside; shown once.")},
          {"api-key", Text("For a seat that is played over the Agent API; shown once.")}};
}

}  // namespace

void AddSchemas(net::Router& router) {
  const json::Object action = ObjectOf({{"name", Text()},
                                        {"description", Text()},
                                        {"schema", Any("The JSON Schema of its data; missing: it has none.")}},
                                       {"name", "description"});
  router.AddSchema(
      "MatchTerms",
      ObjectOf({{"move_time", Typed("number", "Seconds for each choice.")},
                {"game_time", Typed("number", "Seconds for all choices of one seat.")},
                {"increment", Typed("number", "Seconds that a seat gets for each choice, with game_time.")},
                {"grace", Typed("number", "Seconds that the seat of an absent player is kept.")},
                {"agents_chat", Typed("boolean", "Whether agents are told what players say.")}},
               {}));
  const json::Object decision =
      ObjectOf({{"id", Whole()},
                {"query", Text("Only for remote tables, like the state.")},
                {"state", Text()},
                {"priority", OneOf({"low", "medium", "high", "critical"})},
                {"ephemeral", Typed("boolean")},
                {"attempt", Whole()},
                {"actions", ListOf(Text("Only for remote tables: the name of one that may be chosen."))},
                {"refusal", Text("Why the last choice was refused.")},
                {"asked", Moment("The first time that it was asked.")},
                {"deadline", Moment("When it is given up, if it has a time limit.")}},
               {"id", "priority", "attempt", "asked"});
  router.AddSchema("Action", action);
  router.AddSchema("Decision", decision);
  router.AddSchema("TableSeat", ObjectOf({{"index", Whole()},
                                          {"name", Text()},
                                          {"role", Text("The game's name for it.")},
                                          {"agent", Text("The kind of its agent; or none, client or open.")},
                                          {"present", Typed("boolean")},
                                          {"time", Typed("number", "Seconds that it has left, if there is a clock.")},
                                          {"running", Typed("boolean", "Whether its clock runs.")},
                                          {"actions", ListOf(Ref("Action"))},
                                          {"action_count", Whole("In place of actions, where they are left out.")},
                                          {"decision", Ref("Decision")},
                                          {"awaiting", Text("The action whose result is due.")}},
                                         {"index", "name", "agent"}));
  router.AddSchema(
      "Table",
      ObjectOf(
          {{"id", Text()},
           {"game", Text()},
           {"kind", OneOf({"hosted", "remote"})},
           {"protocol", Text("Only for remote tables: the game's protocol.")},
           {"status", OneOf({"connected", "waiting", "awaiting-players", "ready", "in-progress", "done", "recorded"},
                            "For a remote table: connected, waiting; for a hosted match: awaiting-players, ready, "
                            "in-progress, done; for one that is only in the journal: recorded.")},
           {"opened", Moment()},
           {"connections", Whole()},
           {"peer", Text()},
           {"run",
            ObjectOf({{"number", Whole("From 1; a game that closed its connection and starts again begins another.")},
                      {"began", Moment()},
                      {"since", Whole("Its events come after this one.")}},
                     {"number", "began", "since"})},
           {"profile",
            ObjectOf({{"name", OneOf({"document", "production", "chaos"})}, {"seed", Whole()}}, {"name", "seed"})},
           {"seats", ListOf(Ref("TableSeat"))},
           {"diagnostics", Whole("For remote tables: how many kinds of problems its messages had.")},
           {"events", Whole("The number of events in its record.")},
           {"partial", Typed("boolean",
                             "In lists: what is long, such as the actions and what the decision asks, is left out or "
                             "cut; the table by its id has it.")},
           {"results", ObjectOf({{"count", Whole()},
                                 {"last_ms", Typed("number")},
                                 {"median_ms", Typed("number")},
                                 {"worst_ms", Typed("number")}},
                                {"count", "last_ms", "median_ms", "worst_ms"})},
           {"invite", Text("For a private hosted match: others name it by its id, a period and this.")},
           {"options", Any("For a hosted match.")},
           {"state", Typed("object", "For a hosted match, as spectators see it.")},
           {"winner", Nullable("string")},
           {"reason", Text("Why a hosted match is over.")},
           {"terms", Ref("MatchTerms")},
           {"spectators", Whole("How many people watch a hosted match.")},
           {"watchers", Whole()}},
          {"id", "status", "opened", "events"}));
  router.AddSchema("Event", ObjectOf({{"seq", Whole()},
                                      {"time", Moment()},
                                      {"kind", Text("received, sent, decision, choice, verdict …")},
                                      {"payload", Typed("object", "docs/formats/journal.md says what is in it.")}},
                                     {"seq", "time", "kind", "payload"}));
  router.AddSchema("Diagnostic", ObjectOf({{"key", Text()},
                                           {"severity", OneOf({"info", "warn", "error"})},
                                           {"message", Text()},
                                           {"advice", Text("What to do about it.")},
                                           {"count", Whole()},
                                           {"first", Moment()},
                                           {"last", Moment()},
                                           {"seq", Whole("The number of the event in the record.")},
                                           {"excerpt", Text()}},
                                          {"key", "severity", "message", "advice", "count", "first", "last"}));
  router.AddSchema(
      "HostedGame",
      ObjectOf({{"id", Text()},
                {"title", Text()},
                {"description", Text()},
                {"rules", Text("Markdown.")},
                {"min_seats", Whole()},
                {"max_seats", Whole()},
                {"rules_version", Whole("The version of the rules: a match of another version is not continued.")},
                {"hides", Typed("boolean", "Whether a seat may not see all of a match.")},
                {"roles", ListOf(Text())},
                {"options_schema", Typed("object", "The JSON Schema of a match's options.")},
                {"actions", ListOf(Ref("Action"))}},
               {"id", "title", "description", "rules", "min_seats", "max_seats", "options_schema", "actions"}));
  router.AddSchema("Transcript", ObjectOf({{"table", Text()},
                                           {"viewer", Text()},
                                           {"events", ListOf(Ref("Event"))},
                                           {"next", Whole("If there are more: what to ask for as `after`.")}},
                                          {"table", "viewer", "events"}));
  router.AddSchema(
      "Replay",
      ObjectOf({{"table", Text()},
                {"viewer", Text()},
                {"game", Text("The game's id; empty if its rules run elsewhere.")},
                {"hosted", Typed("boolean", "Whether it is a hosted match. Others have no steps.")},
                {"players", ListOf(Text())},
                {"status", Text("awaiting-players, in-progress or done.")},
                {"winner", Nullable("string", "Once it is over; null for a draw.")},
                {"reason", Text("Why it is over.")},
                {"closed", Text("Why it was closed.")},
                {"warning", Text("Why there are no steps.")},
                {"count", Whole("How many steps there are.")},
                {"pages", Whole("How many pages there are.")},
                {"page", Whole("The number of this one, from 1; 0 if there are no steps.")},
                {"first", Whole("The number of its first step, from 1.")},
                {"at", Whole("The number of the step that was asked for; else of the first one on this page.")},
                {"steps", ListOf(Ref("ReplayStep"))}},
               {"table", "viewer", "game", "hosted", "players", "count", "pages", "page", "first", "at", "steps"}));
  router.AddSchema(
      "ReplayStep",
      ObjectOf({{"seq", Whole("The number of its event.")},
                {"time", Moment()},
                {"kind", Text()},
                {"payload", Typed("object", "As in a transcript, without the state.")},
                {"state", Any("What the viewer saw then: in the first step of each page.")},
                {"patch", ListOf(Typed("object"),
                                 "How the state changed since the step before: a JSON Patch (RFC 6902) with add, "
                                 "remove and replace.")},
                {"view", Typed("object", "The table as people see it, likewise, if the game draws it.")},
                {"view_patch", ListOf(Typed("object"), "How the view changed, likewise.")},
                {"news", ListOf(Text(), "What happened since the step before, as the viewer may know it: sentences.")},
                {"said", ListOf(Ref("Event"))}},
               {"seq", "time", "kind", "payload"}));
  const json::Object number_or_null = Nullable("number");
  const json::Object whole_or_null = Nullable("integer");
  router.AddSchema(
      "JudgedDecision",
      ObjectOf({{"decision", Whole("Its number in the game, from 0.")},
                {"seat", Whole()},
                {"event", Whole("The event with the choice.")},
                {"phase", OneOf({"opening", "middle", "end"})},
                {"forced", Typed("boolean", "There was nothing else to choose, so nothing is judged.")},
                {"choices", ListOf(ObjectOf({{"action", Text()},
                                             {"data", Nullable("string", "As JSON text.")},
                                             {"label", Text()},
                                             {"value", Typed("number", "The result that the seat may expect.")},
                                             {"error", Typed("number", "Its standard error; 0: proven.")},
                                             {"visits", Whole()}},
                                            {"action", "data", "label", "value", "error", "visits"}))},
                {"taken", whole_or_null},
                {"best", whole_or_null},
                {"mixed", Typed("boolean", "Others chose at the same time, so no choice alone is best.")},
                {"value", number_or_null},
                {"loss", number_or_null},
                {"error", number_or_null},
                {"mark", json::Object{{"enum", json::Array{"inaccuracy", "mistake", "blunder", nullptr}}}},
                {"line", ListOf(Text("A step that may follow the best choice."))}},
               {"decision", "seat", "event", "phase", "forced", "choices", "taken", "best", "mixed", "value", "loss",
                "error", "mark", "line"}));
  router.AddSchema("Analysis", ObjectOf({{"status", OneOf({"none", "waiting", "running", "done", "failed", "live"})},
                                         {"iterations", Whole()},
                                         {"done", Whole("Decisions that are judged.")},
                                         {"of", Whole()},
                                         {"error", Text("Why it failed.")},
                                         {"decisions", ListOf(Ref("JudgedDecision"))}},
                                        {"status"}));
  router.AddSchema("AgentSeated", json::Object{{"allOf", json::Array{Ref("Table"), ObjectOf(SeatSecrets())}}});
  json::Object seat = SeatSecrets();
  seat["role"] = Text();
  seat["name"] = Text();
  seat["agent"] = Text("The kind of its agent, or open.");
  router.AddSchema("MatchCreated", ObjectOf({{"match-id", Text()},
                                             {"invite", Text("For a private match: others name it `MATCH-ID.INVITE`.")},
                                             {"gameid", Text("The Agent API's name for the match: a UUID.")},
                                             {"game", Text()},
                                             {"seats", ListOf(ObjectOf(std::move(seat), {"agent"}))}},
                                            {"match-id", "gameid", "game", "seats"}));
}

}  // namespace openseat::console

#include "protocols/console/route_info.h"

#include <string>
#include <utility>

#include "agents/external/seat_token.h"
#include "net/paging.h"
#include "net/schemas.h"

namespace openseat::console {
namespace {

using net::RouteInfo;
using net::RouteParameter;
using net::schemas::Any;
using net::schemas::ListOf;
using net::schemas::ObjectOf;
using net::schemas::OneOf;
using net::schemas::Ref;
using net::schemas::Text;
using net::schemas::Typed;
using net::schemas::Whole;

RouteInfo Info(std::string operation, std::string summary) {
  RouteInfo info;
  info.operation = std::move(operation);
  info.summary = std::move(summary);
  info.tag = "console";
  return info;
}

RouteInfo AtTable(RouteInfo info) {
  info.parameters.insert(info.parameters.begin(),
                         {RouteParameter::In::kPath, "id", "The table's id, alone or with its invitation.", nullptr,
                          json::Value("magnificent-platypus")});
  info.answers.push_back({404, "No table of that id is live."});
  return info;
}

RouteInfo AtRecord(RouteInfo info) {
  info = AtTable(std::move(info));
  info.answers.back() = {404, "No table of that id is live or recorded."};
  return info;
}

RouteInfo AtSeat(RouteInfo info) {
  info = AtTable(std::move(info));
  info.parameters.push_back({RouteParameter::In::kPath, "seat", "The seat's number, from 0.", Whole()});
  return info;
}

json::Value TableExample() {
  return json::Object{{"id", "tic-tac-toe-k3fq2a"},
                      {"game", "Tic-Tac-Toe"},
                      {"kind", "remote"},
                      {"protocol", "neuro"},
                      {"status", "connected"},
                      {"opened", "2026-11-20T21:33:30.123Z"},
                      {"connections", 1},
                      {"seats", json::Array{json::Object{{"index", 0}, {"name", "player"}, {"agent", "random"}}}},
                      {"diagnostics", 0},
                      {"events", 12}};
}

}  // namespace

RouteInfo ListTablesInfo() {
  RouteInfo info = Info("listTables", "Live tables, newest first; then, if asked for, those that are recorded.");
  info.parameters = {
      {RouteParameter::In::kQuery, "recorded", "Include those that are only in the journal.", Typed("boolean")}};
  json::Object schema = net::PageSchema("tables", Ref("Table"));
  json::Value unanswered = ListOf(Typed("string"));
  unanswered.as_object()["description"] = "In a cluster: the nodes that gave no answer, whose tables are missing.";
  schema.at("properties").as_object()["unanswered"] = std::move(unanswered);
  info.response_schema = std::move(schema);
  info.response_example = json::Object{{"tables", json::Array{TableExample()}}};
  net::AddPageTo(info);
  return info;
}

RouteInfo GetTableInfo() {
  RouteInfo info = AtRecord(Info("getTable", "One table: if it is live, with its seats, actions and decisions."));
  info.response_schema = Ref("Table");
  info.response_example = TableExample();
  return info;
}

RouteInfo DiagnosticsInfo() {
  RouteInfo info = AtRecord(Info("getDiagnostics", "What was odd or wrong in the game's messages."));
  info.description = "Without `since`: in the game's current run, or the last one of a table that is only recorded.";
  info.parameters.push_back({RouteParameter::In::kQuery, "since",
                             "Only what was found after the event with this number; 0: in all runs.", Whole()});
  info.response_schema =
      ObjectOf({{"diagnostics", ListOf(Ref("Diagnostic"))},
                {"next", Whole("The record is long: ask again with this as `since` for what was found later.")}},
               {"diagnostics"});
  return info;
}

RouteInfo TranscriptInfo() {
  RouteInfo info = Info("getTranscript", "What happened at a table, live or finished.");
  info.parameters = {
      {RouteParameter::In::kPath, "id", "The table's id.", nullptr},
      {RouteParameter::In::kQuery, "after", "Only what comes after the event with this number.", Whole()},
      {RouteParameter::In::kQuery, "limit", "At most this many; never more than 10,000, nor much more than 8 MiB.",
       Whole()},
      {RouteParameter::In::kQuery, "viewer",
       "For a hosted match: the view of a spectator, a seat's number or a player's name, or all.", nullptr}};
  info.response_schema = Ref("Transcript");
  info.response_example =
      json::Object{{"table", "tic-tac-toe-k3fq2a"},
                   {"viewer", "all"},
                   {"events", json::Array{json::Object{{"seq", 1},
                                                       {"time", "2026-11-20T21:33:30.123Z"},
                                                       {"kind", "note"},
                                                       {"payload", json::Object{{"text", "hello"}}}}}}};
  info.answers = {{400, ""}, {404, "No table of that id is live or recorded."}, {501, "Only viewer=all can be shown."}};
  return info;
}

std::vector<RouteParameter> ReplayParameters() {
  const auto number = [](const char* name, const char* description) {
    json::Object schema = Whole({}, 1);
    return RouteParameter{RouteParameter::In::kQuery, name, description, std::move(schema)};
  };
  return {
      {RouteParameter::In::kQuery, "viewer", "The view of a spectator (the default), a seat's number or a name.",
       nullptr},
      {RouteParameter::In::kQuery, "said",
       "With what models answered and which choices were refused before each step, at all seats.", Typed("boolean")},
      {RouteParameter::In::kQuery, "view", "With the table as people see it, if the game draws it.", Typed("boolean")},
      number("page", "The page with this number."),
      number("step", "The page with this step; the last one if there are fewer."),
      number("event", "The page with the last step at or before this event."),
      {RouteParameter::In::kQuery, "decision",
       "The page with the step at which this question was asked, counted from 0 as in decisions.jsonl.", Whole()}};
}

RouteInfo ReplayInfo() {
  RouteInfo info = Info("getReplay", "A hosted match step by step, as a viewer saw it, in pages.");
  info.description =
      "A step is a change of what the viewer saw. The first step of each page has the state, the others the change. A "
      "page has at most 64 steps.";
  info.parameters = ReplayParameters();
  info.parameters.insert(info.parameters.begin(), {RouteParameter::In::kPath, "id", "The table's id.", nullptr});
  info.response_schema = Ref("Replay");
  info.answers = {{400, ""}, {404, "There is no record of such a table."}};
  return info;
}

RouteInfo ControlInfo() {
  RouteInfo info = AtTable(Info("controlTable", "A command of the table's protocol."));
  info.description =
      "Neuro: `reregister-all`; `shutdown` with `kind` (graceful or immediate) and `wants`; `send` with `message`, any "
      "text, sent unchanged; `disconnect`; `profile` with `profile` (document, production or chaos) and `seed`. A "
      "hosted "
      "match: `forfeit` with `seat`.";
  info.request_schema = ObjectOf({{"command", Text()},
                                  {"message", Text()},
                                  {"kind", Text()},
                                  {"wants", Typed("boolean")},
                                  {"profile", OneOf({"document", "production", "chaos"})},
                                  {"seed", Whole()},
                                  {"seat", Whole()}},
                                 {"command"});
  info.request_example = json::Object{{"command", "reregister-all"}};
  info.response_schema = Typed("object");
  info.answers.push_back({501, "The table knows no such command."});
  info.answers.push_back({503, "The game is not connected."});
  return info;
}

RouteInfo SetAgentInfo() {
  RouteInfo info =
      AtSeat(Info("setAgent", "Seats another agent, even while the game runs; or seats one at the next open seat."));
  info.request_schema = Ref("AgentSpec");
  info.request_example = json::Object{{"kind", "random"}, {"seed", 7}};
  info.response_schema = Ref("AgentSeated");
  info.description =
      "At a hosted match the change is in the journal before it is answered, so it outlives the server. From then on "
      "the former agent's token, key and account are invalid; a player's token stays valid.";
  info.answers.push_back({409, "An agent is planned for the seat, seats before it are open, or the match is over."});
  return info;
}

RouteInfo ChooseInfo() {
  RouteInfo info = AtSeat(Info("choose", "Chooses in place of the agent."));
  info.request_schema = ObjectOf({{"action", Text()},
                                  {"data", Any("Data that fits the action's schema.")},
                                  {"decision", Whole("Only if this one is still pending.")},
                                  {"unchecked", Typed("boolean", "Sent unchanged, whatever the schema says.")},
                                  {"raw", Text("Unchecked data as text, which need not be JSON.")}},
                                 {"action"});
  info.request_example = json::Object{{"action", "move"}, {"data", json::Object{{"position", json::Array{1, 2}}}}};
  info.response_schema = ObjectOf({{"choice", Whole("Its number.")}}, {"choice"});
  info.response_example = json::Object{{"choice", 3}};
  info.answers.push_back({409, "It is not its turn, a result is due, or the match is over."});
  info.answers.push_back({422, "No such action, its data does not fit, or the rules refuse it."});
  info.answers.push_back({503, "The journal cannot be written now. `Retry-After` says when to retry."});
  return info;
}

RouteInfo SkipInfo() {
  RouteInfo info = AtSeat(Info("skipDecision", "Gives up the pending decision, unanswered."));
  info.description =
      "A remote game is not told and may ask again; at a hosted match this counts as an agent that gave up.";
  info.request_schema = ObjectOf({{"decision", Whole("Only if this one is still pending.")}});
  info.request_example = json::Object{{"decision", 3}};
  info.body_optional = true;
  info.response_schema = ObjectOf({{"skipped", Whole("The decision's number.")}}, {"skipped"});
  info.response_example = json::Object{{"skipped", 3}};
  info.answers.push_back({409, "No such decision is pending."});
  return info;
}

RouteInfo ListGamesInfo() {
  RouteInfo info = Info("listHostedGames", "The games whose rules run here, with their actions and options.");
  info.response_schema = ObjectOf({{"games", ListOf(Ref("HostedGame"))}}, {"games"});
  return info;
}

RouteInfo CreateMatchInfo() {
  RouteInfo info = Info("createMatch", "A new match of a hosted game.");
  info.description =
      "A seat without an agent is open. docs/protocols/agent_api.md says what a seat's secrets allow; they are shown "
      "here and never again. A private match can be joined and watched only by its invitation; one that is made from "
      "another machine is private unless `private` is false.";
  const json::Object seat = ObjectOf({{"role", Text("The game's name for it.")},
                                      {"name", Text()},
                                      {"deck", Text("A stored deck, by its id or name.")},
                                      {"agent", Ref("AgentSpec")}});
  info.request_schema = ObjectOf({{"game", Text()},
                                  {"options", Typed("object", "Must fit the game's options_schema.")},
                                  {"private", Typed("boolean", "Whether others find it only by its invitation.")},
                                  {"seed", Typed("integer",
                                                 "Makes what is random repeatable, for servers that run "
                                                 "with --allow-fixtures.")},
                                  {"terms", Ref("MatchTerms")},
                                  {"seats", ListOf(seat)}},
                                 {"game"});
  info.request_example = json::Object{
      {"game", "tictactoe"},
      {"seats", json::Array{json::Object{{"name", "Ana"}}, json::Object{{"agent", json::Object{{"kind", "random"}}}}}}};
  info.status = 201;
  info.response_schema = Ref("MatchCreated");
  info.response_example = json::Object{
      {"match-id", "magnificent-platypus"},
      {"gameid", GameIdOf(TableId("magnificent-platypus"))},
      {"game", "tictactoe"},
      {"seats", json::Array{json::Object{{"name", "Ana"}, {"agent", "open"}}, json::Object{{"agent", "random"}}}}};
  info.answers = {{404, "There is no such game, agent, deck or account."},
                  {503, "The journal cannot be written now. `Retry-After` says when to retry."}};
  return info;
}

RouteInfo ForkMatchInfo() {
  RouteInfo info = Info("forkMatch", "A new match that goes on from a point of a recorded one.");
  info.description =
      "What had happened until then is computed from the record; no agent is asked about it. What was hidden or not "
      "yet "
      "drawn is the same. Seats without an agent are open, and are taken in order. The new match is private if the "
      "other "
      "one is, unless `private` is false.";
  info.parameters = {{RouteParameter::In::kPath, "id", "The recorded match's id, alone or with its invitation.",
                      nullptr, json::Value("magnificent-platypus")}};
  const json::Object seat = ObjectOf({{"name", Text()}, {"agent", Ref("AgentSpec")}});
  info.request_schema =
      ObjectOf({{"event", Whole("The last event of the match that has happened in the new one, too; or")},
                {"decision", Whole("the decision that is taken again, from 0.")},
                {"private", Typed("boolean", "Whether others find it only by its invitation.")},
                {"terms", Ref("MatchTerms")},
                {"seats", ListOf(seat)}});
  info.request_example =
      json::Object{{"decision", 4},
                   {"seats", json::Array{json::Object(), json::Object{{"agent", json::Object{{"kind", "random"}}}}}}};
  info.status = 201;
  info.response_schema = Ref("MatchCreated");
  info.answers = {{404, "There is no record of such a table, or no such agent or account."},
                  {409, "The match had not begun then, or was over."},
                  {501, "The rules of the table's game are not here."}};
  return info;
}

RouteInfo GetAnalysisInfo() {
  RouteInfo info = AtTable(Info("getAnalysis", "What each choice of a finished match was worth, as far as is known."));
  info.parameters.push_back({RouteParameter::In::kQuery, "live",
                             "Also while the match goes on: \"live\" with what is judged so far, if the server has it "
                             "judged (server.live_analysis) "
                             "and no seat could read it, else \"none\".",
                             Typed("boolean")});
  info.response_schema = Ref("Analysis");
  info.answers.back() = {404, "There is no record of such a table."};
  info.answers.push_back({409, "The match is not over, and nobody is told before."});
  info.answers.push_back({501, "Choices of this game are not judged."});
  return info;
}

RouteInfo StartAnalysisInfo() {
  RouteInfo info = GetAnalysisInfo();
  info.parameters.pop_back();
  info.operation = "startAnalysis";
  info.summary = "Has the choices of a finished match judged.";
  info.description =
      "One match after the other, on a thread of its own; ask how far it is with GET. What is known to the same depth "
      "is "
      "not searched again.";
  info.request_schema =
      ObjectOf({{"iterations", Whole("Of the search at each decision: 16 to 20,000; 2,000 by default.")}});
  info.request_example = json::Object{{"iterations", 2000}};
  info.body_optional = true;
  info.status = 202;
  return info;
}

RouteInfo LiveInfo() {
  RouteInfo info = Info("live", "Tables and what happens at them, live: a WebSocket.");
  info.description =
      "Its messages are described in docs/protocols/console.md. A browser, which can set no header here, sends the "
      "admin "
      "token as a subprotocol: `openseat.live, openseat.bearer.TOKEN`.";
  return info;
}

}  // namespace openseat::console

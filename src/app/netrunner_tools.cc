#include "app/netrunner_tools.h"

#include <string>
#include <utility>

#include "base/check.h"
#include "base/json.h"
#include "protocols/agent_api/look.h"
#include "protocols/agent_api/seat_answers.h"

namespace openseat::app {
namespace {

using Done = std::function<void(Result<json::Object>)>;

mcp::Tool Make(std::string name, std::string title, std::string description, std::string_view properties,
               json::Array required, bool reads) {
  mcp::Tool tool;
  tool.name = std::move(name);
  tool.title = std::move(title);
  tool.description = std::move(description);
  Result<json::Value> schema = json::Parse(properties);
  OPENSEAT_CHECK(schema.has_value(), "a tool's schema is JSON");
  tool.input_schema = {{"type", "object"},
                       {"properties", std::move(*schema)},
                       {"required", std::move(required)},
                       {"additionalProperties", false}};
  tool.annotations = {
      {"readOnlyHint", reads}, {"destructiveHint", false}, {"idempotentHint", reads}, {"openWorldHint", false}};
  return tool;
}

// Whether there is Netrunner to be looked at; says what else there is.
bool IsNetrunner(const Table& table, const ExternalAgent& agent, const Done& done) {
  if (!table.started()) {
    done(Fail(ErrorCode::kNotYourTurn, "the game has not started"));
    return false;
  }
  const SeatView look = agent_api::LookAt(table, agent);
  if (agent_api::IsNetrunner(look)) return true;
  done(Fail(ErrorCode::kUnsupported, "this tool is for Netrunner; this is " + std::string(agent_api::GameOf(look)) +
                                         ", which get_state shows and act plays"));
  return false;
}

void Tell(const agent_api::SeatAnswer& answer, const Done& done) {
  if (answer.status == 200) return done(answer.body);
  done(Fail(ErrorCode::kInvalid, std::string(json::TextOf(answer.body, "message"))));
}

mcp::SeatTool Reading(mcp::Tool tool, std::string_view what) {
  return {std::move(tool), [what](Table& table, ExternalAgent& agent, const json::Object&, const Done& done) {
            if (IsNetrunner(table, agent, done)) Tell(agent_api::ReadSeat(what, table, agent), done);
          }};
}

mcp::SeatTool Acting(mcp::Tool tool, std::string_view what) {
  return {std::move(tool), [what](Table& table, ExternalAgent& agent, const json::Object& arguments, const Done& done) {
            if (!IsNetrunner(table, agent, done)) return;
            json::Object body = arguments;
            body.erase("token");
            agent_api::ActAtSeat(what, table, agent, json::Write(body), {},
                                 [done](const agent_api::SeatAnswer& answer) { Tell(answer, done); });
          }};
}

}  // namespace

std::vector<mcp::SeatTool> NetrunnerTools() {
  constexpr std::string_view kEid =
      R"("eid":{"type":"integer","minimum":0,"description":"the number of the intended decision in available actions: nothing is done if it is over"})";
  std::vector<mcp::SeatTool> tools;
  tools.push_back(
      Reading(Make("get_game_state", "Netrunner: the game's state",
                   "Get full game state: of Netrunner, as the Agent API's GET /game/state.", "{}", {}, true),
              "state"));
  tools.push_back(Reading(
      Make("get_available_actions", "Netrunner: what may be done",
           "Get currently available actions: of Netrunner, each with the command and args that execute_action takes.",
           "{}", {}, true),
      "actions"));
  tools.push_back(Acting(
      Make(
          "execute_action", "Netrunner: act",
          "Execute a game action: of Netrunner, as the Agent API's POST /game/action.",
          R"({"command":{"type":"string","description":"as available actions have it: credit, draw, play, run, continue, end-turn …"},)"
          R"("args":{"type":"object","description":"as available actions have them"},)" +
              std::string(kEid) + "}",
          {"command"}, false),
      "action"));
  tools.push_back(Acting(
      Make(
          "respond_to_prompt", "Netrunner: answer the prompt",
          "Respond to a prompt: of Netrunner, as the Agent API's POST /game/choice.",
          R"({"choice":{"type":["string","integer","object"],"description":"an option's text, {\"uuid\"}, or its number"},)" +
              std::string(kEid) + "}",
          {"choice"}, false),
      "choice"));
  return tools;
}

}  // namespace openseat::app

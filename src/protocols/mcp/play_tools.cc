#include "protocols/mcp/play_tools.h"

#include <utility>

#include "base/check.h"
#include "protocols/mcp/presentation.h"

namespace openseat::mcp {
namespace {

struct Hints {
  bool read_only = false;
  bool destructive = false;
  bool idempotent = false;
};

Tool Make(std::string name, std::string title, std::string description, std::string_view input, Hints hints) {
  Tool tool;
  tool.name = std::move(name);
  tool.title = std::move(title);
  tool.description = std::move(description);
  Result<json::Value> schema =
      json::Parse(R"({"type":"object","additionalProperties":false,)" + std::string(input) + "}");
  OPENSEAT_CHECK(schema.has_value(), "a tool's schema is JSON");
  tool.input_schema = std::move(schema->get_object());
  tool.annotations = {{"readOnlyHint", hints.read_only},
                      {"destructiveHint", hints.destructive},
                      {"idempotentHint", hints.idempotent},
                      {"openWorldHint", false}};
  return tool;
}

json::Value ListSchema(std::string_view member) {
  json::Object properties;
  properties[member] = json::Object{{"type", "array"}, {"items", json::Object{{"type", "object"}}}};
  return json::Object{{"type", "object"}, {"properties", std::move(properties)}, {"required", json::Array{member}}};
}

#define OPENSEAT_MCP_TOKEN \
  R"("token":{"type":"string","description":"your seat's token, as create_match or join_table gave it; keep it secret"})"

// The agents that may be named, each with a few words.
std::string Opponents(const AgentKinds& kinds) {
  std::string text;
  for (const AgentKind& kind : kinds.all()) {
    if (kind.named_by != Namer::kPlayer) continue;
    text += "\"" + kinds.FormOf(kind, Namer::kPlayer) + "\" (" +
            kind.description.substr(0, kind.description.size() - 1) +
            (kind.game.empty() ? "), " : "; plays " + kind.game + " only), ");
  }
  return text + "or \"open\": the seat waits for a player to join";
}

}  // namespace

Tool ListGamesTool() {
  Tool tool = Make("list_games", "List games", "The games that can be played here with create_match.",
                   R"("properties":{})", {.read_only = true, .idempotent = true});
  tool.output_schema = ListSchema("games");
  return tool;
}

Tool ListTablesTool() {
  Tool tool =
      Make("list_tables", "List tables",
           "The tables where something is being played or waits for players: matches hosted here, and games that "
           "run elsewhere and are connected. join_table takes a seat.",
           R"("properties":{
        "cursor":{"type":"string","description":"the next page: `next` of an earlier answer; the newest tables without"}})",
           {.read_only = true, .idempotent = true});
  tool.output_schema = ListSchema("tables");
  json::Object& properties = tool.output_schema.at("properties").as_object();
  properties["next"] = json::Object{{"type", "string"}};
  properties["unanswered"] = json::Object{{"type", "array"}, {"items", json::Object{{"type", "string"}}}};
  return tool;
}

Tool CreateMatchTool(const AgentKinds& kinds) {
  Tool tool = Make("create_match", "Create a match",
                   "Begins a new match and gives you a seat. The answer contains your seat's token; anyone who has it "
                   "plays the seat. Without opponents the server plays the other seats.",
                   R"("properties":{
        "game":{"type":"string","description":"id from list_games"},
        "role":{"type":"string","description":"the role or the number of the seat that you want, as list_games has them; the first by default"},
        "name":{"type":"string","minLength":1,"maxLength":40,"description":"what you are called at the table"},
        "opponents":{"type":"array","maxItems":8,"items":{"type":"string","maxLength":200}},
        "options":{"type":"object","description":"the game's options by the schema in list_games"},
        "private":{"type":"boolean","description":"whether others find the match only by its invitation, which the answer contains; true by default if you are on another machine than the server"}},
      "required":["game"])",
                   {});
  tool.input_schema.at("properties").at("opponents").as_object()["description"] =
      "who plays the other seats, in order: " + Opponents(kinds);
  tool.output_schema = PresentationSchema();
  return tool;
}

Tool JoinTableTool() {
  Tool tool = Make("join_table", "Take a seat",
                   "Takes a seat at a table from list_tables: an open seat of a match, or the seat of a game that runs "
                   "elsewhere (its previous player is replaced). The answer contains your seat's token.",
                   R"("properties":{
        "table":{"type":"string","description":"id from list_tables, or the name that you were invited with"},
        "name":{"type":"string","minLength":1,"maxLength":40,"description":"what you are called at the table"},
        "seat":{"type":"integer","minimum":0,"description":"for a game that runs elsewhere and has several seats"},
        "take_over":{"type":"boolean","description":"take the seat although somebody plays it with a token: for when you have lost yours"}},
      "required":["table"])",
                   {});
  tool.output_schema = PresentationSchema();
  return tool;
}

Tool GetRulesTool() {
  return Make("get_rules", "Read the rules", "The rules of a game, as Markdown. Read them before you play it first.",
              R"("properties":{"game":{"type":"string","description":"id from list_games"},)" OPENSEAT_MCP_TOKEN "}",
              {.read_only = true, .idempotent = true});
}

Tool GetStateTool() {
  Tool tool =
      Make("get_state", "Look at the table",
           "What your seat sees now, what it may do and what happened last. detail \"full\" adds the state and each "
           "choice's action and data as JSON.",
           R"("properties":{)" OPENSEAT_MCP_TOKEN R"(,"detail":{"enum":["brief","full"]}},"required":["token"])",
           {.read_only = true, .idempotent = true});
  tool.output_schema = PresentationSchema();
  return tool;
}

Tool WaitForTurnTool() {
  Tool tool = Make(
      "wait_for_turn", "Wait for my turn",
      "Answers as soon as you have to choose, the game is over or somebody wants an answer from you; or after "
      "timeout_s with status \"waiting\": then call it again.",
      R"("properties":{)" OPENSEAT_MCP_TOKEN
      R"(,"since":{"type":"integer","minimum":0,"description":"the version that you saw last: older messages are left out"},
         "timeout_s":{"type":"number","minimum":0,"description":"25 by default, 600 as a task; if it is given, at most 50 are waited"}},"required":["token"])",
      {.read_only = true, .idempotent = true});
  tool.output_schema = PresentationSchema();
  tool.as_task = Tool::AsTask::kMay;
  tool.task_after = std::chrono::seconds(1);
  return tool;
}

Tool ActTool() {
  Tool tool = Make("act", "Act",
                   "Chooses. Give the decision's id and the id of one of its choices, or the name of an action with "
                   "its data. Then it "
                   "waits for your next turn, as wait_for_turn does. Safe to repeat: the same choice of the same "
                   "decision is made once. "
                   "What is illegal changes nothing, and the answer says what is legal.",
                   R"("properties":{)" OPENSEAT_MCP_TOKEN
                   R"(,"decision":{"type":"string","description":"the id of the decision that you answer"},
         "choice":{"type":["string","integer"],"description":"the id of a choice of that decision"},
         "action":{"type":"string","description":"instead of choice: the action's name"},
         "data":{"description":"with action: its data, as JSON by the action's schema"},
         "timeout_s":{"type":"number","minimum":0,"description":"how long to wait for your next turn; 25 by default, at most 50; 0 to not wait"}},
      "required":["token","decision"])",
                   {.idempotent = true});
  tool.output_schema = PresentationSchema();
  return tool;
}

Tool ResignTool() {
  return Make(
      "resign", "Resign",
      "Gives up the match: the others win. At a game that runs elsewhere it only leaves the seat to the server.",
      R"("properties":{)" OPENSEAT_MCP_TOKEN R"(},"required":["token"])", {.destructive = true});
}

Tool SayTool() {
  return Make("say", "Say something", "Tells the other players of a match something.",
              R"("properties":{)" OPENSEAT_MCP_TOKEN
              R"(,"text":{"type":"string","minLength":1,"maxLength":1000}},"required":["token","text"])",
              {});
}

Tool BoardLookTool() {
  return Make(
      "board_look", "Draw the board", "What the board in the chat draws of a seat.",
      R"("properties":{)" OPENSEAT_MCP_TOKEN
      R"(,"watch":{"type":"boolean","description":"what spectators of its table see instead"}},"required":["token"])",
      {.read_only = true, .idempotent = true});
}

Tool BoardActTool() {
  return Make(
      "board_act", "Choose on the board", "What a person chose on the board in the chat; does not wait.",
      R"("properties":{)" OPENSEAT_MCP_TOKEN
      R"(,"decision":{"type":"string"},"action":{"type":"string"},"data":{}},"required":["token","decision","action"])",
      {.idempotent = true});
}

Tool BoardSitTool() {
  return Make("board_sit", "Sit down at the board",
              "A person takes the open seat of the table of a model's seat. The answer has the person's own token.",
              R"("properties":{)" OPENSEAT_MCP_TOKEN
              R"(,"name":{"type":"string","minLength":1,"maxLength":40}},"required":["token"])",
              {.idempotent = true});
}

Tool BoardCardsTool() {
  return Make("board_cards", "Read the cards", "What the cards of a game say.",
              R"("properties":{"game":{"type":"string"}},"required":["game"])",
              {.read_only = true, .idempotent = true});
}

void TakeToken(Tool& tool) {
  const Result<json::Value> token = json::Parse("{" OPENSEAT_MCP_TOKEN "}");
  OPENSEAT_CHECK(token.has_value(), "the token's schema is JSON");
  json::Object& properties = tool.input_schema.at("properties").as_object();
  properties["token"] = token->at("token");
  tool.input_schema.at("required").as_array().emplace_back("token");
}

#undef OPENSEAT_MCP_TOKEN

}  // namespace openseat::mcp

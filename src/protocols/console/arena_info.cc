#include "protocols/console/arena_info.h"

#include <string>
#include <string_view>
#include <utility>

#include "base/check.h"
#include "base/json.h"
#include "net/paging.h"
#include "net/schemas.h"
#include "protocols/console/route_info.h"

namespace openseat::console {
namespace {

using net::RouteInfo;
using In = net::RouteParameter::In;

json::Value ArenaSchema(std::string_view text) {
  Result<json::Value> schema = json::Parse(text);
  OPENSEAT_CHECK(schema.has_value(), "a schema of the arena's API is JSON");
  return std::move(*schema);
}

constexpr std::string_view kRunSchema = R"schema({
  "type": "object",
  "properties": {
    "id": {"type": "string"},
    "kind": {"enum": ["folder", "file"], "description": "file: an older run, of which there are only sums"},
    "name": {"type": "string"},
    "command": {"type": "string", "description": "play or tournament"},
    "started": {"type": "string", "format": "date-time"},
    "seconds": {"type": "number", "description": "in all its parts"},
    "ended": {"type": "boolean", "description": "false while it goes on, and if it was killed"},
    "games": {"type": "integer", "description": "that ended, void ones included"},
    "wanted": {"type": "integer", "description": "games that were asked for, if that is a number"},
    "played": {
      "type": "array",
      "items": {
        "type": "object",
        "properties": {"id": {"type": "string"}, "title": {"type": "string"}},
        "required": ["id", "title"]
      }
    },
    "agents": {"type": "array", "items": {"type": "string"}}
  },
  "required": ["id", "kind", "ended", "games", "played", "agents"]
})schema";

constexpr std::string_view kUnreadableSchema = R"schema({
  "type": "array",
  "items": {
    "type": "object",
    "properties": {"file": {"type": "string"}, "message": {"type": "string"}},
    "required": ["file", "message"]
  }
})schema";

constexpr std::string_view kShownRunSchema = R"schema({
  "type": "object",
  "properties": {
    "id": {"type": "string"},
    "kind": {"enum": ["folder", "file"]},
    "folder": {"type": "string", "description": "its path on the server"},
    "ended": {"type": "boolean"},
    "run": {"type": "object", "description": "run.json without the summary (docs/formats/run.md)"
}
, "counts": {
  "type": "object",
  "properties": {
    "games": {"type": "integer", "description": "that count"},
    "void": {"type": "integer"},
    "forfeits": {"type": "integer"},
    "half_pairs": {"type": "integer", "description": "pairs of which not all games count, or are not played yet"},
    "causes": {
      "type": "array",
      "description": "of void games and forfeits, by the agent that they are due to, the most frequent first",
      "items": {
        "type": "object",
        "properties": {
          "culprit": {"type": "string", "description": "the agent that they are due to, if there is one"},
          "code": {"type": "string"},
          "void": {"type": "boolean"},
          "games": {"type": "integer"},
          "example": {"type": "string", "description": "the cause of the first of them"}
        },
        "required": ["code", "void", "games", "example"]
      }
    },
    "more_causes": {"type": "boolean", "description": "whether there are more"}
  },
  "required": ["games", "void", "forfeits", "half_pairs", "causes", "more_causes"]
},
             "record": {"type": "object", "description": "of an older run: its file (docs/formats/arena_run.md)"}
}
, "required": ["id", "kind"]
})schema";

constexpr std::string_view kTokensSchema = R"schema({
  "type": "object",
  "properties": {
    "input": {"type": "integer"}, "cached": {"type": "integer"}, "created": {"type": "integer"},
    "output": {"type": "integer"}, "reasoning": {"type": "integer"}
  },
  "required": ["input", "cached", "created", "output", "reasoning"]
})schema";

constexpr std::string_view kAgentSchema = R"schema({
  "type": "object",
  "properties": {
    "agent": {"type": "string"},
    "rank": {"type": ["integer", "null"]},
    "rating": {"type": ["number", "null"], "description": "null without a game that counts against another agent"},
    "low": {"type": ["number", "null"], "description": "of the 95 % interval"},
    "high": {"type": ["number", "null"]},
    "error": {"type": ["number", "null"]},
    "games": {"type": "integer", "description": "that count"},
    "wins": {"type": "integer"},
    "draws": {"type": "integer"},
    "losses": {"type": "integer"},
    "forfeits": {"type": "integer", "description": "among the losses"},
    "void": {"type": "integer"},
    "decisions": {"type": "integer"},
    "illegal": {"type": "integer"},
    "repaired": {"type": "integer"},
    "asked_again": {"type": "integer"},
    "tokens": {"$ref": "#/components/schemas/ArenaTokens"},
    "cost": {"type": ["number", "null"], "description": "dollars; null: unknown"},
    "latency_ms": {"type": ["number", "null"], "description": "of one decision, on average"},
    "cpu_ms": {"type": "number", "description": "a bot's CPU time for one decision, on average; missing: unknown"}
  },
  "required": ["agent", "rank", "rating", "low", "high", "error", "games", "wins", "draws", "losses", "forfeits",
    "void", "decisions", "illegal", "repaired", "asked_again", "tokens", "cost", "latency_ms"]
})schema";

constexpr std::string_view kPairSchema = R"schema({
  "type": "object",
  "properties": {
    "a": {"type": "string"},
    "b": {"type": "string"},
    "games": {"type": "integer"},
    "wins": {"type": "integer", "description": "of a"},
    "draws": {"type": "integer"},
    "losses": {"type": "integer"},
    "difference": {"type": "number", "description": "of the ratings: that of a less that of b"},
    "error": {"type": "number"},
    "superiority": {"type": "number", "description": "how probably a is stronger"},
    "more_pairs": {"type": ["integer", "null"],
      "description": "about how many more pairs settle who is stronger: 0 if it is settled, null if too many"}
  },
  "required": ["a", "b", "games", "wins", "draws", "losses", "difference", "error", "superiority", "more_pairs"]
})schema";

constexpr std::string_view kTableSchema = R"schema({
  "type": "object",
  "properties": {
    "agents": {"type": "array", "items": {"$ref": "#/components/schemas/ArenaAgent"}},
    "pairs": {"type": "array", "items": {"$ref": "#/components/schemas/ArenaPair"}}
  },
  "required": ["agents", "pairs"]
})schema";

constexpr std::string_view kStandingsSchema = R"schema({
  "type": "object",
  "description": "As in ratings.json (docs/formats/ratings.md)",
                           "properties": {
                             "format": {"const": "openseat-ratings"},
                             "version": {"type": "integer"},
                             "anchor": {"type": ["string", "null"]},
                             "base": {"type": "number"},
                             "equal_games": {"type": "boolean"},
                             "interval": {"type": "number"},
                             "resamples": {"type": "integer"},
                             "seed": {"type": "integer"},
                             "agents": {"type": "array", "items": {"$ref": "#/components/schemas/ArenaAgent"}},
                             "pairs": {"type": "array", "items": {"$ref": "#/components/schemas/ArenaPair"}},
                             "games": {
                               "type": "object",
                               "description": "the same for each game",
                               "additionalProperties": {"$ref": "#/components/schemas/ArenaTable"}
                             }
                           },
                           "required"
    : ["format", "version", "anchor", "base", "equal_games", "resamples", "agents", "pairs", "games"]
})schema";

constexpr std::string_view kGameSchema = R"schema({
  "type": "object",
  "description": "A line of games.jsonl (docs/formats/run.md)",
  "properties": {
    "game": {"type": "integer"},
    "pair": {"type": "integer"},
    "game_id": {"type": "string"},
    "seed": {"type": "integer"},
    "seats": {"type": "array", "items": {"type": "string"}},
    "result": {"enum": ["win", "draw", "void"]},
    "winners": {"type": "array", "items": {"type": "integer"}},
    "forfeit": {"type": "boolean"},
    "cause": {"type": ["string", "null"]},
    "code": {"type": ["string", "null"]},
    "culprit": {"type": ["integer", "null"]},
    "reason": {"type": "string"},
    "turns": {"type": "integer"},
    "tokens": {"type": "integer"},
    "cost": {"type": ["number", "null"]},
    "by_seat": {
      "type": "array",
      "items": {
        "type": "object",
        "properties": {
          "decisions": {"type": "integer"},
          "illegal": {"type": "integer"},
          "repaired": {"type": "integer"},
          "asked_again": {"type": "integer"},
          "tokens": {"$ref": "#/components/schemas/ArenaTokens"},
          "cost": {"type": ["number", "null"]},
          "latency_ms": {"type": "number", "description": "sum over the decisions"},
          "cpu_ms": {"type": "number", "description": "a bot's CPU time, summed over the decisions; missing: unknown"}
        },
        "required": ["decisions", "illegal", "repaired", "asked_again", "tokens", "cost", "latency_ms"]
      }
    },
    "started": {"type": "string", "format": "date-time"},
    "seconds": {"type": "number"}
  },
  "required": ["game", "pair", "game_id", "seed", "seats", "result", "winners", "forfeit", "cause", "code", "culprit",
    "reason", "turns", "tokens", "cost", "by_seat", "started", "seconds"]
})schema";

constexpr std::string_view kShownGameSchema = R"schema({
  "type": "object",
  "properties": {
    "run": {"type": "string"},
    "game": {"$ref": "#/components/schemas/ArenaGame"},
    "pair": {
      "type": "array",
      "description": "the other games of its pair: the same deal, with the agents in exchanged seats",
      "items": {"$ref": "#/components/schemas/ArenaGame"}
    },
    "decisions": {"type": "integer"},
    "offered": {"type": "boolean", "description": "whether this server has the game's rules, so that it can be watched"}
  },
  "required": ["run", "game", "pair", "decisions", "offered"]
})schema";

constexpr std::string_view kDecisionSchema = R"schema({
  "type": "object",
  "description": "A line of decisions.jsonl (docs/formats/run.md); one that is too long has only its numbers",
  "properties": {
    "game": {"type": "integer"},
    "decision": {"type": "integer"},
    "omitted": {"type": "integer", "description": "the length of a decision that is too long to be shown"},
    "seat": {"type": "integer"},
    "agent": {"type": "string"},
    "model": {"type": ["string", "null"]},
    "observation": {"type": ["string", "null"], "description": "JSON text"},
    "choices": {
      "type": ["array", "null"],
      "items": {
        "type": "object",
        "properties": {
          "id": {"type": "string"}, "label": {"type": "string"}, "action": {"type": "string"},
          "data": {"type": ["string", "null"], "description": "JSON text"}
        },
        "required": ["id", "label", "action"]
      }
    },
    "prompt": {
      "type": ["array", "null"],
      "items": {
        "type": "object",
        "properties": {"role": {"type": "string"}, "content": {"type": "string"}},
        "required": ["role", "content"]
      }
    },
    "answers": {
      "type": "array",
      "items": {
        "type": "object",
        "properties": {
          "text": {"type": "string"},
          "outcome": {"type": "string", "description": "strict, mended, invalid, unreadable or declined"},
          "reasoning": {"description": "as the provider returned it: a text, or null"},
          "tokens": {"$ref": "#/components/schemas/ArenaTokens"},
          "cost": {"type": ["number", "null"]},
          "ms": {"type": "number"},
          "stop": {"type": ["string", "null"]},
          "fixes": {"type": "array", "items": {}}
        },
        "required": ["text", "outcome", "tokens", "ms"]
      }
    },
    "failures": {
      "type": "array",
      "description": "calls that were not answered",
      "items": {
        "type": "object",
        "properties": {
          "message": {"type": ["string", "null"]}, "status": {"type": ["integer", "null"]},
          "wait_ms": {"type": ["number", "null"]}, "permanent": {"type": "boolean"}
        }
      }
    },
    "refusals": {
      "type": "array",
      "description": "choices that the game refused",
      "items": {
        "type": "object",
        "properties": {
          "action": {"type": "string"}, "data": {"type": ["string", "null"]}, "code": {"type": "string"},
          "message": {"type": "string"}
        },
        "required": ["action", "code", "message"]
      }
    },
    "choice": {"type": ["string", "null"], "description": "JSON text: {\"action\", \"data\"}"},
    "verdict": {"type": "string", "description": "accepted, or why there is no choice"},
    "ms": {"type": "number"}
  },
  "required": ["game", "decision"]
})schema";

RouteInfo ArenaInfo(std::string operation, std::string summary) {
  RouteInfo info;
  info.operation = std::move(operation);
  info.summary = std::move(summary);
  info.tag = "console";
  return info;
}

RouteInfo OfRunInfo(RouteInfo info) {
  info.parameters.insert(info.parameters.begin(), {In::kPath, "id", "The run.", nullptr});
  info.answers.push_back({404, "No such run is recorded."});
  info.answers.push_back({500, "One of its files cannot be read."});
  return info;
}

RouteInfo OfGameInfo(RouteInfo info) {
  info = OfRunInfo(std::move(info));
  info.parameters.insert(info.parameters.begin() + 1, {In::kPath, "game", "The game's number in its run, from 0.",
                                                       ArenaSchema(R"({"type": "integer"})")});
  return info;
}

}  // namespace

void AddArenaSchemas(net::Router& router) {
  router.AddSchema("ArenaRun", ArenaSchema(kRunSchema));
  router.AddSchema("ArenaTokens", ArenaSchema(kTokensSchema));
  router.AddSchema("ArenaAgent", ArenaSchema(kAgentSchema));
  router.AddSchema("ArenaPair", ArenaSchema(kPairSchema));
  router.AddSchema("ArenaTable", ArenaSchema(kTableSchema));
  router.AddSchema("ArenaStandings", ArenaSchema(kStandingsSchema));
  router.AddSchema("ArenaGame", ArenaSchema(kGameSchema));
  router.AddSchema("ArenaDecision", ArenaSchema(kDecisionSchema));
}

RouteInfo ListRunsInfo() {
  RouteInfo info = ArenaInfo("listRuns", "Recorded runs of `openseat play` and `openseat tournament`, newest first.");
  json::Object schema = net::PageSchema("runs", net::schemas::Ref("ArenaRun"));
  schema["properties"].as_object()["unreadable"] = ArenaSchema(kUnreadableSchema);
  schema["required"].as_array().emplace_back("unreadable");
  info.response_schema = std::move(schema);
  net::AddPageTo(info);
  return info;
}

RouteInfo GetRunInfo() {
  RouteInfo info = OfRunInfo(ArenaInfo("getRun", "What was asked of a run, and how its games ended."));
  info.response_schema = ArenaSchema(kShownRunSchema);
  return info;
}

RouteInfo GetStandingsInfo() {
  RouteInfo info =
      ArenaInfo("getRunStandings", "Ratings with intervals, figures and pairs of a run, over all games and for each.");
  info.parameters = {
      {In::kQuery, "anchor", "The agent whose rating is fixed; none: the mean of all ratings is.", nullptr},
      {In::kQuery, "equal_games", "Each game weighs the same in the table over all.",
       ArenaSchema(R"({"type": "boolean"})")}};
  info.answers = {{400, "An option is not valid."}};
  info.response_schema = net::schemas::Ref("ArenaStandings");
  return OfRunInfo(std::move(info));
}

RouteInfo ListRunGamesInfo() {
  RouteInfo info = ArenaInfo("listRunGames", "Games of a run.");
  info.parameters = {{In::kQuery, "agent", "Only games in which it plays.", nullptr},
                     {In::kQuery, "opponent", "Only games of the agent against this one.", nullptr},
                     {In::kQuery, "game_id", "Only this game.", nullptr},
                     {In::kQuery, "result", "How it ended: with an agent, for the agent.",
                      ArenaSchema(R"({"enum": ["win", "draw", "loss", "forfeit", "void"]})")},
                     {In::kQuery, "code", "Only void games and forfeits with this code.", nullptr},
                     {In::kQuery, "culprit", "Only void games and forfeits that are due to this agent.", nullptr},
                     {In::kQuery, "with", "Only games with such answers (of the agent).",
                      ArenaSchema(R"({"enum": ["illegal", "repaired", "asked_again"]})")},
                     {In::kQuery, "sort", "By number, or by this (of the agent), highest first.",
                      ArenaSchema(R"({"enum": ["game", "cost", "tokens", "latency", "turns", "seconds"]})")}};
  info.answers = {{400, "The limit, the cursor or a filter is not valid."}};
  json::Object schema = net::PageSchema("games", net::schemas::Ref("ArenaGame"));
  schema["properties"].as_object()["total"] =
      ArenaSchema(R"({"type": "integer", "description": "of all pages together"})");
  schema["required"].as_array().emplace_back("total");
  info.response_schema = std::move(schema);
  net::AddPageTo(info);
  return OfRunInfo(std::move(info));
}

RouteInfo GetRunGameInfo() {
  RouteInfo info = OfGameInfo(ArenaInfo("getRunGame", "How one game of a run went."));
  info.response_schema = ArenaSchema(kShownGameSchema);
  return info;
}

RouteInfo ListDecisionsInfo() {
  RouteInfo info = ArenaInfo("listRunDecisions", "The decisions of one game: what was asked, answered and chosen.");
  info.description = "A page has at most 100 decisions and 8 MiB.";
  info.response_schema = net::PageSchema("decisions", net::schemas::Ref("ArenaDecision"));
  net::AddPageTo(info);
  return OfGameInfo(std::move(info));
}

RouteInfo GetGameTranscriptInfo() {
  RouteInfo info = ArenaInfo("getRunTranscript", "What happened in one game of a run, like a table's transcript.");
  const json::Value whole = ArenaSchema(R"({"type": "integer", "minimum": 0})");
  info.parameters = {
      {In::kQuery, "after", "Only what comes after the event with this number.", whole},
      {In::kQuery, "limit", "At most this many; never more than 10,000.", whole},
      {In::kQuery, "viewer", "The view of a spectator, a seat's number or a player's name, or all.", nullptr}};
  info.answers = {{400, ""}, {501, "Only viewer=all can be shown."}};
  info.response_schema = net::schemas::Ref("Transcript");
  return OfGameInfo(std::move(info));
}

RouteInfo GetGameReplayInfo() {
  RouteInfo info = ArenaInfo("getRunReplay", "One game of a run step by step, like a table's replay.");
  info.parameters = ReplayParameters();
  info.answers = {{400, ""}};
  info.response_schema = net::schemas::Ref("Replay");
  return OfGameInfo(std::move(info));
}

RouteInfo GetGameAnalysisInfo() {
  RouteInfo info =
      ArenaInfo("getRunAnalysis", "What each choice of a game was worth, if `openseat analyze` judged the run.");
  info.response_schema = net::schemas::Ref("Analysis");
  return OfGameInfo(std::move(info));
}

}  // namespace openseat::console

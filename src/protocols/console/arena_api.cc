#include "protocols/console/arena_api.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "arena/run_record.h"
#include "base/check.h"
#include "net/json_request.h"
#include "net/paging.h"

namespace openseat::console {
namespace {

using net::HttpReply;
using net::HttpRequest;
using net::HttpResponse;
using net::Method;

json::Value Schema(std::string_view text) {
  Result<json::Value> schema = json::Parse(text);
  OPENSEAT_CHECK(schema.has_value(), "a schema of the arena's API is JSON");
  return std::move(*schema);
}

constexpr std::string_view kListSchema = R"({
  "type": "object",
  "properties": {
    "runs": {
      "type": "array",
      "items": {
        "type": "object",
        "properties": {
          "id": {"type": "string"},
          "name": {"type": "string"},
          "started": {"type": "string", "format": "date-time"},
          "seconds": {"type": "number"},
          "game": {"type": "string"},
          "title": {"type": "string"},
          "games": {"type": "integer", "description": "played"},
          "wanted": {"type": "integer", "description": "asked for: more than were played where the run was ended early"},
          "agents": {"type": "array", "items": {"type": "string"}}
        },
        "required": ["id", "started", "game", "games", "agents"]
      }
    },
    "next": {"type": "string", "description": "The cursor of the next page, if there is one."},
    "unreadable": {
      "type": "array",
      "items": {
        "type": "object",
        "properties": {"file": {"type": "string"}, "message": {"type": "string"}},
        "required": ["file", "message"]
      }
    }
  },
  "required": ["runs", "unreadable"]
})";

constexpr std::string_view kRunSchema = R"({
  "type": "object",
  "description": "A run record, as docs/formats/arena_run.md has it",
  "properties": {
    "format": {"const": "openseat-run"},
    "version": {"const": 1},
    "id": {"type": "string"},
    "name": {"type": "string"},
    "started": {"type": "string", "format": "date-time"},
    "seconds": {"type": "number"},
    "game": {"type": "string"},
    "title": {"type": "string"},
    "games": {"type": "integer"},
    "wanted": {"type": "integer"},
    "seed": {"type": "integer"},
    "seats": {
      "type": "array",
      "items": {
        "type": "object",
        "properties": {
          "agent": {"type": "string"},
          "wins": {"type": "integer"},
          "draws": {"type": "integer"},
          "losses": {"type": "integer"},
          "forfeits": {"type": "integer", "description": "among the losses"},
          "by_seat": {
            "type": "array",
            "description": "the same games by the seat that the agent had",
            "items": {
              "type": "object",
              "properties": {
                "wins": {"type": "integer"}, "draws": {"type": "integer"}, "losses": {"type": "integer"}
              },
              "required": ["wins", "draws", "losses"]
            }
          }
        },
        "required": ["agent", "wins", "draws", "losses", "forfeits"]
      }
    },
    "options": {"description": "of the game, as they were given"},
    "fixed_roles": {"type": "boolean", "description": "the agents kept their seats"},
    "openseat": {"type": "string", "description": "the program's version"},
    "models": {
      "type": "object",
      "additionalProperties": {
        "type": "object",
        "properties": {
          "provider": {"type": "string"},
          "model": {"type": "string"},
          "calls": {"type": "integer", "description": "that were answered"},
          "failures": {"type": "integer", "description": "calls that were not"},
          "answers": {"type": "integer", "description": "texts that were judged"},
          "illegal": {"type": "integer", "description": "of the answers: no schema or rule allowed them"},
          "mended": {"type": "integer"},
          "reasked": {"type": "integer"},
          "illegal_rate": {"type": "number"},
          "repair_rate": {"type": "number"},
          "given_up": {"type": "integer", "description": "decisions"},
          "tokens_in": {"type": "integer"},
          "tokens_out": {"type": "integer"},
          "cost": {"type": ["number", "null"], "description": "dollars; null where the model has no prices"},
          "latency_ms": {
            "type": "object",
            "properties": {"p50": {"type": "number"}, "p90": {"type": "number"}, "p99": {"type": "number"}}
          }
        }
      }
    }
  },
  "required": ["format", "version", "id", "game", "games", "seats", "models"]
})";

// What a list shows of a run.
json::Object Summary(const json::Object& run) {
  json::Object summary;
  for (const char* name : {"id", "name", "started", "seconds", "game", "title", "games", "wanted"}) {
    if (const json::Value* value = json::Find(run, name)) summary[name] = *value;
  }
  json::Array agents;
  if (const json::Value* seats = json::Find(run, "seats"); seats != nullptr && seats->is_array()) {
    for (const json::Value& seat : seats->get_array()) {
      if (const json::Value* agent = json::Find(seat, "agent")) agents.push_back(*agent);
    }
  }
  summary["agents"] = std::move(agents);
  return summary;
}

HttpResponse Failure(const Error& error) {
  HttpResponse response = HttpResponse::FromError(error);
  // The file is at fault, not the request.
  if (error.code == ErrorCode::kParse || error.code == ErrorCode::kTooLarge) response.status = 500;
  return response;
}

}  // namespace

void ArenaApi::AddRoutes(net::Router& router) {
  using In = net::RouteParameter::In;
  net::RouteInfo list{"Recorded runs of `openseat play`, newest first.", "console", nullptr, Schema(kListSchema)};
  list.operation = "listRuns";
  net::AddPageTo(list);
  router.Add(Method::kGet, "/api/v1/arena", std::move(list),
             [this](const HttpRequest& request, HttpReply reply) { List(request, std::move(reply)); });
  net::RouteInfo show{"The results of one recorded run of `openseat play`.", "console", nullptr, Schema(kRunSchema)};
  show.operation = "getRun";
  show.parameters = {{In::kPath, "id", "The run.", nullptr}};
  show.answers = {{404, "No such run is recorded.", nullptr}, {500, "Its file cannot be read.", nullptr}};
  router.Add(Method::kGet, "/api/v1/arena/:id", std::move(show),
             [this](const HttpRequest& request, HttpReply reply) { Show(request, std::move(reply)); });
}

void ArenaApi::List(const HttpRequest& request, HttpReply reply) {
  const Result<net::Page> page = net::PageOf(request);
  if (!page) {
    std::move(reply).Send(HttpResponse::FromError(page.error()));
    return;
  }
  const auto one = std::make_shared<net::OneReply>(std::move(reply));
  reader_.Post([this, one, page = *page] {
    // The cursor is the id of the last run on the previous page.
    const Result<arena::RunList> list = arena::ListRuns(data_dir_, page.limit, page.cursor);
    if (!list) {
      one->Send(Failure(list.error()));
      return;
    }
    json::Array runs;
    for (const json::Object& run : list->runs) runs.push_back(Summary(run));
    json::Array unreadable;
    for (const arena::RunList::Unreadable& file : list->unreadable) {
      unreadable.push_back(json::Object{{"file", file.file}, {"message", file.message}});
    }
    json::Object body = net::PageBody("runs", std::move(runs), list->next);
    body["unreadable"] = std::move(unreadable);
    one->Send(HttpResponse::Json(200, body));
  });
}

void ArenaApi::Show(const HttpRequest& request, HttpReply reply) {
  const auto one = std::make_shared<net::OneReply>(std::move(reply));
  reader_.Post([this, one, id = std::string(request.Param("id"))] {
    const Result<json::Object> run = arena::ReadRun(data_dir_, id);
    one->Send(run ? HttpResponse::Json(200, *run) : Failure(run.error()));
  });
}

}  // namespace openseat::console

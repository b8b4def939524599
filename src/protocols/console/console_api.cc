#include "protocols/console/console_api.h"

#include <algorithm>
#include <charconv>
#include <memory>
#include <mutex>
#include <utility>

#include "match/replay.h"
#include "protocols/console/event_json.h"

namespace openseat::console {
namespace {

using net::HttpReply;
using net::HttpRequest;
using net::HttpResponse;
using net::Method;

constexpr std::size_t kMaxEvents = 10'000;
constexpr std::size_t kDefaultEvents = 1'000;
constexpr std::size_t kMaxTables = 1'000;

// A handler's reply, shared by the ways a request may go; whoever comes first answers.
class OneReply {
 public:
  explicit OneReply(HttpReply reply) : reply_(std::move(reply)) {}
  void Send(HttpResponse response) {
    std::optional<HttpReply> reply;
    {
      const std::lock_guard lock(mutex_);
      reply.swap(reply_);
    }
    if (reply) std::move(*reply).Send(std::move(response));
  }

 private:
  std::mutex mutex_;
  std::optional<HttpReply> reply_;
};

Result<std::uint64_t> NumberQuery(const HttpRequest& request, std::string_view name, std::uint64_t fallback) {
  const std::string* text = request.Query(name);
  if (text == nullptr) return fallback;
  std::uint64_t number = 0;
  const auto end = text->data() + text->size();
  const auto parsed = std::from_chars(text->data(), end, number);
  if (parsed.ec != std::errc() || parsed.ptr != end) {
    return Fail(ErrorCode::kInvalid, std::string(name) + " must be a whole number from 0; got \"" + *text + "\"",
                std::string(name));
  }
  return number;
}

// The body as a JSON object; an empty body is {}.
Result<json::Object> ObjectBody(const HttpRequest& request) {
  if (request.body.empty()) return json::Object();
  Result<json::Value> body = json::Parse(request.body, {.max_bytes = 1u << 20, .max_depth = 64});
  if (!body) return Fail(body.error());
  if (!body->is_object()) {
    return Fail(ErrorCode::kInvalid, "the body must be a JSON object; got " + std::string(json::TypeName(*body)));
  }
  return std::move(body->get_object());
}

Result<std::string> TextMember(const json::Object& body, std::string_view name) {
  const json::Value* value = json::Find(body, name);
  if (value == nullptr || !value->is_string()) {
    return Fail(ErrorCode::kInvalid,
                std::string(name) + " must be a text; got " + (value == nullptr ? "nothing" : json::Write(*value)),
                std::string(name));
  }
  return std::string(json::View(value->get_string()));
}

Error NoTable(std::string_view id) {
  return Error{ErrorCode::kNotFound, "no table \"" + std::string(id) + "\" is live", "id"};
}

// The seat that a request names, or why there is none.
Result<Seat*> SeatOf(Table& table, std::string_view index) {
  SeatIndex number = 0;
  const auto parsed = std::from_chars(index.data(), index.data() + index.size(), number);
  if (parsed.ec != std::errc() || parsed.ptr != index.data() + index.size() || number >= table.seats()) {
    return Fail(
        ErrorCode::kNotFound,
        "the table has the seats 0 to " + std::to_string(table.seats() - 1) + "; got \"" + std::string(index) + "\"",
        "seat");
  }
  return &table.seat(number);
}

}  // namespace

ConsoleApi::ConsoleApi(TableDirectory& directory, Journal& journal, AgentFactory make_agent, Lobby& lobby)
    : directory_(directory), journal_(journal), make_agent_(std::move(make_agent)), lobby_(lobby) {}

void ConsoleApi::AddRoutes(net::Router& router) {
  const auto info = [](std::string summary) { return net::RouteInfo{std::move(summary), "console", nullptr, nullptr}; };
  router.Add(Method::kGet, "/api/v1/tables",
             info("All live tables; with ?recorded=true those that are only in the journal, too."),
             [this](const HttpRequest& request, HttpReply reply) { ListTables(request, std::move(reply)); });
  router.Add(Method::kGet, "/api/v1/hosted-games",
             info("The games whose rules run here, with their actions and options."),
             [this](const HttpRequest&, HttpReply reply) { ListGames(std::move(reply)); });
  router.Add(Method::kPost, "/api/v1/matches",
             info("A new match: {\"game\", \"options\"?, \"seats\"?: [{\"name\"?, \"agent\"?: {\"kind\", …}}]}."),
             [this](const HttpRequest& request, HttpReply reply) { CreateMatch(request, std::move(reply)); });
  router.Add(Method::kGet, "/api/v1/tables/:id", info("One live table: its seats, actions and pending decision."),
             [this](const HttpRequest& request, HttpReply reply) {
               OnTable(request, std::move(reply),
                       [](Table& table) -> Result<json::Value> { return json::Value(table.Info()); });
             });
  router.Add(Method::kGet, "/api/v1/tables/:id/diagnostics", info("What was odd or wrong in what its game sent."),
             [this](const HttpRequest& request, HttpReply reply) {
               OnTable(request, std::move(reply), [](Table& table) -> Result<json::Value> {
                 return json::Value(json::Object{{"diagnostics", table.Diagnostics()}});
               });
             });
  router.Add(Method::kGet, "/api/v1/tables/:id/transcript",
             info("The table's journal, live or finished: ?after=SEQ&limit=N."),
             [this](const HttpRequest& request, HttpReply reply) { Transcript(request, std::move(reply)); });
  router.Add(Method::kPost, "/api/v1/tables/:id/control",
             info("An order that the table's protocol knows: {\"command\", …arguments}."),
             [this](const HttpRequest& request, HttpReply reply) { Control(request, std::move(reply)); });
  router.Add(Method::kPost, "/api/v1/tables/:id/seats/:seat/agent", info("Seats another agent: {\"kind\", …options}."),
             [this](const HttpRequest& request, HttpReply reply) { SetAgent(request, std::move(reply)); });
  router.Add(Method::kPost, "/api/v1/tables/:id/seats/:seat/choose",
             info("Chooses by hand: {\"action\", \"data\"?, \"decision\"?}."),
             [this](const HttpRequest& request, HttpReply reply) { Choose(request, std::move(reply)); });
}

void ConsoleApi::OnTable(const HttpRequest& request, HttpReply reply,
                         std::function<Result<json::Value>(Table&)> render) {
  const auto one = std::make_shared<OneReply>(std::move(reply));
  const std::string id(request.Param("id"));
  directory_.With(
      *directory_.schedulers().front(), TableId(id),
      [one, render = std::move(render)](Table& table) {
        Result<json::Value> value = render(table);
        one->Send(value ? HttpResponse::Json(200, *value) : HttpResponse::FromError(value.error()));
      },
      [one, id] { one->Send(HttpResponse::FromError(NoTable(id))); });
}

void ConsoleApi::ListTables(const HttpRequest& request, HttpReply reply) {
  struct Gathered {
    explicit Gathered(HttpReply r) : reply(std::move(r)) {}
    OneReply reply;
    std::mutex mutex;
    std::vector<json::Object> tables;
  };
  const std::string* recorded = request.Query("recorded");
  const bool with_recorded = recorded != nullptr && *recorded == "true";
  const auto gathered = std::make_shared<Gathered>(std::move(reply));
  directory_.Visit(
      *directory_.schedulers().front(),
      [gathered](Table& table) {
        json::Object info = table.Info();
        const std::lock_guard lock(gathered->mutex);
        gathered->tables.push_back(std::move(info));
      },
      [this, gathered, with_recorded] {
        // Newest first, as the journal has them.
        std::ranges::sort(gathered->tables, [](const json::Object& a, const json::Object& b) {
          return json::View(a.at("opened").as_string()) > json::View(b.at("opened").as_string());
        });
        auto answer = [gathered](const std::vector<TableRecord>& records) {
          json::Array tables;
          for (json::Object& table : gathered->tables) tables.push_back(std::move(table));
          for (const TableRecord& record : records) {
            const bool live = std::ranges::any_of(tables, [&](const json::Value& table) {
              return json::View(table.as_object().at("id").as_string()) == record.id.str();
            });
            if (live) continue;
            json::Object object{{"id", record.id.str()},
                                {"status", "recorded"},
                                {"opened", FormatIso8601(record.opened)},
                                {"events", record.last_seq}};
            if (Result<json::Value> opened = json::Parse(record.opened_payload); opened && opened->is_object()) {
              for (const char* name : {"game", "kind", "protocol"}) {
                if (const json::Value* value = json::Find(*opened, name)) object[name] = *value;
              }
            }
            tables.push_back(std::move(object));
          }
          gathered->reply.Send(HttpResponse::Json(200, json::Object{{"tables", std::move(tables)}}));
        };
        if (!with_recorded) {
          answer({});
          return;
        }
        reader_.Post([this, gathered, answer = std::move(answer)] {
          const Result<std::vector<TableRecord>> records = journal_.Tables(kMaxTables);
          if (records) {
            answer(*records);
          } else {
            gathered->reply.Send(HttpResponse::FromError(records.error()));
          }
        });
      });
}

void ConsoleApi::Transcript(const HttpRequest& request, HttpReply reply) {
  const Result<std::uint64_t> after = NumberQuery(request, "after", 0);
  const Result<std::uint64_t> limit = NumberQuery(request, "limit", kDefaultEvents);
  if (!after || !limit) {
    std::move(reply).Send(HttpResponse::FromError(after ? limit.error() : after.error()));
    return;
  }
  const std::string* viewer = request.Query("viewer");
  const auto one = std::make_shared<OneReply>(std::move(reply));
  reader_.Post([this, one, id = TableId(std::string(request.Param("id"))), after = *after,
                viewer = viewer == nullptr ? std::string() : *viewer,
                count = static_cast<std::size_t>(std::min<std::uint64_t>(*limit, kMaxEvents))] {
    const Result<json::Object> transcript = ReadTranscript(id, viewer, after, count);
    one->Send(transcript ? HttpResponse::Json(200, *transcript) : HttpResponse::FromError(transcript.error()));
  });
}

Result<json::Object> ConsoleApi::ReadTranscript(const TableId& id, std::string viewer, Seq after, std::size_t limit) {
  const Result<std::vector<StoredEvent>> first = journal_.Read(id, 0, 1);
  if (!first) return Fail(first.error());
  const std::optional<std::string> hosted = first->empty() ? std::nullopt : HostedGameOf(first->front().event.payload);
  if (viewer.empty()) viewer = hosted ? kSpectatorViewer : kWholeRecord;
  json::Array list;
  if (viewer == kWholeRecord) {
    const Result<std::vector<StoredEvent>> events = journal_.Read(id, after, limit);
    if (!events) return Fail(events.error());
    for (const StoredEvent& event : *events) list.push_back(EventToJson(event));
  } else {
    if (!hosted) {
      return Fail(ErrorCode::kUnsupported,
                  "the rules of this table's game are elsewhere, so nobody here knows who saw what; only viewer=all "
                  "can be shown",
                  "viewer");
    }
    const Game* game = lobby_.FindGame(*hosted);
    if (game == nullptr)
      return Fail(ErrorCode::kUnsupported, "the game \"" + *hosted + "\" is not offered here; viewer=all can be shown");
    Result<Replay> replay = Replay::Open(journal_, *game, id, viewer);
    if (!replay) return Fail(std::move(replay).error());
    if (limit > 0) {
      const Result<void> done = replay->Run(after, [&](json::Object step) {
        list.push_back(std::move(step));
        return list.size() < limit;
      });
      if (!done) return Fail(done.error());
    }
  }
  return json::Object{{"table", id.str()}, {"viewer", viewer}, {"events", std::move(list)}};
}

void ConsoleApi::Control(const HttpRequest& request, HttpReply reply) {
  Result<json::Object> body = ObjectBody(request);
  const Result<std::string> command = body ? TextMember(*body, "command") : Result<std::string>(Fail(body.error()));
  if (!command) {
    std::move(reply).Send(HttpResponse::FromError(command.error()));
    return;
  }
  OnTable(request, std::move(reply),
          [command = *command, body = std::move(*body)](Table& table) { return table.Control(command, body); });
}

void ConsoleApi::ListGames(HttpReply reply) {
  json::Array games;
  for (const Game* game : lobby_.games()) {
    const GameInfo& info = game->info();
    json::Object entry{{"id", info.id},
                       {"title", info.title},
                       {"description", info.description},
                       {"rules", info.rules},
                       {"min_seats", info.min_seats},
                       {"max_seats", info.max_seats},
                       {"options_schema", info.options_schema}};
    json::Array actions;
    for (const ActionSpec& action : info.actions) {
      json::Object each{{"name", action.name}, {"description", action.description}};
      if (!action.schema.is_null()) each["schema"] = action.schema;
      actions.push_back(std::move(each));
    }
    entry["actions"] = std::move(actions);
    games.push_back(std::move(entry));
  }
  std::move(reply).Send(HttpResponse::Json(200, json::Object{{"games", std::move(games)}}));
}

void ConsoleApi::CreateMatch(const HttpRequest& request, HttpReply reply) {
  struct Wanted {
    std::string game;
    json::Value options;
    std::vector<PlannedSeat> seats;
  };
  const auto parse = [&]() -> Result<Wanted> {
    Result<json::Object> body = ObjectBody(request);
    if (!body) return Fail(body.error());
    Result<std::string> game = TextMember(*body, "game");
    if (!game) return Fail(game.error());
    Wanted wanted{std::move(*game), nullptr, {}};
    if (const json::Value* options = json::Find(*body, "options")) wanted.options = *options;
    const json::Value* seats = json::Find(*body, "seats");
    if (seats == nullptr) return wanted;
    if (!seats->is_array())
      return Fail(ErrorCode::kInvalid, "seats must be a list; got " + std::string(json::TypeName(*seats)), "seats");
    for (const json::Value& each : seats->get_array()) {
      if (!each.is_object())
        return Fail(ErrorCode::kInvalid, "a seat must be an object; got " + std::string(json::TypeName(each)), "seats");
      PlannedSeat& seat = wanted.seats.emplace_back();
      if (json::Find(each, "name") != nullptr) {
        Result<std::string> name = TextMember(each.get_object(), "name");
        if (!name) return Fail(name.error());
        seat.name = std::move(*name);
      }
      const json::Value* agent = json::Find(each, "agent");
      if (agent == nullptr) continue;
      if (!agent->is_object())
        return Fail(ErrorCode::kInvalid, "agent must be an object; got " + std::string(json::TypeName(*agent)),
                    "seats");
      Result<std::string> kind = TextMember(agent->get_object(), "kind");
      if (!kind) return Fail(kind.error());
      seat.agent = {std::move(*kind), agent->get_object()};
      seat.agent.options.erase("kind");
      if (seat.agent.options.contains("file"))
        return Fail(ErrorCode::kDenied, "a file cannot be named over the API; give the script itself as \"script\"",
                    "file");
    }
    return wanted;
  };
  Result<Wanted> wanted = parse();
  if (!wanted) {
    std::move(reply).Send(HttpResponse::FromError(wanted.error()));
    return;
  }
  const auto one = std::make_shared<OneReply>(std::move(reply));
  lobby_.Create(
      *directory_.schedulers().front(), wanted->game, wanted->options, wanted->seats,
      [one, seats = wanted->seats](const Result<MatchRef>& match) {
        if (!match) {
          one->Send(HttpResponse::FromError(match.error()));
          return;
        }
        json::Array listed;
        for (const PlannedSeat& seat : seats) {
          json::Object entry;
          if (!seat.name.empty()) entry["name"] = seat.name;
          entry["agent"] = seat.agent.kind.empty() ? "open" : seat.agent.kind;
          listed.push_back(std::move(entry));
        }
        one->Send(HttpResponse::Json(
            201, json::Object{{"match-id", match->id.str()}, {"game", match->game}, {"seats", std::move(listed)}}));
      });
}

void ConsoleApi::SetAgent(const HttpRequest& request, HttpReply reply) {
  Result<json::Object> body = ObjectBody(request);
  const Result<std::string> kind = body ? TextMember(*body, "kind") : Result<std::string>(Fail(body.error()));
  if (!kind) {
    std::move(reply).Send(HttpResponse::FromError(kind.error()));
    return;
  }
  AgentSpec spec{*kind, std::move(*body)};
  spec.options.erase("kind");
  // Files of the server are its owner's to name, on the command line and in the config file.
  if (spec.options.contains("file")) {
    std::move(reply).Send(HttpResponse::FromError(
        {ErrorCode::kDenied, "a file cannot be named over the API; give the script itself as \"script\"", "file"}));
    return;
  }
  Result<std::unique_ptr<Agent>> agent = make_agent_(spec);
  if (!agent) {
    std::move(reply).Send(HttpResponse::FromError(agent.error()));
    return;
  }
  const auto shared = std::make_shared<std::unique_ptr<Agent>>(std::move(*agent));
  OnTable(request, std::move(reply),
          [shared, index = std::string(request.Param("seat"))](Table& table) -> Result<json::Value> {
            const Result<Seat*> seat = SeatOf(table, index);
            if (!seat) return Fail(seat.error());
            (*seat)->SetAgent(std::move(*shared));
            return json::Value(table.Info());
          });
}

void ConsoleApi::Choose(const HttpRequest& request, HttpReply reply) {
  const auto parse = [&]() -> Result<openseat::Choice> {
    Result<json::Object> body = ObjectBody(request);
    if (!body) return Fail(body.error());
    Result<std::string> action = TextMember(*body, "action");
    if (!action) return Fail(action.error());
    openseat::Choice choice;
    choice.action = std::move(*action);
    choice.by = "console";
    if (const json::Value* data = json::Find(*body, "data")) choice.data = *data;
    if (const json::Value* decision = json::Find(*body, "decision")) {
      if (!decision->is_int64() || decision->get_int64() <= 0) {
        return Fail(ErrorCode::kInvalid, "decision must be the number of a decision; got " + json::Write(*decision),
                    "decision");
      }
      choice.decision = DecisionId(static_cast<std::uint64_t>(decision->get_int64()));
    }
    if (const json::Value* unchecked = json::Find(*body, "unchecked")) {
      if (!unchecked->is_bool()) {
        return Fail(ErrorCode::kInvalid, "unchecked must be true or false; got " + json::Write(*unchecked),
                    "unchecked");
      }
      choice.unchecked = unchecked->get_bool();
    }
    if (json::Find(*body, "raw") != nullptr) {
      Result<std::string> raw = TextMember(*body, "raw");
      if (!raw) return Fail(raw.error());
      if (!choice.unchecked) {
        return Fail(ErrorCode::kInvalid, "raw data is sent unchecked only: give \"unchecked\": true with it", "raw");
      }
      choice.raw = std::move(*raw);
    }
    return choice;
  };
  Result<openseat::Choice> choice = parse();
  if (!choice) {
    std::move(reply).Send(HttpResponse::FromError(choice.error()));
    return;
  }
  OnTable(
      request, std::move(reply),
      [choice = std::move(*choice), index = std::string(request.Param("seat"))](Table& table) -> Result<json::Value> {
        const Result<Seat*> seat = SeatOf(table, index);
        if (!seat) return Fail(seat.error());
        const Result<ChoiceId> chosen = (*seat)->Choose(choice);
        if (!chosen) return Fail(chosen.error());
        return json::Value(json::Object{{"choice", chosen->value()}});
      });
}

}  // namespace openseat::console

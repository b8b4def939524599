#include "app/script_api.h"

#include <algorithm>
#include <future>
#include <optional>
#include <utility>

#include "app/script_files.h"
#include "base/budget.h"
#include "base/json_members.h"
#include "base/log.h"
#include "base/text.h"
#include "games/script/script_game.h"
#include "match/match_events.h"
#include "net/schemas.h"

namespace openseat::app {
namespace {

using net::HttpReply;
using net::HttpRequest;
using net::HttpResponse;
using net::OneReply;
using net::schemas::ListOf;
using net::schemas::ObjectOf;
using net::schemas::Ref;
using net::schemas::Typed;

constexpr Duration kLookEvery = std::chrono::seconds(1);
constexpr std::size_t kMostName = 100;
constexpr std::size_t kTablesPage = 500;
// So long after a game was removed, all nodes of a cluster that take requests have heard of it.
constexpr Duration kHeardAfter = std::chrono::minutes(1);

json::Object FromSchema() {
  return {{"enum", json::Array{"program", "folder", "upload"}}};
}

void AddScriptSchemas(net::Router& router) {
  router.AddSchema("GameFile", ObjectOf({{"name", Typed("string", "Relative to the script: lines.js, parts/lines.js.")},
                                         {"text", Typed("string")}},
                                        {"name", "text"}));
  router.AddSchema(
      "GameFiles",
      ObjectOf({{"files", ListOf(Ref("GameFile"))},
                {"options", Typed("object", "Of the games that are played for the check.")},
                {"games", json::Object{{"type", "integer"}, {"minimum", 1}, {"maximum", ScriptApi::kMostGames}}}},
               {"files"}));
  router.AddSchema(
      "GameReport",
      ObjectOf({{"ok", Typed("boolean")},
                {"game", Typed("string", "Its id, if the script could be loaded.")},
                {"complaints", ListOf(Typed("string", "FILE:LINE:COLUMN: a sentence, then how to reproduce it."))},
                {"games", Typed("integer", "How many were played.")},
                {"choices", Typed("integer", "How many were made in them.")},
                {"longest", Typed("integer", "The choices of the longest game.")},
                {"state_bytes", Typed("integer", "Of the largest state.")},
                {"observation_bytes", Typed("integer", "Of the largest observation.")},
                {"view_bytes", Typed("integer", "Of the largest view: the table as it is drawn.")},
                {"steps", Typed("integer", "Of the longest choice (docs/scripts.md); 40 million are allowed.")},
                {"endings", json::Object{{"type", "object"},
                                         {"additionalProperties", Typed("integer")},
                                         {"description", "How many games ended so, at most 20 kinds of ends."}}},
                {"notes", ListOf(Typed("string", "What the check could not look at."))},
                {"version", Typed("integer", "The version of the rules, if the script could be loaded.")}},
               {"ok", "complaints", "games", "choices", "longest", "state_bytes", "observation_bytes", "view_bytes",
                "steps", "endings", "notes"}));
  router.AddSchema("OfferedGame", ObjectOf({{"id", Typed("string")},
                                            {"title", Typed("string")},
                                            {"description", Typed("string")},
                                            {"version", Typed("integer", "The version of the rules.")},
                                            {"from", FromSchema()},
                                            {"file", Typed("string", "The script's name.")},
                                            {"problem", Typed("string", "Why a newer file is not offered.")}},
                                           {"id", "title", "description", "version", "from"}));
}

net::RouteInfo InfoOf(std::string operation, std::string summary) {
  net::RouteInfo info;
  info.operation = std::move(operation);
  info.summary = std::move(summary);
  info.tag = "games";
  return info;
}

net::RouteInfo TakesFiles(net::RouteInfo info) {
  info.request_schema = Ref("GameFiles");
  info.response_schema = Ref("GameReport");
  info.answers.push_back({400, "The body has no such files, options or games."});
  info.answers.push_back({429, "Several checks wait already."});
  return info;
}

net::RouteInfo ListInfo() {
  net::RouteInfo info = InfoOf("listGames", "Every game that is offered, and every script that is wrong.");
  info.response_schema = ObjectOf(
      {{"games", ListOf(Ref("OfferedGame"))},
       {"problems", ListOf(ObjectOf({{"file", Typed("string")}, {"problem", Typed("string")}, {"from", FromSchema()}},
                                    {"file", "problem", "from"}))},
       {"folder", Typed("string", "That of --games.")}},
      {"games", "problems"});
  return info;
}

net::RouteInfo UploadInfo() {
  net::RouteInfo info = TakesFiles(InfoOf("uploadGame", "Checks a game that is written as a script, and offers it."));
  info.status = 201;
  info.answers.push_back({200, "A new version of a game that was uploaded before.", Ref("GameReport")});
  info.answers.push_back({409, "The id belongs to a game of the program, or of the folder."});
  info.answers.push_back({422, "The game does not conform.", Ref("GameReport")});
  return info;
}

net::RouteInfo SourceInfo() {
  net::RouteInfo info = InfoOf("getGameSource", "The files of a game that is written as a script.");
  info.response_schema = ObjectOf({{"id", Typed("string")},
                                   {"version", Typed("integer")},
                                   {"from", FromSchema()},
                                   {"files", ListOf(Ref("GameFile"))}},
                                  {"id", "version", "from", "files"});
  info.answers.push_back({404, "No game of that id is a script that is offered."});
  return info;
}

net::RouteInfo DeleteInfo() {
  net::RouteInfo info = InfoOf("deleteGame", "Offers an uploaded game no longer.");
  info.response_schema = ObjectOf({{"id", Typed("string")}, {"deleted", Typed("boolean")}}, {"id", "deleted"});
  info.answers.push_back({404, "No game of that id is a script that is offered."});
  info.answers.push_back({409, "Matches of it are being played, or it is a game of the folder."});
  return info;
}

bool IsGoodName(std::string_view name) {
  if (name.empty() || name.size() > kMostName) return false;
  if (!name.ends_with(".js") && !name.ends_with(".ts")) return false;
  for (std::size_t begin = 0; begin <= name.size();) {
    const std::size_t end = std::min(name.find('/', begin), name.size());
    if (end == begin || name[begin] == '.') return false;
    begin = end + 1;
  }
  return std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_' ||
           c == '.' || c == '/';
  });
}

Result<std::vector<games::ScriptFile>> ReadFiles(const json::Object& body) {
  const json::Value* given = json::Find(body, "files");
  if (given == nullptr || !given->is_array() || given->get_array().empty()) {
    return Fail(ErrorCode::kInvalid, "files must be a list of {name, text}, the script first", "files");
  }
  std::vector<games::ScriptFile> files;
  for (const json::Value& each : given->get_array()) {
    const std::string path = "files[" + std::to_string(files.size()) + "]";
    const json::Value* text = json::Find(each, "text");
    const std::string name(json::TextOf(each, "name"));
    if (!IsGoodName(name)) {
      return Fail(ErrorCode::kInvalid,
                  "a file's name is made of letters, digits, -, _, . and /, and ends in .js or .ts; got \"" +
                      Ellipsize(name, 60) + "\"",
                  path + ".name");
    }
    if (text == nullptr || !text->is_string()) return Fail(ErrorCode::kInvalid, "a file has a text", path + ".text");
    if (std::ranges::find(files, name, &games::ScriptFile::name) != files.end()) {
      return Fail(ErrorCode::kInvalid, "two files have the name " + Quote(name), path + ".name");
    }
    files.push_back({name, std::string(json::View(text->get_string()))});
  }
  return files;
}

std::string_view NameOf(ScriptShelf::From from) {
  return from == ScriptShelf::From::kFolder ? "folder" : "upload";
}

json::Object ToJson(const Game& game, const ScriptShelf::Listed* listed) {
  const GameInfo& info = game.info();
  json::Object each{{"id", info.id},
                    {"title", info.title},
                    {"description", info.description},
                    {"version", info.rules_version},
                    {"from", "program"}};
  if (listed == nullptr) return each;
  each["from"] = NameOf(listed->from);
  each["file"] = listed->file;
  if (!listed->problem.empty()) each["problem"] = listed->problem;
  return each;
}

}  // namespace

ScriptApi::ScriptApi(ScriptShelf& shelf, Lobby& lobby, Journal& journal, Scheduler& home,
                     std::function<bool(const TableId&)> elsewhere)
    : shelf_(shelf), lobby_(lobby), journal_(journal), home_(home), elsewhere_(std::move(elsewhere)) {
  home_.Post([this] { Watch(); });
}

ScriptApi::~ScriptApi() {
  stopping_ = true;
  *budget_ = 0;
  worker_.Stop();
}

void ScriptApi::AddRoutes(net::Router& router) {
  AddScriptSchemas(router);
  router.Add(net::Method::kGet, "/api/v1/games", ListInfo(),
             [this](const HttpRequest&, HttpReply reply) { List(std::move(reply)); });
  router.Add(net::Method::kPost, "/api/v1/games", UploadInfo(), [this](const HttpRequest& request, HttpReply reply) {
    OnChecked(request, std::move(reply),
              [this](const std::shared_ptr<OneReply>& one, Checked checked) { Upload(one, std::move(checked)); });
  });
  router.Add(net::Method::kPost, "/api/v1/games/check",
             TakesFiles(InfoOf("checkGame", "Checks a game that is written as a script, and keeps nothing of it.")),
             [this](const HttpRequest& request, HttpReply reply) {
               OnChecked(request, std::move(reply), [](const std::shared_ptr<OneReply>& one, const Checked& checked) {
                 one->Send(HttpResponse::Json(200, BodyOf(checked)));
               });
             });
  router.Add(net::Method::kGet, "/api/v1/games/:id/source", SourceInfo(),
             [this](const HttpRequest& request, HttpReply reply) { ShowSource(request, std::move(reply)); });
  router.Add(net::Method::kDelete, "/api/v1/games/:id", DeleteInfo(),
             [this](const HttpRequest& request, HttpReply reply) { Delete(request, std::move(reply)); });
}

void ScriptApi::Changed() {
  changed_ = true;
  Look();
}

void ScriptApi::Look() {
  if (looking_.exchange(true)) return;
  worker_.Post([this] {
    looking_ = false;
    if (changed_.exchange(false)) {
      if (const Result<void> synced = shelf_.Sync(false); !synced) {
        log::Warn("uploaded games: {}; trying again", synced.error().message);
        changed_ = true;
      }
    }
    shelf_.Refresh();
  });
}

void ScriptApi::Watch() {
  if (!shelf_.folder().empty() || changed_) Look();
  home_.After(kLookEvery, [this] { Watch(); });
}

Result<void> ScriptApi::Prepare(const std::vector<TableRecord>& tables) {
  const bool all_known = std::ranges::all_of(tables, [this](const TableRecord& table) {
    const Result<json::Value> opened = json::Parse(table.opened_payload);
    if (!opened || json::Find(*opened, "rules_version") == nullptr) return true;  // no match, or none of a script
    const Game* game = lobby_.game_list().Find(json::TextOf(*opened, "game"));
    const Result<int> version = ReadRulesVersion(*opened);
    return !version || (game != nullptr && game->OfVersion(*version) != nullptr);
  });
  if (all_known) return {};
  const auto done = std::make_shared<std::promise<Result<void>>>();
  std::future<Result<void>> answer = done->get_future();
  worker_.Post([this, done] { done->set_value(shelf_.Sync(true)); });
  // If it never runs, the server stops.
  while (answer.wait_for(kLookEvery) != std::future_status::ready) {
    if (stopping_) return Fail(ErrorCode::kClosed, "the server stops");
  }
  return answer.get();
}

void ScriptApi::List(HttpReply reply) const {
  const ScriptShelf::Listing listing = shelf_.List();
  json::Array games;
  for (const Game* game : lobby_.games()) {
    const auto listed = std::ranges::find(listing.games, game->info().id,
                                          [](const ScriptShelf::Listed& each) { return each.game->info().id; });
    games.push_back(ToJson(*game, listed == listing.games.end() ? nullptr : &*listed));
  }
  json::Array problems;
  for (const ScriptShelf::Problem& each : listing.problems) {
    problems.push_back(json::Object{{"file", each.file}, {"problem", each.problem}, {"from", NameOf(each.from)}});
  }
  json::Object body{{"games", std::move(games)}, {"problems", std::move(problems)}};
  if (!shelf_.folder().empty()) body["folder"] = shelf_.folder();
  std::move(reply).Send(HttpResponse::Json(200, body));
}

void ScriptApi::ShowSource(const HttpRequest& request, HttpReply reply) const {
  const std::string id(request.Param("id"));
  const std::optional<ScriptShelf::Listed> listed = shelf_.Find(id);
  if (!listed) {
    return std::move(reply).Send(
        HttpResponse::FromError({ErrorCode::kNotFound, "no game \"" + id + "\" is a script that is offered", "id"}));
  }
  json::Array files;
  for (const games::ScriptFile& file : games::FilesOf(*listed->game)) {
    files.push_back(json::Object{{"name", file.name}, {"text", file.text}});
  }
  std::move(reply).Send(HttpResponse::Json(200, json::Object{{"id", id},
                                                             {"version", listed->game->info().rules_version},
                                                             {"from", NameOf(listed->from)},
                                                             {"files", std::move(files)}}));
}

Result<ScriptApi::Wanted> ScriptApi::ReadWanted(const HttpRequest& request) {
  const Result<json::Object> body = net::ObjectBody(request);
  if (!body) return Fail(body.error());
  Result<std::vector<games::ScriptFile>> files = ReadFiles(*body);
  if (!files) return Fail(files.error());
  Wanted wanted{*std::move(files), {}, static_cast<int>(kMostGames)};
  if (const json::Value* options = json::Find(*body, "options")) wanted.options = *options;
  if (json::Find(*body, "games") != nullptr) {
    const std::optional<std::uint64_t> games = json::WholeOf(*body, "games");
    if (!games || *games < 1 || *games > kMostGames) {
      return Fail(ErrorCode::kInvalid, "games must be 1 to " + std::to_string(kMostGames), "games");
    }
    wanted.games = static_cast<int>(*games);
  }
  return wanted;
}

void ScriptApi::OnChecked(const HttpRequest& request, HttpReply reply,
                          std::function<void(const std::shared_ptr<OneReply>& one, Checked checked)> next) {
  Result<Wanted> wanted = ReadWanted(request);
  if (!wanted) return std::move(reply).Send(HttpResponse::FromError(wanted.error()));
  if (waiting_.fetch_add(1) >= kMostWaiting) {
    --waiting_;
    return std::move(reply).Send(
        HttpResponse::FromError(RefuseFor(request.payer.get(), Limit::kGameChecks, kMostWaiting - 1).ToError()));
  }
  const auto one = std::make_shared<OneReply>(std::move(reply));
  const auto shared = std::make_shared<Wanted>(*std::move(wanted));
  checker_.Post([this, one, shared, next = std::move(next)] {
    Checked checked = Check(std::move(*shared));
    --waiting_;
    next(one, std::move(checked));
  });
}

ScriptApi::Checked ScriptApi::Check(Wanted wanted) {
  *budget_ = kCheckSteps;
  if (stopping_) *budget_ = 0;
  auto game = games::MakeScriptGame(std::move(wanted.files), {}, {.budget = budget_, .logs_faults = false});
  if (!game) {
    Checked failed;
    failed.report.complaints = {PlaceAndMessage(game.error())};
    return failed;
  }
  ScriptReport report = CheckScript(**game, wanted.options, wanted.games, budget_);
  return {*std::move(game), std::move(report)};
}

json::Object ScriptApi::BodyOf(const Checked& checked) {
  json::Object body = app::ToJson(checked.report);
  if (checked.game == nullptr) {
    body.erase("game");
  } else {
    body["version"] = checked.game->info().rules_version;
  }
  return body;
}

void ScriptApi::Upload(const std::shared_ptr<OneReply>& one, Checked checked) {
  if (!checked.report.complaints.empty()) return one->Send(HttpResponse::Json(422, BodyOf(checked)));
  worker_.Post([this, one, checked = std::make_shared<Checked>(std::move(checked))] {
    const Result<bool> is_new = shelf_.Upload(*checked->game);
    one->Send(is_new ? HttpResponse::Json(*is_new ? 201 : 200, BodyOf(*checked))
                     : HttpResponse::FromError(is_new.error()));
  });
}

void ScriptApi::Delete(const HttpRequest& request, HttpReply reply) {
  const auto one = std::make_shared<OneReply>(std::move(reply));
  const std::string id(request.Param("id"));
  if (const auto may = shelf_.CheckRemove(id); !may) return one->Send(HttpResponse::FromError(may.error()));
  // Matches are visited on their own threads.
  const auto open = std::make_shared<std::atomic<int>>(0);
  lobby_.Visit(
      home_,
      [open, id](Match& match) {
        if (match.game()->info().id == id && match.status() != MatchStatus::kDone) ++*open;
      },
      [this, one, open, id] {
        if (*open > 0) {
          return one->Send(HttpResponse::FromError(
              {ErrorCode::kConflict,
               (*open == 1 ? "a match of " + id + " is" : std::to_string(*open) + " matches of " + id + " are") +
                   " being played",
               "id"}));
        }
        if (!elsewhere_) return worker_.Post([this, one, id] { Remove(one, id); });
        // It reads the records of matches.
        checker_.Post([this, one, id] {
          const Result<bool> played = IsPlayedElsewhere(id);
          if (!played) return one->Send(HttpResponse::FromError(played.error()));
          if (*played) {
            return one->Send(HttpResponse::FromError(
                {ErrorCode::kConflict, "a match of " + id + " is being played at another node", "id"}));
          }
          worker_.Post([this, one, id] { Remove(one, id); });
        });
      });
}

void ScriptApi::Remove(const std::shared_ptr<OneReply>& one, const std::string& id) {
  if (const Result<void> removed = shelf_.Remove(id); !removed) {
    return one->Send(HttpResponse::FromError(removed.error()));
  }
  if (!elsewhere_) {
    Forget(id);
  } else {
    // Until they have heard of it, other nodes may make matches of the game.
    home_.Post([this, id] { home_.After(kHeardAfter, [this, id] { checker_.Post([this, id] { Forget(id); }); }); });
  }
  one->Send(HttpResponse::Json(200, json::Object{{"id", id}, {"deleted", true}}));
}

void ScriptApi::Forget(const std::string& id) {
  std::set<int> needed;
  const Result<void> read = VisitTables(id, [&needed](const TableRecord& table) -> Result<bool> {
    const Result<json::Value> opened = json::Parse(table.opened_payload);
    const Result<int> version = opened ? ReadRulesVersion(*opened) : Fail(opened.error());
    if (version) needed.insert(*version);
    return true;
  });
  if (!read) return log::Warn("the files of {}, which was deleted, are kept: {}", id, read.error().message);
  if (!elsewhere_) return shelf_.Forget(id, needed);
  worker_.Post([this, id, needed = std::move(needed)] { shelf_.Forget(id, needed); });
}

Result<bool> ScriptApi::IsPlayedElsewhere(const std::string& id) {
  bool played = false;
  const Result<void> read = VisitTables(id, [&](const TableRecord& table) -> Result<bool> {
    if (table.closed || !elsewhere_(table.id)) return true;
    for (Seq after = 0;;) {
      const Result<std::vector<StoredEvent>> events = journal_.Read(table.id, after, kTablesPage);
      if (!events) return Fail(events.error());
      for (const StoredEvent& each : *events) {
        after = each.seq;
        if (each.event.kind == EventKind::kEnded) return true;
        if (each.event.kind != EventKind::kSeen) continue;
        const Result<json::Value> seen = json::Parse(each.event.payload);
        if (seen && json::Find(*seen, "ended") != nullptr) return true;
      }
      if (events->empty()) break;
    }
    played = true;
    return false;
  });
  if (!read) return Fail(read.error());
  return played;
}

Result<void> ScriptApi::VisitTables(const std::string& id,
                                    const std::function<Result<bool>(const TableRecord& table)>& visit) {
  for (std::uint64_t before = Journal::kNewest;;) {
    const Result<std::vector<TableRecord>> page = journal_.Tables(kTablesPage, before);
    if (!page) return Fail(page.error());
    for (const TableRecord& table : *page) {
      before = table.number;
      const Result<json::Value> opened = json::Parse(table.opened_payload);
      if (!opened || json::TextOf(*opened, "game") != id) continue;
      const Result<bool> more = visit(table);
      if (!more) return Fail(more.error());
      if (!*more) return {};
    }
    if (page->size() < kTablesPage) return {};
  }
}

}  // namespace openseat::app

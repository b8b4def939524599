#include "protocols/console/arena_api.h"

#include <algorithm>
#include <charconv>
#include <memory>
#include <optional>
#include <utility>

#include "arena/recording_journal.h"
#include "arena/run_folder.h"
#include "arena/run_record.h"
#include "arena/standings_output.h"
#include "base/text.h"
#include "net/paging.h"
#include "protocols/console/arena_games.h"
#include "protocols/console/arena_info.h"

namespace openseat::console {
namespace {

using arena::GameLine;
using net::HttpReply;
using net::HttpRequest;
using net::HttpResponse;
using net::Method;

constexpr std::size_t kKnownRatings = 8;
constexpr std::size_t kMaxDecisionPage = 100;

HttpResponse Failure(const Error& error) {
  HttpResponse response = HttpResponse::FromError(error);
  // A file is at fault, not the request.
  const bool of_file =
      error.code == ErrorCode::kParse || error.code == ErrorCode::kTooLarge || error.code == ErrorCode::kIo;
  if (!of_file) return response;
  response.status = 500;
  response.headers.Remove("Retry-After");
  return response;
}

std::optional<std::uint64_t> ParseWhole(std::string_view text) {
  std::uint64_t number = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || parsed.ec != std::errc() || parsed.ptr != text.data() + text.size()) return std::nullopt;
  return number;
}

Result<arena::StandingsOptions> StandingsOptionsOf(const HttpRequest& request) {
  const Result<bool> equal = net::FlagQuery(request, "equal_games");
  if (!equal) return Fail(equal.error());
  arena::StandingsOptions options;
  options.equal_games = *equal;
  if (const std::string* anchor = request.Query("anchor")) options.anchor = *anchor;
  return options;
}

}  // namespace

ArenaApi::ArenaApi(std::string data_dir, const std::vector<std::string>& folders, FindGame find_game)
    : data_dir_(std::move(data_dir)), find_game_(std::move(find_game)), shelf_(data_dir_, folders) {}

void ArenaApi::AddRoutes(net::Router& router) {
  AddArenaSchemas(router);
  const auto add = [&](const std::string& path, net::RouteInfo info, auto handler) {
    router.Add(
        Method::kGet, "/api/v1/arena" + path, std::move(info),
        [this, handler](const HttpRequest& request, HttpReply reply) { (this->*handler)(request, std::move(reply)); });
  };
  add("", ListRunsInfo(), &ArenaApi::List);
  add("/:id", GetRunInfo(), &ArenaApi::Show);
  add("/:id/standings", GetStandingsInfo(), &ArenaApi::ShowStandings);
  add("/:id/games", ListRunGamesInfo(), &ArenaApi::ListGames);
  add("/:id/games/:game", GetRunGameInfo(), &ArenaApi::ShowGame);
  add("/:id/games/:game/decisions", ListDecisionsInfo(), &ArenaApi::ListDecisions);
  add("/:id/games/:game/transcript", GetGameTranscriptInfo(), &ArenaApi::ShowTranscript);
  add("/:id/games/:game/replay", GetGameReplayInfo(), &ArenaApi::ShowReplay);
  add("/:id/games/:game/analysis", GetGameAnalysisInfo(), &ArenaApi::ShowAnalysis);
}

void ArenaApi::Answer(HttpReply reply, std::function<Result<Body>()> read) {
  const auto one = std::make_shared<net::OneReply>(std::move(reply));
  reader_.Post([one, read = std::move(read)] {
    Result<Body> body = read();
    if (!body) return one->Send(Failure(body.error()));
    auto* text = std::get_if<std::string>(&*body);
    one->Send(text != nullptr ? HttpResponse::Text(200, std::move(*text), "application/json")
                              : HttpResponse::Json(200, std::get<json::Object>(*body)));
  });
}

void ArenaApi::OfRun(const HttpRequest& request, HttpReply reply, std::function<Result<Body>(const Run& run)> read) {
  Answer(std::move(reply), [this, id = std::string(request.Param("id")), read = std::move(read)]() -> Result<Body> {
    const Result<Run> run = FolderOf(id);
    if (!run) return Fail(run.error());
    return read(*run);
  });
}

void ArenaApi::OfGame(const HttpRequest& request, HttpReply reply,
                      std::function<Result<Body>(const Run& run, const GameLine& game)> read) {
  OfRun(request, std::move(reply),
        [this, text = std::string(request.Param("game")), read = std::move(read)](const Run& run) -> Result<Body> {
          const Result<RunGames> games = files_.ReadGames(run.folder);
          if (!games) return Fail(games.error());
          const std::optional<std::uint64_t> number = ParseWhole(text);
          const auto found = std::ranges::lower_bound(**games, number.value_or(0), {}, &GameLine::game);
          if (!number || found == (*games)->end() || found->game != *number) {
            return Fail(ErrorCode::kNotFound, "the run " + Quote(run.id) + " has no game " + Quote(text), "game");
          }
          return read(run, *found);
        });
}

Result<ArenaApi::Run> ArenaApi::FolderOf(const std::string& id) {
  Result<arena::RunShelf::Place> place = shelf_.Find(id);
  if (!place) return Fail(place.error());
  if (!place->folder) {
    return Fail(ErrorCode::kNotFound, "the run " + Quote(id) + " was recorded before games were kept: it has only sums",
                "id");
  }
  return Run{id, std::move(place->path)};
}

void ArenaApi::List(const HttpRequest& request, HttpReply reply) {
  Result<net::Page> page = net::PageOf(request);
  if (!page) {
    std::move(reply).Send(HttpResponse::FromError(page.error()));
    return;
  }
  Answer(std::move(reply), [this, page = std::move(*page)]() -> Result<json::Object> {
    Result<arena::RunShelf::List> list = shelf_.All();
    if (!list) return Fail(list.error());
    const std::string next = net::CutPage(
        list->runs, page,
        [](const json::Object& run) {
          return std::string(json::TextOf(run, "started")) + " " + std::string(json::TextOf(run, "id"));
        },
        /*descending=*/true);
    json::Array runs;
    for (json::Object& run : list->runs) runs.push_back(std::move(run));
    json::Array unreadable;
    for (const arena::RunShelf::Unreadable& file : list->unreadable) {
      unreadable.push_back(json::Object{{"file", file.file}, {"message", file.message}});
    }
    json::Object body = net::PageBody("runs", std::move(runs), next);
    body["unreadable"] = std::move(unreadable);
    return body;
  });
}

void ArenaApi::Show(const HttpRequest& request, HttpReply reply) {
  Answer(std::move(reply), [this, id = std::string(request.Param("id"))] { return ReadRun(id); });
}

Result<json::Object> ArenaApi::ReadRun(const std::string& id) {
  const Result<arena::RunShelf::Place> place = shelf_.Find(id);
  if (!place) return Fail(place.error());
  if (!place->folder) {
    Result<json::Object> old = arena::ReadOldRun(data_dir_, id);
    if (!old) return Fail(old.error());
    return json::Object{{"id", id}, {"kind", "file"}, {"record", std::move(*old)}};
  }
  const Result<arena::RunSpec> spec = arena::ReadRunSpec(place->path);
  if (!spec) return Fail(spec.error());
  const Result<RunGames> games = files_.ReadGames(place->path);
  if (!games) return Fail(games.error());
  json::Object asked = ToJson(*spec);
  asked.erase("summary");
  return json::Object{{"id", id},
                      {"kind", "folder"},
                      {"folder", place->path},
                      {"ended", !spec->parts.empty() && spec->parts.back().seconds.has_value()},
                      {"run", std::move(asked)},
                      {"counts", CountGames(**games, spec->fixed_roles)}};
}

void ArenaApi::ShowStandings(const HttpRequest& request, HttpReply reply) {
  Result<arena::StandingsOptions> options = StandingsOptionsOf(request);
  if (!options) {
    std::move(reply).Send(HttpResponse::FromError(options.error()));
    return;
  }
  const auto one = std::make_shared<net::OneReply>(std::move(reply));
  reader_.Post(
      [this, one, id = std::string(request.Param("id")), options = std::move(*options), payer = request.payer] {
        const Result<Run> run = FolderOf(id);
        if (!run) return one->Send(Failure(run.error()));
        const Result<RunGames> games = files_.ReadGames(run->folder);
        if (!games) return one->Send(Failure(games.error()));
        if (!rating_.Add(0)) {
          return one->Send(
              HttpResponse::FromError(rating_.Refuse(payer.get(), Limit::kRatings, Limit::kRatings).ToError()));
        }
        rater_.Post([this, one, folder = run->folder, games = *games, options] {
          Rate(one, folder, games, options);
          rating_.Remove(0);
        });
      });
}

void ArenaApi::Rate(const OneReply& one, const std::string& folder, const RunGames& games,
                    const arena::StandingsOptions& options) {
  const std::string key = folder + "\n" + (options.equal_games ? "equal" : "all") + "\n" + options.anchor;
  auto known = std::ranges::find(ratings_, key, &Known::key);
  if (known == ratings_.end() || known->games != games) {
    const Result<arena::Standings> standings = arena::MakeStandings(std::span(games.get(), 1), options);
    if (!standings) return one->Send(Failure(standings.error()));
    if (known != ratings_.end()) ratings_.erase(known);
    ratings_.push_front({key, games, std::make_shared<const std::string>(json::Write(ToJson(*standings)))});
    if (ratings_.size() > kKnownRatings) ratings_.pop_back();
    known = ratings_.begin();
  }
  ratings_.splice(ratings_.begin(), ratings_, known);
  HttpResponse response;
  response.headers.Set("Content-Type", "application/json");
  response.shared_body = known->body;
  one->Send(std::move(response));
}

void ArenaApi::ListGames(const HttpRequest& request, HttpReply reply) {
  Result<net::Page> page = net::PageOf(request);
  Result<GameQuery> query = page ? GameQueryOf(request) : Result<GameQuery>(Fail(page.error()));
  if (!query) {
    std::move(reply).Send(HttpResponse::FromError(query.error()));
    return;
  }
  OfRun(request, std::move(reply),
        [this, page = std::move(*page), query = std::move(*query)](const Run& run) -> Result<json::Object> {
          const Result<RunGames> games = files_.ReadGames(run.folder);
          if (!games) return Fail(games.error());
          return FindGames(**games, query, page);
        });
}

void ArenaApi::ShowGame(const HttpRequest& request, HttpReply reply) {
  OfGame(request, std::move(reply), [this](const Run& run, const GameLine& game) -> Result<json::Object> {
    const Result<RunGames> games = files_.ReadGames(run.folder);
    if (!games) return Fail(games.error());
    const Result<arena::RunReader::Decisions> decisions = files_.ReadDecisions(run.folder, game.game, 0, 0);
    if (!decisions) return Fail(decisions.error());
    json::Array others;
    for (const GameLine& each : **games) {
      if (each.pair == game.pair && each.game != game.game && others.size() < arena::kMaxLineSeats) {
        others.push_back(ToJson(each));
      }
    }
    return json::Object{{"run", run.id},
                        {"game", ToJson(game)},
                        {"pair", std::move(others)},
                        {"decisions", decisions->total},
                        {"offered", find_game_(game.game_id) != nullptr}};
  });
}

void ArenaApi::ListDecisions(const HttpRequest& request, HttpReply reply) {
  const Result<net::Page> page = net::PageOf(request);
  const std::optional<std::uint64_t> first =
      page && !page->cursor.empty() ? ParseWhole(page->cursor) : std::optional<std::uint64_t>(0);
  if (!page || !first) {
    std::move(reply).Send(HttpResponse::FromError(
        page ? Error{ErrorCode::kInvalid, "cursor must be that of a list of decisions", "cursor"} : page.error()));
    return;
  }
  const std::size_t limit = std::min(page->limit, kMaxDecisionPage);
  OfGame(request, std::move(reply),
         [this, first = *first, limit](const Run& run, const GameLine& game) -> Result<json::Object> {
           Result<arena::RunReader::Decisions> decisions = files_.ReadDecisions(run.folder, game.game, first, limit);
           if (!decisions) return Fail(decisions.error());
           json::Array lines;
           for (json::Object& line : decisions->lines) lines.push_back(std::move(line));
           return net::PageBody("decisions", std::move(lines),
                                decisions->next ? std::to_string(*decisions->next) : std::string());
         });
}

// What `read` answers about the recording of a game.
template <typename Read>
void ArenaApi::OfRecording(const HttpRequest& request, HttpReply reply, Read read) {
  OfGame(request, std::move(reply),
         [this, read = std::move(read)](const Run& run, const GameLine& game) -> Result<Body> {
           const auto recording = files_.ReadReplay(run.folder, game.game);
           if (!recording) return Fail(recording.error());
           return read((*recording)->journal, (*recording)->table, run.folder + "\n" + std::to_string(game.game));
         });
}

void ArenaApi::ShowTranscript(const HttpRequest& request, HttpReply reply) {
  Result<TranscriptQuery> query = TranscriptQueryOf(request);
  if (!query) {
    std::move(reply).Send(HttpResponse::FromError(query.error()));
    return;
  }
  OfRecording(request, std::move(reply),
              [this, query = std::move(*query)](Journal& journal, const TableId& table, const std::string&) {
                return Result<Body>(ReadTranscript(journal, find_game_, table, query));
              });
}

void ArenaApi::ShowReplay(const HttpRequest& request, HttpReply reply) {
  Result<ReplayQuery> query = ReplayQueryOf(request);
  if (!query) {
    std::move(reply).Send(HttpResponse::FromError(query.error()));
    return;
  }
  OfRecording(request, std::move(reply),
              [this, query = std::move(*query)](Journal& journal, const TableId& table, const std::string& source) {
                return Result<Body>(replays_.Read(journal, find_game_, table, query, source));
              });
}

void ArenaApi::ShowAnalysis(const HttpRequest& request, HttpReply reply) {
  OfGame(request, std::move(reply), [this](const Run& run, const GameLine& game) -> Result<json::Object> {
    Result<std::vector<json::Object>> lines = files_.ReadAnalysis(run.folder, game.game);
    if (!lines) return Fail(lines.error());
    json::Array decisions;
    for (json::Object& line : *lines) decisions.push_back(std::move(line));
    return json::Object{{"status", decisions.empty() ? "none" : "done"}, {"decisions", std::move(decisions)}};
  });
}

}  // namespace openseat::console

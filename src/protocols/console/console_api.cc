#include "protocols/console/console_api.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "base/text.h"
#include "core/game_info.h"
#include "match/match.h"
#include "match/match_events.h"
#include "match/replay.h"
#include "net/client_address.h"
#include "net/json_request.h"
#include "protocols/console/fork_request.h"
#include "protocols/console/past_table.h"
#include "protocols/console/route_info.h"
#include "protocols/console/transcript.h"

namespace openseat::console {
namespace {

using net::HttpReply;
using net::HttpRequest;
using net::HttpResponse;
using net::Method;
using net::ObjectBody;
using net::OneReply;
using net::TextMember;

}  // namespace

Error ConsoleApi::NoTable(std::string_view id) {
  return Error{ErrorCode::kNotFound, "no table " + Quote(id) + " is live", "id"};
}

ConsoleApi::ConsoleApi(TableDirectory& directory, Journal& journal, const AgentKinds& kinds, Lobby& lobby,
                       const Intake& intake, AdviceOf advice)
    : directory_(directory),
      journal_(journal),
      kinds_(kinds),
      lobby_(lobby),
      intake_(intake),
      advice_(std::move(advice)),
      list_(directory, journal, reader_) {}

void ConsoleApi::AddRoutes(net::Router& router) {
  AddSchemas(router);
  router.Add(Method::kGet, "/api/v1/tables", ListTablesInfo(),
             [this](const HttpRequest& request, HttpReply reply) { list_.Answer(request, std::move(reply)); });
  router.Add(Method::kGet, "/api/v1/hosted-games", ListGamesInfo(),
             [this](const HttpRequest&, HttpReply reply) { ListGames(std::move(reply)); });
  router.Add(Method::kPost, "/api/v1/matches", CreateMatchInfo(),
             [this](const HttpRequest& request, HttpReply reply) { CreateMatch(request, std::move(reply)); });
  router.Add(Method::kGet, "/api/v1/tables/:id", GetTableInfo(),
             [this](const HttpRequest& request, HttpReply reply) { GetTable(request, std::move(reply)); });
  router.Add(Method::kGet, "/api/v1/tables/:id/diagnostics", DiagnosticsInfo(),
             [this](const HttpRequest& request, HttpReply reply) { Diagnostics(request, std::move(reply)); });
  router.Add(Method::kGet, "/api/v1/tables/:id/transcript", TranscriptInfo(),
             [this](const HttpRequest& request, HttpReply reply) { Transcript(request, std::move(reply)); });
  router.Add(Method::kGet, "/api/v1/tables/:id/replay", ReplayInfo(),
             [this](const HttpRequest& request, HttpReply reply) { ShowReplay(request, std::move(reply)); });
  router.Add(Method::kPost, "/api/v1/tables/:id/fork", ForkMatchInfo(),
             [this](const HttpRequest& request, HttpReply reply) { ForkMatch(request, std::move(reply)); });
  router.Add(Method::kPost, "/api/v1/tables/:id/control", ControlInfo(),
             [this](const HttpRequest& request, HttpReply reply) { Control(request, std::move(reply)); });
  router.Add(Method::kPost, "/api/v1/tables/:id/seats/:seat/agent", SetAgentInfo(),
             [this](const HttpRequest& request, HttpReply reply) { SetAgent(request, std::move(reply)); });
  router.Add(Method::kPost, "/api/v1/tables/:id/seats/:seat/choose", ChooseInfo(),
             [this](const HttpRequest& request, HttpReply reply) { Choose(request, std::move(reply)); });
  router.Add(Method::kPost, "/api/v1/tables/:id/seats/:seat/skip", SkipInfo(),
             [this](const HttpRequest& request, HttpReply reply) { Skip(request, std::move(reply)); });
}

void ConsoleApi::OnTable(const HttpRequest& request, HttpReply reply, std::function<Result<json::Value>(Table&)> render,
                         FromRecord from_record) {
  const auto one = std::make_shared<OneReply>(std::move(reply));
  const MatchName name = ParseMatchName(request.Param("id"));
  directory_.With(
      *directory_.schedulers().front(), name.id,
      [one, name, render = std::move(render)](Table& table) {
        Result<json::Value> value =
            OpensForOwner(name, table.invite()) ? render(table) : Result<json::Value>(Fail(NoTable(name.Text())));
        if (!value) return one->Send(HttpResponse::FromError(value.error()));
        HttpResponse response = HttpResponse::Json(200, *value);
        response.secret = !table.invite().empty();
        one->Send(std::move(response));
      },
      [this, one, name, from_record = std::move(from_record)] {
        if (from_record) return OnRecord(one, name, from_record);
        one->Send(HttpResponse::FromError(NoTable(name.Text())));
      });
}

void ConsoleApi::OnRecord(const std::shared_ptr<OneReply>& one, const MatchName& name, const FromRecord& render) {
  reader_.Post([this, one, name, render] {
    const Result<TableRecord> record = journal_.Find(name.id);
    if (!record && record.error().code != ErrorCode::kNotFound) {
      return one->Send(HttpResponse::FromError(record.error()));
    }
    if (!record || !OpensForOwner(name, InviteOf(record->opened_payload))) {
      return one->Send(HttpResponse::FromError(
          {ErrorCode::kNotFound, "no table " + Quote(name.Text()) + " is live or recorded", "id"}));
    }
    const Result<json::Object> value = render(*record);
    one->Send(value ? HttpResponse::Json(200, *value) : HttpResponse::FromError(value.error()));
  });
}

void ConsoleApi::GetTable(const HttpRequest& request, HttpReply reply) {
  OnTable(
      request, std::move(reply), [](Table& table) -> Result<json::Value> { return json::Value(table.Info()); },
      [](const TableRecord& record) -> Result<json::Object> { return RecordedTable(record); });
}

void ConsoleApi::Diagnostics(const HttpRequest& request, HttpReply reply) {
  const Result<std::uint64_t> since = net::NumberQuery(request, "since", 0);
  if (!since) return std::move(reply).Send(HttpResponse::FromError(since.error()));
  const std::optional<Seq> after = request.Query("since") != nullptr ? std::optional(*since) : std::nullopt;
  const FromRecord from_record = [this, after](const TableRecord& record) {
    return RecordedDiagnostics(journal_, advice_, record, after);
  };
  if (after) {
    return OnRecord(std::make_shared<OneReply>(std::move(reply)), ParseMatchName(request.Param("id")), from_record);
  }
  OnTable(
      request, std::move(reply),
      [](Table& table) -> Result<json::Value> {
        return json::Value(json::Object{{"diagnostics", table.Diagnostics()}});
      },
      from_record);
}

void ConsoleApi::Transcript(const HttpRequest& request, HttpReply reply) {
  Result<TranscriptQuery> query = TranscriptQueryOf(request);
  if (!query) {
    std::move(reply).Send(HttpResponse::FromError(query.error()));
    return;
  }
  const auto one = std::make_shared<OneReply>(std::move(reply));
  reader_.Post(
      [this, one, payer = request.payer, name = ParseMatchName(request.Param("id")), query = std::move(*query)] {
        // While it grows, it is copied.
        constexpr std::size_t kTakes = 2 * kTranscriptBytes;
        if (const auto refused = payer ? payer->TouchOrRefuse(kTakes) : std::nullopt) {
          return one->Send(HttpResponse::FromError(refused->ToError()));
        }
        const Result<std::string> invite = InviteOfRecord(name);
        if (!invite) return TranscriptOfLive(one, name, query, invite.error());
        Result<std::string> transcript = ReadTranscript(journal_, FindHosted(), name.id, query);
        if (!transcript) return one->Send(HttpResponse::FromError(transcript.error()));
        HttpResponse response = HttpResponse::Text(200, std::move(*transcript), "application/json");
        response.secret = !invite->empty() && query.viewer == kWholeRecord;
        one->Send(std::move(response));
      });
}

void ConsoleApi::TranscriptOfLive(const std::shared_ptr<OneReply>& one, const MatchName& name,
                                  const TranscriptQuery& query, const Error& error) {
  const auto refuse = [one, error] { one->Send(HttpResponse::FromError(error)); };
  if (error.code != ErrorCode::kNotFound) return refuse();
  directory_.With(
      *directory_.schedulers().front(), name.id,
      [one, name, query, refuse](Table& table) {
        if (!OpensForOwner(name, table.invite())) return refuse();
        Result<std::string> empty = TranscriptWithoutRecord(name.id, table.game() != nullptr, query);
        one->Send(empty ? HttpResponse::Text(200, std::move(*empty), "application/json")
                        : HttpResponse::FromError(empty.error()));
      },
      refuse);
}

void ConsoleApi::ShowReplay(const HttpRequest& request, HttpReply reply) {
  Result<ReplayQuery> query = ReplayQueryOf(request);
  if (!query) {
    std::move(reply).Send(HttpResponse::FromError(query.error()));
    return;
  }
  const auto one = std::make_shared<OneReply>(std::move(reply));
  reader_.Post([this, one, name = ParseMatchName(request.Param("id")), query = std::move(*query)] {
    const Result<std::string> found = InviteOfRecord(name);
    const Result<std::string> page =
        found ? replays_.Read(journal_, FindHosted(), name.id, query) : Result<std::string>(Fail(found.error()));
    one->Send(page ? HttpResponse::Text(200, *page, "application/json") : HttpResponse::FromError(page.error()));
  });
}

Result<std::string> ConsoleApi::InviteOfRecord(const MatchName& name) {
  const Result<std::vector<StoredEvent>> first = journal_.Read(name.id, 0, 1);
  if (!first) return Fail(first.error());
  std::string invite = first->empty() ? std::string() : InviteOf(first->front().event.payload);
  if (!first->empty() && !OpensForOwner(name, invite)) {
    return Fail(ErrorCode::kNotFound, "no table " + Quote(name.Text()) + " is recorded", "id");
  }
  return invite;
}

FindGame ConsoleApi::FindHosted() const {
  return [this](std::string_view game) { return lobby_.FindGame(game); };
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
  for (const Game* game : lobby_.games()) games.push_back(ToJson(game->info()));
  std::move(reply).Send(HttpResponse::Json(200, json::Object{{"games", std::move(games)}}));
}

void ConsoleApi::CreateMatch(const HttpRequest& request, HttpReply reply) {
  Result<json::Object> body = ObjectBody(request);
  Result<WantedMatch> wanted = body ? ReadWantedMatch(*body, lobby_, kinds_) : Result<WantedMatch>(Fail(body.error()));
  if (!wanted) {
    std::move(reply).Send(HttpResponse::FromError(wanted.error()));
    return;
  }
  if (!wanted->is_private) wanted->is_private = !net::IsLocal(request);
  MakeMatch(std::make_shared<OneReply>(std::move(reply)), std::make_shared<WantedMatch>(std::move(*wanted)), nullptr,
            request.payer);
}

void ConsoleApi::ForkMatch(const HttpRequest& request, HttpReply reply) {
  Result<json::Object> body = ObjectBody(request);
  const Result<ForkQuery> query = body ? ForkQueryOf(*body) : Result<ForkQuery>(Fail(body.error()));
  if (!query) {
    std::move(reply).Send(HttpResponse::FromError(query.error()));
    return;
  }
  const auto one = std::make_shared<OneReply>(std::move(reply));
  reader_.Post([this, one, name = ParseMatchName(request.Param("id")), body = std::move(*body), query = *query,
                payer = request.payer, local = net::IsLocal(request)]() mutable {
    const Result<std::string> invite = InviteOfRecord(name);
    Result<MatchSpec> fork =
        invite ? ReadFork(journal_, FindHosted(), name.id, query) : Result<MatchSpec>(Fail(invite.error()));
    if (!fork) return one->Send(HttpResponse::FromError(fork.error()));
    body.erase("event");
    body.erase("decision");
    body["game"] = fork->game->info().id;
    Result<WantedMatch> wanted = ReadWantedMatch(body, lobby_, kinds_);
    if (wanted && std::ranges::any_of(wanted->wanted, [](const WantedSeat& seat) { return !seat.deck.empty(); })) {
      wanted = Fail(ErrorCode::kInvalid, "a fork has the decks of its match: leave \"deck\" out", "deck");
    }
    if (wanted && wanted->seats.size() > fork->seats.size()) {
      wanted = Fail(ErrorCode::kInvalid, "the match has " + std::to_string(fork->seats.size()) + " seats", "seats");
    }
    if (!wanted) return one->Send(HttpResponse::FromError(wanted.error()));
    wanted->seats.resize(fork->seats.size());
    wanted->wanted.resize(fork->seats.size());
    if (!wanted->is_private) wanted->is_private = !local || !invite->empty();
    MakeMatch(one, std::make_shared<WantedMatch>(std::move(*wanted)),
              std::make_shared<const MatchSpec>(std::move(*fork)), payer);
  });
}

void ConsoleApi::MakeMatch(const std::shared_ptr<OneReply>& one, const std::shared_ptr<WantedMatch>& wanted,
                           const std::shared_ptr<const MatchSpec>& fork, const std::shared_ptr<Payer>& payer) {
  // Matches are assigned to the threads in turn.
  const std::vector<Scheduler*>& homes = directory_.schedulers();
  Scheduler& home = *homes[next_home_.fetch_add(1, std::memory_order_relaxed) % homes.size()];
  home.Post([this, &home, one, wanted, fork, payer] {
    intake_.PrepareMatch(home, wanted, [this, &home, one, wanted, fork, payer](const Result<void>& prepared) {
      if (!prepared) {
        one->Send(HttpResponse::FromError(prepared.error()));
        return;
      }
      const auto created = [this, &home, one, wanted](const Result<MatchRef>& match) {
        if (!match) {
          intake_.Forget(home, *wanted);
          one->Send(HttpResponse::FromError(match.error()));
          return;
        }
        json::Object made{{"match-id", match->id.str()},
                          {"gameid", GameIdOf(match->id)},
                          {"game", match->game},
                          {"seats", SeatsOf(*wanted, lobby_.FindGame(match->game)->info(), match->id)}};
        if (!match->invite.empty()) made["invite"] = match->invite;
        one->Send(HttpResponse::Json(201, made));
      };
      const Privacy privacy = *wanted->is_private ? Privacy::kPrivate : Privacy::kPublic;
      if (!fork) {
        return lobby_.Create(home, wanted->game, wanted->options, wanted->seats, created, payer, privacy, wanted->seed,
                             wanted->terms, Maker::kAdministrator);
      }
      MatchSpec spec = *fork;
      spec.seats = wanted->seats;
      spec.terms = wanted->terms;
      lobby_.CreateFork(home, std::move(spec), created, payer, privacy);
    });
  });
}

}  // namespace openseat::console

#include "protocols/narrative/narrative_api.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/budget.h"
#include "base/check.h"
#include "base/stranger.h"
#include "base/text.h"
#include "games/narrative/narrative.h"
#include "net/paging.h"
#include "protocols/narrative/events.h"
#include "protocols/narrative/narrative_impl.h"
#include "protocols/narrative/render.h"

namespace openseat::narrative {
namespace {

using net::HttpReply;
using net::HttpRequest;
using net::HttpResponse;

constexpr std::size_t kAllTurns = games::narrative::kMaxTurns;

}  // namespace

NarrativeApi::NarrativeApi(TableDirectory& directory, Journal& journal, Lobby& lobby, const AgentKinds& kinds,
                           PrepareAgent prepare, ForgetAgent forget, NarrativeOptions options)
    : directory_(directory),
      lobby_(lobby),
      kinds_(kinds),
      prepare_(std::move(prepare)),
      forget_(std::move(forget)),
      options_(std::move(options)),
      index_home_(*directory.schedulers().front()),
      limiter_(options_.rate),
      archive_(journal, *lobby.FindGame(games::narrative::kGameId)) {
  for (std::size_t i = 0; i < directory.schedulers().size(); ++i) homes_.push_back(std::make_unique<Home>());
}

NarrativeApi::~NarrativeApi() = default;

NarrativeApi::Home& NarrativeApi::HomeOf(const Scheduler& scheduler) {
  const auto& schedulers = directory_.schedulers();
  const auto found = std::ranges::find(schedulers, &scheduler);
  OPENSEAT_CHECK(found != schedulers.end(), "a match lives on one of the directory's schedulers");
  return *homes_[static_cast<std::size_t>(found - schedulers.begin())];
}

bool NarrativeApi::Admit(const HttpRequest& request, Answer& answer) {
  const std::string address = AddressOf(request.payer.get());
  const bool limited = IsStrangers(address);
  const Duration wait = limited ? limiter_.Take(address, index_home_.clock().Monotonic()) : Duration(0);
  if (wait > Duration(0)) {
    const auto allowed = static_cast<std::uint64_t>(options_.rate.per_second * 60);
    const std::string why = RefuseFor(request.payer.get(), Limit::kNarratedTurns, allowed, wait).Text();
    answer.Fail({429, "RATE_LIMITED", why, {}, wait});
    return false;
  }
  if (running_.load() >= options_.max_running) {
    const std::string why = RefuseFor(request.payer.get(), Limit::kNarratedAtOnce, options_.max_running).Text();
    answer.Fail({429, "TOO_MANY_TURNS", why, {}, std::chrono::seconds(1)});
    return false;
  }
  return true;
}

void NarrativeApi::FindGame(const MatchName& name, std::function<void(const Failure&)> fail,
                            std::function<void(Match&, const MatchRef&)> live,
                            std::function<void(const Record&)> recorded) {
  auto read = [this, name, fail = std::move(fail), recorded = std::move(recorded)] {
    archive_.Read(name.id, false, [name, fail, recorded](const Result<Record>& record) {
      if (record && OpensForOwner(name, record->fold.spec().invite)) {
        recorded(*record);
      } else if (record || record.error().code == ErrorCode::kNotFound) {
        fail(NoSuchGame(name.Text()));
      } else {
        fail({503, "UNAVAILABLE", record.error().message});
      }
    });
  };
  lobby_.FindForOwner(index_home_, name, [this, live = std::move(live), read](const std::optional<MatchRef>& ref) {
    if (!ref) return read();
    lobby_.OnMatch(
        *ref,
        [live, ref = *ref, read](Match& match) {
          const bool ours = match.started() && games::narrative::StoryOf(match.state()) != nullptr;
          ours ? live(match, ref) : read();
        },
        read);
  });
}

void NarrativeApi::OnGame(const MatchName& name, const AnswerPtr& answer,
                          std::function<void(Match&, const MatchRef&)> live,
                          std::function<void(const Record&)> recorded) {
  FindGame(name, [answer](const Failure& failure) { answer->Fail(failure); }, std::move(live), std::move(recorded));
}

void NarrativeApi::OnView(const MatchName& name, const AnswerPtr& answer,
                          const std::function<void(const GameView&)>& show) {
  OnGame(
      name, answer, [show](const Match& match, const MatchRef&) { show(ViewOf(match)); },
      [show](const Record& record) { show(ViewOf(record.fold)); });
}

namespace {

// Empty for what is not listed: a story whose opening could not be told never was.
json::Object ListedGame(const Match& match) {
  const auto* story = match.started() ? games::narrative::StoryOf(match.state()) : nullptr;
  const bool listed = story != nullptr && (match.status() != MatchStatus::kDone || !story->turns().empty());
  return listed ? RenderSummary(ViewOf(match)) : json::Object();
}

}  // namespace

void NarrativeApi::ListGames(const HttpRequest& request, HttpReply reply) {
  const auto answer = std::make_shared<Answer>(std::move(reply));
  const Result<net::Page> page = net::PageOf(request);
  if (!page) return answer->Fail(InvalidRequest({page.error().path}, page.error().message));
  std::optional<TableMark> after;
  if (!page->cursor.empty()) {
    after = TableMark::Parse(page->cursor);
    if (!after) return answer->Fail(InvalidRequest({"cursor"}, "Expected `next` of the previous page"));
  }
  lobby_.List(index_home_, games::narrative::kGameId, std::move(after), page->limit, ListedGame,
              [answer](std::vector<json::Object> shown, const std::optional<TableMark>& next) {
                json::Array games;
                for (json::Object& game : shown) {
                  if (!game.empty()) games.push_back(std::move(game));
                }
                json::Object data{{"scenarios", RenderScenarios()},
                                  {"games", std::move(games)},
                                  {"schemaVersions", json::Array{1, 2}}};
                if (next) data["next"] = next->Text();
                answer->Ok(200, std::move(data));
              });
}

void NarrativeApi::GetGame(const HttpRequest& request, HttpReply reply) {
  const auto answer = std::make_shared<Answer>(std::move(reply));
  const auto show = [this, answer, debug = WantsDebug(request),
                     wish = VersionWish(request, std::nullopt)](const GameView& game) {
    const std::vector<int> versions = VersionsOf(game.story->version());
    const std::optional<int> version = wish.BestOf(versions);
    if (!version) return answer->Fail(NotAcceptable(versions));
    json::Object data = RenderGame(game, *version);
    const bool told = !game.story->turns().empty();
    debug&& told ? ReplyWithDebug(game.seen.table, std::move(data), 200, answer) : answer->Ok(200, std::move(data));
  };
  OnView(ParseMatchName(request.Param("id")), answer, show);
}

void NarrativeApi::ListTurns(const HttpRequest& request, HttpReply reply) {
  const auto answer = std::make_shared<Answer>(std::move(reply));
  std::size_t after = 0;
  if (const std::string* text = request.Query("after")) {
    const char* end = text->data() + text->size();
    const auto parsed = std::from_chars(text->data(), end, after);
    if (parsed.ec != std::errc() || parsed.ptr != end) {
      return answer->Fail(InvalidRequest(
          {"after"}, "Expected a whole number from 0, received '" + Ellipsize(*text, kQuotedBytes) + "'"));
    }
  }
  const auto show = [this, answer, after, debug = WantsDebug(request),
                     wish = VersionWish(request, std::nullopt)](const GameView& game) {
    const std::vector<int> versions = VersionsOf(game.story->version());
    const std::optional<int> version = wish.BestOf(versions);
    if (!version) return answer->Fail(NotAcceptable(versions));
    json::Array turns;
    const std::size_t count = game.story->turns().size();
    for (std::size_t number = std::min(after, kAllTurns) + 1; number <= count; ++number) {
      turns.push_back(RenderTurn(game, number));
    }
    json::Object data{{"id", game.seen.table.str()}, {"schemaVersion", *version}, {"turns", std::move(turns)}};
    debug ? ReplyWithDebug(game.seen.table, std::move(data), 200, answer) : answer->Ok(200, std::move(data));
  };
  OnView(ParseMatchName(request.Param("id")), answer, show);
}

void NarrativeApi::ReplyWithDebug(const TableId& id, json::Object data, int status, const AnswerPtr& answer) {
  archive_.Read(id, true, [data = std::move(data), status, answer](const Result<Record>& record) mutable {
    if (!record) return answer->Fail({503, "UNAVAILABLE", record.error().message});
    const auto add = [&](json::Object& turn) {
      const auto number = turn.at("turnNumber").to_number<std::size_t>();
      if (number <= record->debug.size()) turn["turn"].as_object()["debug"] = record->debug[number - 1];
    };
    if (json::Value* turns = data.if_contains("turns")) {
      for (json::Value& turn : turns->as_array()) add(turn.as_object());
    } else {
      add(data);
    }
    answer->Ok(status, std::move(data));
  });
}

void NarrativeApi::StreamEvents(const HttpRequest& request, HttpReply reply) {
  const auto answer = std::make_shared<Answer>(std::move(reply));
  std::optional<std::size_t> last;
  const std::string_view seen = request.headers.Get("Last-Event-ID");
  std::size_t number = 0;
  const auto parsed = std::from_chars(seen.data(), seen.data() + seen.size(), number);
  if (!seen.empty() && parsed.ec == std::errc() && parsed.ptr == seen.data() + seen.size()) last = number;
  OnGame(
      ParseMatchName(request.Param("id")), answer,
      [this, answer, last](Match& match, const MatchRef& ref) {
        HttpResponse head;
        head.headers.Set("Content-Type", "text/event-stream");
        head.headers.Set("Cache-Control", "no-store");
        EventStream::Begin(lobby_, ref, match, answer->TakeReply().Stream(std::move(head)), last);
      },
      [answer](const Record&) {
        answer->Fail({410, "GAME_OVER", "The story is over; GET its turns for what happened"});
      });
}

}  // namespace openseat::narrative

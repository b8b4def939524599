#include "protocols/console/analysis_api.h"

#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

#include "base/budget.h"
#include "base/json_members.h"
#include "base/text.h"
#include "match/invite.h"
#include "match/match_events.h"
#include "match/past.h"
#include "match/replay.h"
#include "net/json_request.h"
#include "protocols/console/route_info.h"

namespace openseat::console {
namespace {

using net::HttpReply;
using net::HttpRequest;
using net::HttpResponse;
using net::OneReply;

// Errors: kUnsupported unless matches under the rules of this one can be analyzed.
Result<const Game*> HostedGame(const FindGame& find_game, const TableId& id, const std::string& opened) {
  const std::optional<std::string> hosted = HostedGameOf(opened);
  const Game* game = hosted ? find_game(*hosted) : nullptr;
  if (game == nullptr) {
    return Fail(ErrorCode::kUnsupported, "only a match whose rules run here can be analyzed", "id");
  }
  const Result<MatchFold> begun = MatchFold::Begin(id, *game, {1, {EventKind::kOpened, {}, opened}});
  if (!begun) return Fail(begun.error());
  if (Result<void> can = arena::CanAnalyze(*begun->spec().game); !can) return Fail(std::move(can).error());
  return game;
}

Result<MatchFold> Folded(const TableId& id, const Game& game, const std::vector<StoredEvent>& events) {
  Result<MatchFold> fold = MatchFold::Begin(id, game, events.front());
  for (std::size_t i = 1; fold && i < events.size(); ++i) {
    if (Result<MatchFold::Step> step = fold->Apply(events[i]); !step) return Fail(std::move(step).error());
  }
  return fold;
}

Error NotOver() {
  return {ErrorCode::kConflict, "the match is not over: nobody is told now how good its choices are", {}};
}

std::string NoneBody() {
  return json::Write(json::Object{{"status", "none"}});
}

Result<std::uint64_t> IterationsOf(const HttpRequest& request) {
  const Result<json::Object> body = net::ObjectBody(request);
  if (!body) return Fail(body.error());
  const json::Value* given = json::Find(*body, "iterations");
  if (given == nullptr) return AnalysisApi::kDefaultIterations;
  const std::optional<std::uint64_t> iterations = json::WholeOf(*body, "iterations");
  if (iterations && *iterations >= 16 && *iterations <= AnalysisApi::kMaxIterations) return *iterations;
  return Fail(
      ErrorCode::kInvalid,
      "iterations must be 16 to " + std::to_string(AnalysisApi::kMaxIterations) + "; got " + json::Excerpt(*given),
      "iterations");
}

}  // namespace

AnalysisApi::AnalysisApi(Journal& journal, FindGame find_game, LiveAnalysis live)
    : journal_(journal), find_game_(std::move(find_game)), live_(std::move(live)) {}

AnalysisApi::~AnalysisApi() {
  stop_.request_stop();
  reader_.Stop();
}

void AnalysisApi::AddRoutes(net::Router& router) {
  router.Add(net::Method::kPost, "/api/v1/tables/:id/analysis", StartAnalysisInfo(),
             [this](const HttpRequest& request, HttpReply reply) { Start(request, std::move(reply)); });
  router.Add(net::Method::kGet, "/api/v1/tables/:id/analysis", GetAnalysisInfo(),
             [this](const HttpRequest& request, HttpReply reply) { Show(request, std::move(reply)); });
}

// Where something is hidden, what a choice was worth would tell it.
bool AnalysisApi::MayFollow(const MatchFold& fold) const {
  return live_.iterations > 0 && fold.status() == MatchStatus::kInProgress && !fold.spec().game->info().hides &&
         std::ranges::all_of(fold.players(), [&](const SeatedPlayer& player) {
           return player.agent && live_.plays_here(*player.agent);
         });
}

Result<AnalysisApi::Told> AnalysisApi::Check(const MatchName& name) {
  const Result<TableRecord> record = journal_.Find(name.id);
  if (!record) return Fail(record.error());
  if (!OpensForOwner(name, InviteOf(record->opened_payload))) {
    return Fail(ErrorCode::kNotFound, "no table " + Quote(name.Text()) + " is recorded", "id");
  }
  {
    const std::lock_guard lock(mutex_);
    const JobPtr job = Find(name.id);
    if (job != nullptr && !job->live) return Told{.table = name.id};
  }
  const Result<const Game*> game = HostedGame(find_game_, name.id, record->opened_payload);
  if (!game) return Fail(game.error());
  const Result<std::vector<StoredEvent>> events = ReadPast(journal_, name.id, kMaxEvents);
  if (!events) return Fail(events.error());
  const Result<MatchFold> fold = Folded(name.id, **game, *events);
  if (!fold) return Fail(fold.error());
  if (fold->status() == MatchStatus::kDone) return Told{.table = name.id};
  if (MayFollow(*fold)) return Told{.table = name.id, .live = true, .played = fold->played()};
  return Fail(NotOver());
}

void AnalysisApi::OnTold(const HttpRequest& request, HttpReply reply, bool live,
                         std::function<void(const std::shared_ptr<OneReply>& one, const Told& told)> next) {
  const auto one = std::make_shared<OneReply>(std::move(reply));
  reader_.Post([this, one, live, name = ParseMatchName(request.Param("id")), next = std::move(next)] {
    Result<Told> told = Check(name);
    if (told && told->live && !live) told = Fail(NotOver());
    if (told) return next(one, *told);
    const bool untold = told.error().code == ErrorCode::kConflict || told.error().code == ErrorCode::kUnsupported;
    one->Send(live && untold ? HttpResponse::Text(200, NoneBody(), "application/json")
                             : HttpResponse::FromError(told.error()));
  });
}

AnalysisApi::JobPtr AnalysisApi::Find(const TableId& table) const {
  const auto found = std::ranges::find_if(jobs_, [&](const JobPtr& job) { return job->table == table; });
  return found == jobs_.end() ? nullptr : *found;
}

std::string AnalysisApi::Body(const Job& job) {
  json::Object head{{"status", job.status}, {"iterations", job.iterations}, {"done", job.done}, {"of", job.of}};
  if (!job.error.empty()) head["error"] = job.error;
  std::string body = json::Write(head);
  if (job.decisions.empty()) return body;
  body.back() = ',';
  return body + "\"decisions\":" + job.decisions + "}";
}

void AnalysisApi::Start(const HttpRequest& request, HttpReply reply) {
  const Result<std::uint64_t> iterations = IterationsOf(request);
  if (!iterations) return std::move(reply).Send(HttpResponse::FromError(iterations.error()));
  const auto start = [this, iterations = *iterations, payer = request.payer](const auto& one, const Told& told) {
    const std::lock_guard lock(mutex_);
    JobPtr job = Find(told.table);
    // What is known to the same depth, or will be, is not found out again.
    if (job == nullptr || job->live || job->status == "failed" || job->iterations < iterations) {
      if (waiting_ >= kMaxWaiting) {
        return one->Send(HttpResponse::FromError(RefuseFor(payer.get(), Limit::kAnalyses, kMaxWaiting).ToError()));
      }
      if (job != nullptr) jobs_.remove(job);
      job = std::make_shared<Job>();
      job->table = told.table;
      job->iterations = iterations;
      jobs_.push_front(job);
      if (jobs_.size() > kMaxKept) jobs_.pop_back();
      ++waiting_;
      analyst_.Post([this, job] { Run(job); });
    }
    one->Send(HttpResponse::Text(202, Body(*job), "application/json"));
  };
  OnTold(request, std::move(reply), false, start);
}

void AnalysisApi::Show(const HttpRequest& request, HttpReply reply) {
  const Result<bool> live = net::FlagQuery(request, "live");
  if (!live) return std::move(reply).Send(HttpResponse::FromError(live.error()));
  OnTold(request, std::move(reply), *live, [this](const auto& one, const Told& told) {
    if (told.live) return ShowLive(one, told);
    const std::lock_guard lock(mutex_);
    const JobPtr job = Find(told.table);
    const std::string body = job && !job->live ? Body(*job) : NoneBody();
    one->Send(HttpResponse::Text(200, body, "application/json"));
  });
}

void AnalysisApi::ShowLive(const std::shared_ptr<OneReply>& one, const Told& told) {
  const std::lock_guard lock(mutex_);
  JobPtr job = Find(told.table);
  if (job == nullptr) {
    job = std::make_shared<Job>();
    job->table = told.table;
    job->iterations = live_.iterations;
    job->status = "live";
    job->live = true;
    jobs_.push_front(job);
    if (jobs_.size() > kMaxKept) jobs_.pop_back();
  }
  job->of = std::min<std::size_t>(told.played, kMaxLive);
  // If too many wait, it is judged later, when somebody asks again.
  if (job->done < job->of && !job->busy && job->error.empty() && waiting_ < kMaxWaiting) {
    job->busy = true;
    ++waiting_;
    analyst_.Post([this, job] { Follow(job); });
  }
  one->Send(HttpResponse::Text(200, Body(*job), "application/json"));
}

void AnalysisApi::Follow(const JobPtr& job) {
  const Result<void> judged = JudgeNew(job);
  const std::lock_guard lock(mutex_);
  --waiting_;
  job->busy = false;
  if (!judged) job->error = judged.error().message;
}

Result<void> AnalysisApi::JudgeNew(const JobPtr& job) {
  const Result<std::vector<StoredEvent>> events = ReadPast(journal_, job->table, kMaxEvents);
  if (!events) return Fail(events.error());
  const Result<const Game*> game = HostedGame(find_game_, job->table, events->front().event.payload);
  if (!game) return Fail(game.error());
  std::size_t index = 0;
  return VisitDecisions(job->table, **game, *events, [&](const PastDecision& decision) -> Result<void> {
    if (!decision.before || index++ < job->done || index > kMaxLive || stop_.stop_requested()) return {};
    const Result<arena::JudgedDecision> judged =
        arena::JudgeDecision(*decision.game, decision, {.iterations = job->iterations}, nullptr, stop_.get_token());
    if (stop_.stop_requested()) return {};
    if (!judged) return Fail(judged.error());
    const std::lock_guard lock(mutex_);
    job->lines.push_back(arena::ToJson(*judged));
    job->decisions = json::Write(job->lines);
    job->done = job->lines.size();
    return {};
  });
}

void AnalysisApi::Run(const JobPtr& job) {
  {
    const std::lock_guard lock(mutex_);
    job->status = "running";
  }
  Result<std::string> decisions = Analyze(job);
  const std::lock_guard lock(mutex_);
  --waiting_;
  job->status = decisions ? "done" : "failed";
  if (decisions) {
    job->decisions = std::move(*decisions);
  } else {
    job->error = decisions.error().message;
  }
}

Result<std::string> AnalysisApi::Analyze(const JobPtr& job) {
  const Result<std::vector<StoredEvent>> events = ReadPast(journal_, job->table, kMaxEvents);
  if (!events) return Fail(events.error());
  const Result<const Game*> game = HostedGame(find_game_, job->table, events->front().event.payload);
  if (!game) return Fail(game.error());
  const auto progress = [this, &job](std::size_t done, std::size_t of) {
    const std::lock_guard lock(mutex_);
    job->done = done;
    job->of = of;
  };
  const auto judged =
      arena::Analyze(job->table, **game, *events, {.iterations = job->iterations}, progress, stop_.get_token());
  if (!judged) return Fail(judged.error());
  json::Array lines;
  for (const arena::JudgedDecision& decision : *judged) lines.push_back(arena::ToJson(decision));
  return json::Write(lines);
}

}  // namespace openseat::console

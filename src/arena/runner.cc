#include "arena/runner.h"

#include <algorithm>
#include <utility>

#include "base/json_members.h"
#include "base/rng.h"
#include "core/seat_set.h"

namespace openseat::arena {
namespace {

// A provider may be waited for as long as an hour (docs/models.md); a game in which nothing happens for longer is void.
constexpr Duration kRunIdle = std::chrono::hours(2);
constexpr std::uint64_t kMaxGameBytes = 256u << 20;  // of one game's events
constexpr std::size_t kMaxVoidsInARow = 10;
constexpr std::size_t kMaxVoidsAtFirst = 3;  // before any game counts: something was set up wrong
constexpr double kLongest = 1e9;             // seconds that a timer is set to: 31 years
// What a longer game decided is found out elsewhere, since it takes longer than a scheduler should be kept busy.
constexpr std::size_t kManyEvents = 200;

// Different for each seat of each game, and for each seed that the agent was given.
std::uint64_t AgentSeed(const PlannedGame& planned, std::size_t seat, std::uint64_t given) {
  Rng rng(planned.seed + (planned.number + 1) * 0x9E3779B97F4A7C15 + (seat + 1) * 0xBF58476D1CE4E5B9 +
          given * 0x94D049BB133111EB);
  return rng.Next() >> 12;
}

std::string BudgetSentence(const std::string& what) {
  return "the budget of " + what + " is reached";
}

}  // namespace

// One game at a time, on its own scheduler.
struct Runner::Job {
  Job(Scheduler& its_scheduler, RecordingJournal::OnModel on_model)
      : scheduler(its_scheduler), recording(std::move(on_model)) {}

  Scheduler& scheduler;
  RecordingJournal recording;
  std::unique_ptr<Match> match;
  PlannedGame planned;
  Time started;
  Instant began;
  std::optional<Interruption> why;  // the run ended the match
  bool leaving = false;             // its end is on the way
};

Runner::Runner(Setup setup, Schedule schedule)
    : setup_(std::move(setup)), schedule_(std::move(schedule)), summary_([this] {
        std::vector<std::string> names;
        for (const RunAgent& agent : setup_.agents) names.push_back(agent.name);
        return names;
      }()) {
  for (Scheduler* scheduler : setup_.jobs) {
    jobs_.push_back(std::make_unique<Job>(*scheduler, [this](const Event& event) { OnModel(event); }));
  }
}

Runner::~Runner() = default;

Result<std::unique_ptr<Runner>> Runner::Make(Setup setup, Schedule schedule) {
  std::unique_ptr<Runner> runner(new Runner(std::move(setup), std::move(schedule)));
  const RunFolder* folder = runner->setup_.folder;
  if (folder == nullptr) return runner;
  if (Result<void> taken = runner->TakeOver(folder->kept()); !taken) return Fail(taken.error());
  RunSummary& summary = runner->summary_;
  Result<void> read = folder->ReadDecisions([&summary](const json::Object& line) { summary.AddDecision(line); });
  if (!read) return Fail(read.error());
  return runner;
}

Result<void> Runner::TakeOver(const std::vector<GameLine>& kept) {
  if (schedule_.needs_results()) results_ = kept;
  std::size_t left = kept.size();
  while (left > 0) {
    std::vector<PlannedGame> batch = schedule_.Next(results_);
    if (batch.empty()) break;
    for (PlannedGame& planned : batch) {
      const auto line = std::ranges::lower_bound(kept, planned.number, {}, &GameLine::game);
      if (line == kept.end() || line->game != planned.number) {
        queue_.push_back(std::move(planned));
        continue;
      }
      if (Result<void> same = CheckKept(*line, planned); !same) return same;
      summary_.AddGame(*line, planned.agents);
      --left;
    }
  }
  if (left == 0) return {};
  return Fail(ErrorCode::kParse, std::string(kGamesFile) + " has a game " + std::to_string(kept.back().game) +
                                     ", which is not one of this run's");
}

Result<void> Runner::CheckKept(const GameLine& line, const PlannedGame& planned) const {
  bool same = line.pair == planned.pair && line.seed == planned.seed && line.game_id == planned.game_id &&
              line.seats.size() == planned.agents.size();
  for (std::size_t seat = 0; same && seat < line.seats.size(); ++seat) {
    same = line.seats[seat] == setup_.agents[planned.agents[seat]].name;
  }
  if (same) return {};
  return Fail(ErrorCode::kParse, std::string(kGamesFile) + ": game " + std::to_string(line.game) +
                                     " has another pair, seed, game or other seats than this run gives it");
}

// --- Playing ---

void Runner::Start(Task done) {
  done_ = std::move(done);
  jobs_.front()->scheduler.Post([this] {
    if (!setup_.budget.hours) return;
    const double left = *setup_.budget.hours * 3600 - setup_.seconds;
    hours_.Set(
        jobs_.front()->scheduler, Duration(static_cast<std::int64_t>(std::clamp(left, 0.0, kLongest) * 1e6)), [this] {
          Stop({StopReason::Kind::kBudget, BudgetSentence(json::Write(json::Value(*setup_.budget.hours)) + " hours")});
        });
  });
  for (const std::unique_ptr<Job>& job : jobs_) {
    job->scheduler.Post([this, &job = *job] { Next(job); });
  }
}

std::optional<PlannedGame> Runner::Take() {
  if (stop_) return std::nullopt;
  while (queue_.empty() && !planned_all_) {
    if (schedule_.needs_results() && under_way_ > 0) return std::nullopt;
    std::vector<PlannedGame> batch = schedule_.Next(results_);
    planned_all_ = batch.empty();
    for (PlannedGame& planned : batch) queue_.push_back(std::move(planned));
  }
  if (queue_.empty()) return std::nullopt;
  PlannedGame planned = std::move(queue_.front());
  queue_.pop_front();
  return planned;
}

void Runner::Next(Job& job) {
  std::optional<PlannedGame> planned;
  {
    const std::lock_guard lock(mutex_);
    if (!stop_) stop_ = OverBudget();
    planned = Take();
    if (planned) {
      ++under_way_;
    } else {
      idle_.push_back(&job);
      if (idle_.size() < jobs_.size()) return;
      complete_ = !stop_ && schedule_.complete() && summary_.voided() == 0;
    }
  }
  if (planned) return Play(job, std::move(*planned));
  jobs_.front()->scheduler.Post([this] {
    hours_.Cancel();
    done_();
  });
}

std::size_t Runner::IndexOf(std::string_view game) const {
  const auto found = std::ranges::find_if(setup_.games, [&](const Game* each) { return each->info().id == game; });
  return static_cast<std::size_t>(found - setup_.games.begin());
}

MatchSpec Runner::SpecOf(const PlannedGame& planned) const {
  MatchSpec spec;
  spec.id = TableId("game-" + std::to_string(planned.number));
  const std::size_t index = IndexOf(planned.game_id);
  spec.game = setup_.games[index];
  spec.options = setup_.options[index];
  spec.seed = planned.seed;
  if (setup_.fork) {
    spec.seed = setup_.fork->seed;
    spec.fork = setup_.fork->fork;
  }
  for (std::size_t seat = 0; seat < planned.agents.size(); ++seat) {
    PlannedSeat& sitting = spec.seats.emplace_back();
    sitting.agent = setup_.agents[planned.agents[seat]].spec;
    // Nobody learns from a name who the other is.
    sitting.name = "Player " + std::to_string(seat + 1);
    if (!setup_.takes_seed(sitting.agent.kind)) continue;
    const std::uint64_t given = json::WholeOf(sitting.agent.options, "seed").value_or(0);
    sitting.agent.options["seed"] = AgentSeed(planned, seat, given);
  }
  return spec;
}

void Runner::Play(Job& job, PlannedGame planned) {
  job.planned = std::move(planned);
  job.why.reset();
  job.leaving = false;
  job.started = job.scheduler.clock().Now();
  job.began = job.scheduler.clock().Monotonic();
  MatchRules rules;
  rules.idle = kRunIdle;
  rules.record_seen = Records();
  Journal& journal = Records() ? static_cast<Journal&>(job.recording) : null_journal_;
  job.match = std::make_unique<Match>(SpecOf(job.planned), rules, job.scheduler, journal, setup_.make_agent);
  job.match->Watch(Viewer::Spectator(), [this, &job](MatchEvent event, const Match&, Viewer) {
    if (event == MatchEvent::kEnd) {
      OnEnd(job);
    } else {
      OnUpdate(job);
    }
  });
  job.match->Open([this, &job](const Result<void>&) {
    if (job.match->status() != MatchStatus::kAwaitingPlayers) return;
    Interrupt(job, {"unplayable", "an agent could not be seated"});
  });
}

void Runner::OnUpdate(Job& job) {
  if (job.leaving) return;
  if (job.recording.bytes() > kMaxGameBytes) {
    return Interrupt(job, {"too-large", "the record of the game has more than 256 MiB"});
  }
  // A turn of several choices was undone because a seat could not answer. It would be asked the same again.
  if (!job.match->undone()) return;
  job.leaving = true;
  job.scheduler.Post([&job] {
    if (!job.match || job.match->outcome() != nullptr) return;
    SeatIndex seat = 0;
    while (seat + 1 < job.match->seats() && job.match->seat(seat).failure().empty()) ++seat;
    job.match->Resign(seat, job.match->seat(seat).name() + " could not answer", {}, [](const Result<void>&) {});
  });
}

void Runner::Interrupt(Job& job, const Interruption& why) {
  if (!job.match || job.match->outcome() != nullptr) return;
  job.leaving = true;
  job.match->Resign(static_cast<SeatIndex>(SeatSet::kMaxSeats), why.cause, {}, [&job, why](const Result<void>& done) {
    if (done) job.why = why;
  });
}

void Runner::OnEnd(Job& job) {
  PlayedGame played;
  played.game = job.match->game();
  played.planned = job.planned;
  for (const std::size_t agent : job.planned.agents) played.agents.push_back(setup_.agents[agent].name);
  played.table = job.match->id();
  played.end = EndOf(*job.match, job.why);
  played.started = job.started;
  played.seconds = std::chrono::duration<double>(job.scheduler.clock().Monotonic() - job.began).count();
  // Not here, since the match is still telling its watchers.
  job.scheduler.Post([this, &job, played = std::move(played)]() mutable {
    job.match.reset();
    Record(job, std::move(played));
  });
}

void Runner::Record(Job& job, PlayedGame played) {
  if (!Records()) {
    GameRecord record;
    record.line = LineOf(played);
    return Ended(job, played, std::move(record));
  }
  std::vector<StoredEvent> events = job.recording.Take(played.table);
  if (events.size() <= kManyEvents) {
    return Ended(job, played, MakeRecord(played, events, setup_.folder != nullptr));
  }
  job.scheduler.Offload([this, &job, played = std::move(played), events = std::move(events)] {
    Result<GameRecord> record = MakeRecord(played, events, setup_.folder != nullptr);
    job.scheduler.Post(
        [this, &job, played, record = std::move(record)]() mutable { Ended(job, played, std::move(record)); });
  });
}

void Runner::Ended(Job& job, const PlayedGame& played, Result<GameRecord> record) {
  std::vector<Job*> waiting;
  std::optional<StopReason> reason;
  {
    const std::lock_guard lock(mutex_);
    --under_way_;
    ++ended_now_;
    Result<void> kept;
    if (!record) {
      kept = Fail(record.error());
    } else if (setup_.folder != nullptr) {
      kept = setup_.folder->Add(*record);
    }
    if (kept) {
      Count(played, *record);
      reason = AfterGame(record->line, played.end.permanent);
    } else {
      reason = StopReason{StopReason::Kind::kFailed, kept.error().message};
    }
    waiting = std::exchange(idle_, {});
  }
  if (reason) Stop(std::move(*reason));
  for (Job* each : waiting) {
    each->scheduler.Post([this, each] { Next(*each); });
  }
  Next(job);
}

void Runner::Count(const PlayedGame& played, const GameRecord& record) {
  const GameLine& line = record.line;
  summary_.AddGame(line, played.planned.agents);
  for (const DecisionRecord& decision : record.decisions) summary_.AddDecision(decision.line);
  if (line.result != GameResult::kVoid && schedule_.needs_results()) {
    results_.insert(std::ranges::upper_bound(results_, line.game, {}, &GameLine::game), line);
  }
  if (!setup_.on_progress) return;
  Spent spent = setup_.spent;
  spent += spent_;
  setup_.on_progress({summary_.counted(), summary_.voided(), ended_now_, schedule_.total_games(), spent});
}

std::optional<StopReason> Runner::AfterGame(const GameLine& line, bool permanent) {
  if (permanent) return StopReason{StopReason::Kind::kPermanent, *line.cause};
  if (line.result != GameResult::kVoid || stop_) {
    voids_in_a_row_ = 0;
    return std::nullopt;
  }
  const std::size_t most =
      summary_.counted() == 0 ? std::max(kMaxVoidsAtFirst, jobs_.size()) : std::max(kMaxVoidsInARow, 2 * jobs_.size());
  if (++voids_in_a_row_ < most) return std::nullopt;
  return StopReason{StopReason::Kind::kNothingWorks,
                    std::to_string(voids_in_a_row_) + " games in a row are void, the last because of " + *line.cause};
}

// --- Stopping ---

void Runner::Stop(StopReason reason) {
  const Interruption why{reason.kind == StopReason::Kind::kBudget ? "cap" : "interrupted", reason.sentence};
  {
    const std::lock_guard lock(mutex_);
    if (!stop_) stop_ = std::move(reason);
  }
  for (const std::unique_ptr<Job>& job : jobs_) {
    job->scheduler.Post([this, &job = *job, why] { Interrupt(job, why); });
  }
}

void Runner::OnModel(const Event& event) {
  const std::optional<ModelUse> use = UseOf(event);
  if (!use) return;
  std::optional<StopReason> reason;
  {
    const std::lock_guard lock(mutex_);
    spent_ += Spent{use->tokens, use->cost};
    if (!stop_) reason = OverBudget();
  }
  if (reason) Stop(std::move(*reason));
}

std::optional<StopReason> Runner::OverBudget() const {
  const RunBudget& budget = setup_.budget;
  const auto over = [](const std::string& what) { return StopReason{StopReason::Kind::kBudget, BudgetSentence(what)}; };
  if (budget.tokens && setup_.spent.tokens + spent_.tokens >= *budget.tokens) {
    return over(std::to_string(*budget.tokens) + " tokens");
  }
  if (budget.cost && setup_.spent.cost + spent_.cost >= *budget.cost) {
    return over("$" + json::Write(json::Value(*budget.cost)));
  }
  return std::nullopt;
}

}  // namespace openseat::arena

// Runner: plays the games of a run, several at once, and counts them; docs/runs.md says what counts. It stops at a
// budget, at an error that repeating cannot cure, when nothing works any more, or when asked to.
//
// Each job plays its games one after another on its own scheduler; every game has seeds of its own, so the results do
// not depend on which job plays it. Files are written by whichever job has a finished game, one at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "arena/game_record.h"
#include "arena/recording_journal.h"
#include "arena/run_folder.h"
#include "arena/run_spec.h"
#include "arena/run_summary.h"
#include "arena/schedule.h"
#include "base/scheduler.h"
#include "core/agent.h"
#include "core/game.h"
#include "match/match.h"
#include "match/null_journal.h"

namespace openseat::arena {

struct RunAgent {
  std::string name;  // as in the command
  AgentSpec spec;
};

// Why a run ended before its last game.
struct StopReason {
  enum class Kind {
    kInterrupted,  // from outside
    kBudget,
    kPermanent,     // an error that repeating cannot cure
    kNothingWorks,  // one void game after another
    kFailed,        // a file cannot be written
  };
  Kind kind = Kind::kInterrupted;
  std::string sentence;
};

class Runner {
 public:
  struct Progress {
    std::uint64_t counted = 0;  // games of all parts
    std::uint64_t voided = 0;
    std::uint64_t ended_now = 0;  // of this part, void ones included
    std::optional<std::uint64_t> total;
    Spent spent;  // of all parts
  };
  struct Setup {
    std::vector<const Game*> games;    // that the schedule names
    std::vector<json::Value> options;  // of each
    std::optional<RunFork> fork{};     // where every game begins; nullopt: at the beginning
    std::vector<RunAgent> agents;      // by the schedule's indexes
    RunFolder* folder = nullptr;       // where the games are kept; nullptr: nowhere
    bool figures = false;              // whether what models do is counted; with a folder it always is
    RunBudget budget;
    Spent spent;         // in earlier parts
    double seconds = 0;  // that they took
    AgentFactory make_agent;
    std::function<bool(std::string_view kind)> takes_seed;
    std::vector<Scheduler*> jobs;  // they outlive the runner, and do not run when it is destroyed
    // Called after each game, one call at a time, on any job; may be empty.
    std::function<void(const Progress& progress)> on_progress;
  };

  // `schedule` is as it was made. Takes over the games that the folder has kept. kParse if they are not of this run.
  static Result<std::unique_ptr<Runner>> Make(Setup setup, Schedule schedule);
  ~Runner();

  // Plays. `done` runs on the first job when nothing is under way any more. Any thread; once.
  void Start(Task done);
  // Ends the games under way as void, and begins no more. Any thread.
  void Stop(StopReason reason);

  // --- After `done` ---

  const std::optional<StopReason>& stopped() const { return stop_; }
  // Whether every game of the run was played and counts.
  bool complete() const { return complete_; }
  const RunSummary& summary() const { return summary_; }
  std::optional<std::uint64_t> total() const { return schedule_.total_games(); }
  // In this part.
  const Spent& spent() const { return spent_; }

 private:
  struct Job;

  Runner(Setup setup, Schedule schedule);
  Result<void> TakeOver(const std::vector<GameLine>& kept);
  bool Records() const { return setup_.folder != nullptr || setup_.figures; }
  Result<void> CheckKept(const GameLine& line, const PlannedGame& planned) const;

  // The next game to be played; nullopt if there is none now. REQUIRES the lock.
  std::optional<PlannedGame> Take();
  void Next(Job& job);
  void Play(Job& job, PlannedGame planned);
  MatchSpec SpecOf(const PlannedGame& planned) const;
  void OnUpdate(Job& job);
  void OnEnd(Job& job);
  void Interrupt(Job& job, const Interruption& why);
  void Record(Job& job, PlayedGame played);
  void Ended(Job& job, const PlayedGame& played, Result<GameRecord> record);
  // Counts the game. REQUIRES the lock.
  void Count(const PlayedGame& played, const GameRecord& record);
  // Nothing, or a reason to stop after this game. REQUIRES the lock.
  std::optional<StopReason> AfterGame(const GameLine& line, bool permanent);
  void OnModel(const Event& event);
  std::optional<StopReason> OverBudget() const;
  std::size_t IndexOf(std::string_view game) const;

  const Setup setup_;
  std::vector<std::unique_ptr<Job>> jobs_;
  NullJournal null_journal_;
  Task done_;
  ScopedTimer hours_;  // on the first job

  std::mutex mutex_;  // of what follows
  Schedule schedule_;
  std::deque<PlannedGame> queue_;
  std::vector<GameLine> results_;  // by number, if the schedule needs them
  bool planned_all_ = false;
  std::vector<Job*> idle_;
  std::size_t under_way_ = 0;
  std::optional<StopReason> stop_;
  bool complete_ = false;
  RunSummary summary_;
  Spent spent_;
  std::uint64_t ended_now_ = 0;
  std::uint64_t voids_in_a_row_ = 0;
};

}  // namespace openseat::arena

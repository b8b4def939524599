// What a run prints: progress while it goes on, and what became of it.
#pragma once

#include <cstdint>
#include <string>

#include "app/run_command.h"
#include "arena/runner.h"
#include "base/time.h"

namespace openseat::app {

// A line on a terminal that is rewritten after each game.
class RunProgress {
 public:
  // Shows nothing if standard error is not a terminal.
  RunProgress(bool wanted, Instant begin);
  void Show(const arena::Runner::Progress& progress, Instant now);
  void End() const;

 private:
  const bool shown_;
  const Instant begin_;
  Instant last_;
};

// "1 game", "2 games".
std::string Counted(std::uint64_t count, const std::string& noun);

// "3 d", "2 h 5 min", "40 s": about how long.
std::string RoughTime(double seconds);

// Wins, draws and losses by seat.
void PrintScores(const RunResult& result);
// How the models of a run did.
void PrintModelFigures(const RunResult& result);
// Games that do not count or were forfeited and why, half pairs, and where everything is.
void PrintRunNotes(const RunResult& result);
// Why a run ended before its last game, and how to go on, on standard error.
void PrintStop(const arena::StopReason& reason, const RunResult& result);

}  // namespace openseat::app

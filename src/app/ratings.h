// `openseat ratings`, the ratings.json that a tournament leaves in its folder, and the pools that it adds to.
#pragma once

#include <string>

#include "arena/standings.h"
#include "base/clock.h"
#include "base/result.h"
#include "base/time.h"

namespace openseat::app {

// Writes FOLDER/ratings.json and FOLDER/ratings.csv (docs/formats/ratings.md). Readers see an old file or the new one,
// never a mix. Blocks on the disk. Errors: kIo.
Result<void> WriteRatings(const std::string& folder, const arena::Standings& standings);

// Adds the run in FOLDER to the pool in FILE, if it is not there yet, and rates all its games again. Nothing else may
// write the pool meanwhile (FILE.lock). Errors: those of ReadPool, ReadPoolGames and MakeStandings; kConflict; kIo.
Result<arena::Standings> AddToPool(const std::string& file, const std::string& folder,
                                   const arena::StandingsOptions& options);

// How far a long fit is, on a terminal: a line that is rewritten, and gone in the end.
class FitProgress {
 public:
  // Shows nothing if standard error is not a terminal.
  FitProgress();
  FitProgress(const FitProgress&) = delete;
  FitProgress& operator=(const FitProgress&) = delete;
  ~FitProgress();
  // StandingsOptions::on_progress.
  void Show(double share);

 private:
  const SystemClock clock_;
  const bool shown_;
  Instant next_;
  bool drawn_ = false;
};

}  // namespace openseat::app

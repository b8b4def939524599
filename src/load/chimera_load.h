// The load generator of `openseat bench chimera`: many matches at once, each between two Chimera clients that play
// games drawn beforehand, one after another.
#pragma once

#include <cstddef>
#include <string>

#include "base/result.h"
#include "base/time.h"
#include "core/game.h"
#include "load/load_run.h"

namespace openseat::load {

struct ChimeraLoadOptions {
  std::string url;
  const Game* game = nullptr;  // for two, with nothing left to chance
  std::size_t matches = 1000;  // at any time
  // Actions a second of all matches together: each match acts at its own times, whether or not the server keeps up, and
  // an answer's time counts from when its action was due. 0: each client acts as soon as it is its turn.
  double rate = 0;
  Duration warmup = std::chrono::seconds(1);
  Duration measure = std::chrono::seconds(5);
};

struct ChimeraLoadResult {
  LoadResult actions;             // a trip: an action, until its answer
  std::size_t matches = 0;        // played to their end while measuring
  std::size_t notifications = 0;  // that came while measuring
};

// Errors: kIo where a connection fails or ends early, kInvalid for a game that cannot be drawn beforehand, or where the
// server refuses what the generator does.
Result<ChimeraLoadResult> RunChimeraLoad(const ChimeraLoadOptions& options, const LoadMarks& marks);

// What matches cost when nobody acts: calls `marks.begin` when two connections for each match are open, and `marks.end`
// when all matches have begun, too.
Result<void> RunChimeraIdle(const ChimeraLoadOptions& options, const LoadMarks& marks);

}  // namespace openseat::load

// The load generator of `openseat bench chimera`: many matches at once, each between two Chimera clients that play
// games drawn in advance, one after another.
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
  const Game* game = nullptr;  // for two players, without chance
  std::size_t matches = 1000;  // at any time
  // Actions per second, all matches together. Each match acts at its own times, even if the server cannot keep up, and
  // an answer's time counts from when its action was due. 0: each client acts as soon as it is its turn.
  double rate = 0;
  Duration warmup = std::chrono::seconds(1);
  Duration measure = std::chrono::seconds(5);
};

struct ChimeraLoadResult {
  LoadResult actions;             // a trip: from an action until its answer
  std::size_t matches = 0;        // played to the end while measuring
  std::size_t notifications = 0;  // received while measuring
};

// Errors: kIo if a connection fails or ends early, kInvalid for a game that cannot be drawn in advance, or if the
// server refuses what the generator does.
Result<ChimeraLoadResult> RunChimeraLoad(const ChimeraLoadOptions& options, const LoadMarks& marks);

// The cost of idle matches: calls `marks.begin` when two connections per match are open, and `marks.end`
// when all matches have begun as well.
Result<void> RunChimeraIdle(const ChimeraLoadOptions& options, const LoadMarks& marks);

}  // namespace openseat::load

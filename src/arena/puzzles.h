// Puzzles: recorded decisions in which one choice is clearly best, with the answer. docs/minds.md#puzzles describes the
// lines. Pure but for the time it takes; any thread but an event loop's.
#pragma once

#include <optional>

#include "arena/analysis.h"
#include "base/json.h"
#include "match/past.h"

namespace openseat::arena {

// How much more the answer is worth than every other choice, beyond two standard errors.
inline constexpr double kPuzzleGap = 0.3;
// Where something is hidden, one choice rarely decides a game.
inline constexpr double kHiddenPuzzleGap = 0.1;
// A puzzle is checked by another search, so many times as long.
inline constexpr std::uint64_t kPuzzleCheck = 8;

// Whether one choice looks clearly best, so that it is worth a check.
bool MayBePuzzle(const JudgedDecision& judged, const Game& game);
// The line of the puzzle, if the check finds the same answer. `fork` is that of the decision (ForkAfter). REQUIRES
// MayBePuzzle(judged).
std::optional<json::Object> CheckPuzzle(const PastDecision& decision, const JudgedDecision& judged,
                                        const MatchSpec& fork, const AnalysisOptions& options);

}  // namespace openseat::arena

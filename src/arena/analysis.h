// Analysis: what each choice of a recorded game was worth to the seat that made it, by search from what that seat knew
// (agents/search/search.h). docs/minds.md explains the method, docs/formats/run.md the lines.
//
// Pure but for the time it takes: seconds for a game. Any thread but an event loop's. The same game, options and seed
// give the same judgment on every machine, whatever the number of threads.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "core/game.h"
#include "core/journal.h"
#include "match/past.h"

namespace openseat::arena {

struct AnalysisOptions {
  std::uint64_t iterations = 2000;  // of the search at each decision
  std::uint64_t seed = 0;
  unsigned threads = 1;
  std::uint64_t least_visits = 16;  // of every choice, if the iterations allow it
};

// How bad a choice was, where the bars allow it.
enum class Mark : std::uint8_t { kNone, kInaccuracy, kMistake, kBlunder };
// "", "inaccuracy" …
std::string_view MarkName(Mark mark);
// The least loss of win probability for each, beyond two standard errors.
inline constexpr double kInaccuracyLoss = 0.05;
inline constexpr double kMistakeLoss = 0.1;
inline constexpr double kBlunderLoss = 0.2;
Mark MarkOf(double loss, double error);

// Thirds of a game's choices.
enum class Phase : std::uint8_t { kOpening, kMiddle, kEnd };
inline constexpr std::size_t kPhases = 3;
std::string_view PhaseName(Phase phase);  // "opening", "middle", "end"

// Values are results that the seat may expect: 1 a win, 0 a loss.
struct JudgedChoice {
  Move move = 0;
  PlayedChoice choice;
  std::string label;
  double value = 0.5;
  double error = 0.5;  // standard error; 0: proven
  std::uint64_t visits = 0;
};

struct JudgedDecision {
  std::uint64_t number = 0;
  SeatIndex seat = 0;
  Seq event = 0;  // with the choice
  Phase phase = Phase::kOpening;
  bool forced = false;                  // there was nothing else to choose; nothing else is known then
  std::vector<JudgedChoice> choices{};  // those that were considered
  std::optional<std::size_t> taken{};   // of `choices`; nullopt: the choice is not among the moves (giving up)
  std::size_t best = 0;                 // likewise
  std::optional<std::size_t> other{};   // likewise: the other choice, if one was asked about
  bool mixed = false;                   // others chose at the same time, so no choice alone is best
  double value = 0.5;                   // of the position
  double loss = 0;                      // value - the taken choice's, at least 0
  double error = 0;                     // its standard error
  Mark mark = Mark::kNone;
  std::vector<std::string> line{};  // what may follow the best choice, in words: "Ann: Row 1, column 3"
};

// Whether decisions under these rules can be judged. kUnsupported with the reason if not.
Result<void> CanAnalyze(const Game& game);

// All decisions with a choice, in order. `progress` is called from any thread, with how many are done. Stopped, it
// returns kClosed. Errors: those of VisitDecisions, CanAnalyze and JudgeDecision; kTooLarge for more than kMaxAnalyzed.
using AnalysisProgress = std::function<void(std::size_t done, std::size_t of)>;
inline constexpr std::size_t kMaxAnalyzed = 20'000;
Result<std::vector<JudgedDecision>> Analyze(const TableId& id, const Game& game, const std::vector<StoredEvent>& events,
                                            const AnalysisOptions& options, const AnalysisProgress& progress = {},
                                            const std::stop_token& stop = {});

// One decision, with another choice of that seat, if there is one, among the considered. Stopped, its values are of no
// use. Errors: kUnsupported if the game gives no sample to play ahead from (core/game.h: NoSample).
// REQUIRES the game under whose rules it was made (PastDecision::game), that CanAnalyze accepts it, that
// decision.before is set, and that the rules accept the other choice there.
Result<JudgedDecision> JudgeDecision(const Game& game, const PastDecision& decision, const AnalysisOptions& options,
                                     const PlayedChoice* other = nullptr, const std::stop_token& stop = {});

// The line of analysis.jsonl, without "game" and "agent".
json::Object ToJson(const JudgedDecision& decision);

}  // namespace openseat::arena

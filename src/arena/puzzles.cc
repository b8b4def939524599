#include "arena/puzzles.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "arena/game_line.h"

namespace openseat::arena {
namespace {

constexpr double kPuzzleBars = 2;  // standard errors
constexpr double kPuzzleSteps = 10'000;
constexpr std::size_t kFewest = 3;        // choices
constexpr std::size_t kFewestHidden = 4;  // to use a card, or one of two others, or none
constexpr std::uint64_t kOther = 0x5EED;  // the check looks at other samples

// The value of the best choice besides the answer.
double NextBest(const JudgedDecision& judged) {
  double next = 0;
  for (std::size_t i = 0; i < judged.choices.size(); ++i) {
    if (i != judged.best) next = std::max(next, judged.choices[i].value);
  }
  return next;
}

// Whether one choice is better than every other by the game's gap, after this many standard errors are taken off.
bool IsClear(const JudgedDecision& judged, const Game& game, double bars) {
  const bool hides = game.info().hides;
  if (judged.forced || judged.mixed || judged.choices.size() < (hides ? kFewestHidden : kFewest)) return false;
  const JudgedChoice& best = judged.choices[judged.best];
  for (std::size_t i = 0; i < judged.choices.size(); ++i) {
    const JudgedChoice& other = judged.choices[i];
    const double sure = best.value - other.value - bars * std::hypot(best.error, other.error);
    if (i != judged.best && sure < (hides ? kHiddenPuzzleGap : kPuzzleGap)) return false;
  }
  return true;
}

json::Array OfferedIn(const GameState& state, SeatIndex seat) {
  json::Array offered;
  for (LegalChoice& each : OfferedTo(state, seat)) {
    offered.push_back(json::Object{{"action", std::move(each.choice.action)},
                                   {"data", std::move(each.choice.data)},
                                   {"label", std::move(each.label)}});
  }
  return offered;
}

}  // namespace

bool MayBePuzzle(const JudgedDecision& judged, const Game& game) {
  // Where something is hidden, a short search leaves the bars too wide.
  return IsClear(judged, game, game.info().hides ? 0 : kPuzzleBars);
}

std::optional<json::Object> CheckPuzzle(const PastDecision& decision, const JudgedDecision& judged,
                                        const MatchSpec& fork, const AnalysisOptions& options) {
  AnalysisOptions longer = options;
  longer.iterations *= kPuzzleCheck;
  if (fork.game->info().hides) longer.least_visits *= kPuzzleCheck;
  longer.seed ^= kOther;
  const Result<JudgedDecision> searched = JudgeDecision(*fork.game, decision, longer);
  if (!searched) return std::nullopt;
  const JudgedDecision& again = *searched;
  const JudgedChoice& answer = judged.choices[judged.best];
  if (!IsClear(again, *fork.game, kPuzzleBars) || again.choices[again.best].move != answer.move) return std::nullopt;
  json::Array names;
  for (const PlannedSeat& seat : fork.seats) names.emplace_back(seat.name);
  json::Array line;
  for (const std::string& step : again.line) line.emplace_back(step);
  json::Object puzzle{{"game_id", fork.game->info().id}, {"rules_version", fork.game->info().rules_version},
                      {"options", fork.options},         {"seed", fork.seed},
                      {"names", std::move(names)},       {"seat", decision.seat}};
  puzzle["choices"] = json::Parse(ForkedPayload(*fork.fork))->at("choices");
  puzzle["view"] = decision.before->Observe(Viewer::Seat(decision.seat));
  puzzle["offered"] = OfferedIn(*decision.before, decision.seat);
  puzzle["answer"] = json::Object{{"action", answer.choice.action}, {"data", answer.choice.data}};
  puzzle["label"] = answer.label;
  puzzle["value"] = RoundTo(again.choices[again.best].value, kPuzzleSteps);
  puzzle["next"] = RoundTo(NextBest(again), kPuzzleSteps);
  puzzle["line"] = std::move(line);
  return puzzle;
}

}  // namespace openseat::arena

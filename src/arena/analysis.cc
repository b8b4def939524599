#include "arena/analysis.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>

#include "agents/search/search.h"
#include "arena/game_line.h"
#include "base/check.h"
#include "base/clock.h"
#include "base/rng.h"
#include "core/judge.h"

namespace openseat::arena {
namespace {

constexpr std::size_t kMaxLine = 6;  // steps of the line that follows
constexpr double kBars = 2;          // standard errors
constexpr double kSteps = 10'000;    // values are written with four digits

std::uint64_t SeedFor(std::uint64_t seed, std::uint64_t number) {
  return Rng(seed + (number + 1) * 0x9E3779B97F4A7C15).Next();
}

std::vector<Move> MovesOf(const GameState& state, SeatIndex seat) {
  std::vector<Move> moves(state.Moves(seat, {}));
  state.Moves(seat, moves);
  return moves;
}

// The move that the choice is, or that comes to the same.
std::optional<Move> MoveOf(const GameState& state, SeatIndex seat, const PlayedChoice& chosen,
                           const std::vector<Move>& moves) {
  const auto named = std::ranges::find_if(moves, [&](Move move) {
    const PlayedChoice choice = state.ToChoice(seat, move);
    return choice.action == chosen.action && json::Equal(choice.data, chosen.data);
  });
  if (named != moves.end()) return *named;
  const Result<Ruling> after = Judge(state, seat, chosen.action, chosen.data);
  if (!after) return std::nullopt;
  const std::unique_ptr<GameState> other = state.Clone();
  for (const Move move : moves) {
    other->Assign(state);
    other->ApplyMove(seat, move);
    if (other->Equals(*after->next)) return move;
  }
  return std::nullopt;
}

// The line in words, as the seat may imagine it.
std::vector<std::string> InWords(const GameState& before, SeatIndex seat, const std::vector<search::LineStep>& line,
                                 std::uint64_t seed) {
  Rng rng(seed);
  const std::unique_ptr<GameState> state =
      search::DrawSample([&](Rng& draws) { return before.Sample(seat, draws); }, rng);
  std::vector<std::string> words;
  if (state == nullptr) return words;
  for (const search::LineStep& step : line) {
    const std::vector<Move> moves = MovesOf(*state, step.seat);
    if (words.size() == kMaxLine || std::ranges::find(moves, step.move) == moves.end()) break;
    words.push_back(state->names()[step.seat] + ": " + state->MoveLabel(step.seat, step.move));
    state->ApplyMove(step.seat, step.move);
  }
  return words;
}

// What the choice is worth by a search of its own. A search at the root is done once it has proven one choice, and then
// knows little of the others. REQUIRES a game for two that hides nothing, and one seat that is awaited.
void SearchChoice(const Game& game, const GameState& before, SeatIndex seat, const search::SearchOptions& options,
                  const std::stop_token& stop, JudgedChoice& choice) {
  if (choice.error == 0) return;
  const std::unique_ptr<GameState> after = before.Clone();
  after->ApplyMove(seat, choice.move);
  if (const std::optional<Outcome> outcome = after->GetOutcome()) {
    choice.value = search::ResultOf(*outcome, seat);
    choice.error = 0;
    return;
  }
  if (after->Awaited().size() != 1) return;
  const SeatIndex next = *after->Awaited().begin();
  search::SearchOptions own = options;
  own.also.clear();
  const SystemClock clock;
  const search::SearchResult found = search::Search(game, *after, next, own, clock, stop);
  if (found.moves.empty()) return;
  const search::SearchedMove& reply = *found.Find(found.chosen);
  choice.value = next == seat ? reply.value : 1 - reply.value;
  choice.error = reply.error;
  choice.visits += found.iterations;
}

void JudgeTaken(const search::SearchResult& found, JudgedDecision& judged) {
  const JudgedChoice& best = judged.choices[judged.best];
  judged.value = judged.mixed ? found.value : best.value;
  if (!judged.taken) return;
  const JudgedChoice& choice = judged.choices[*judged.taken];
  if (!judged.mixed && *judged.taken == judged.best) return;
  judged.loss = std::max(0.0, judged.value - choice.value);
  judged.error = std::hypot(best.error, choice.error);
  judged.mark = MarkOf(judged.loss, judged.error);
}

}  // namespace

std::string_view MarkName(Mark mark) {
  constexpr std::array<std::string_view, 4> kNames = {"", "inaccuracy", "mistake", "blunder"};
  return kNames[static_cast<std::size_t>(mark)];
}

Mark MarkOf(double loss, double error) {
  const double sure = loss - kBars * error;
  if (sure >= kBlunderLoss) return Mark::kBlunder;
  if (sure >= kMistakeLoss) return Mark::kMistake;
  return sure >= kInaccuracyLoss ? Mark::kInaccuracy : Mark::kNone;
}

std::string_view PhaseName(Phase phase) {
  constexpr std::array<std::string_view, kPhases> kNames = {"opening", "middle", "end"};
  return kNames[static_cast<std::size_t>(phase)];
}

Result<void> CanAnalyze(const Game& game) {
  if (game.info().moves_complete) return {};
  return Fail(ErrorCode::kUnsupported, "choices of " + game.info().title +
                                           " are free texts, of which no search can list all, so they are not judged");
}

Result<JudgedDecision> JudgeDecision(const Game& game, const PastDecision& decision, const AnalysisOptions& options,
                                     const PlayedChoice* other, const std::stop_token& stop) {
  const GameState& before = *decision.before;
  JudgedDecision judged{.number = decision.number, .seat = decision.seat, .event = decision.settled};
  const std::vector<Move> moves = MovesOf(before, decision.seat);
  const std::optional<Move> taken =
      MoveOf(before, decision.seat, {decision.choice.action, decision.choice.data}, moves);
  const std::optional<Move> instead = other == nullptr ? std::nullopt : MoveOf(before, decision.seat, *other, moves);
  judged.forced = moves.size() < 2;
  if (judged.forced) return judged;
  judged.mixed = before.Awaited().size() > 1;
  search::SearchOptions search;
  search.limits.iterations = options.iterations;
  search.seed = SeedFor(options.seed, decision.number);
  search.least_visits = std::min(options.least_visits, options.iterations / moves.size());
  for (const std::optional<Move>& move : {taken, instead}) {
    if (move && std::ranges::find(search.also, *move) == search.also.end()) search.also.push_back(*move);
  }
  const SystemClock clock;
  const search::SearchResult found = search::Search(game, before, decision.seat, search, clock, stop);
  if (found.moves.empty()) return Fail(NoSample(game.info()));
  for (const search::SearchedMove& move : found.moves) {
    judged.choices.push_back({move.move, before.ToChoice(decision.seat, move.move),
                              before.MoveLabel(decision.seat, move.move), move.value, move.error, move.visits});
  }
  judged.forced = judged.choices.size() < 2;
  if (judged.forced) return judged;
  const auto place = [&judged](std::optional<Move> move) -> std::optional<std::size_t> {
    for (std::size_t i = 0; move && i < judged.choices.size(); ++i) {
      if (judged.choices[i].move == *move) return i;
    }
    return std::nullopt;
  };
  judged.best = place(found.chosen).value_or(0);
  judged.taken = place(taken);
  judged.other = place(instead);
  if (!judged.mixed && !game.info().hides && before.names().size() == 2 && judged.taken != judged.best) {
    for (const std::optional<std::size_t>& each : {std::optional(judged.best), judged.taken, judged.other}) {
      if (each) SearchChoice(game, before, decision.seat, search, stop, judged.choices[*each]);
    }
  }
  JudgeTaken(found, judged);
  judged.line = InWords(before, decision.seat, found.line, search.seed);
  return judged;
}

Result<std::vector<JudgedDecision>> Analyze(const TableId& id, const Game& game, const std::vector<StoredEvent>& events,
                                            const AnalysisOptions& options, const AnalysisProgress& progress,
                                            const std::stop_token& stop) {
  std::vector<PastDecision> past;
  const Result<void> visited = VisitDecisions(id, game, events, [&](const PastDecision& decision) -> Result<void> {
    if (decision.before) past.push_back(decision);
    if (past.size() <= kMaxAnalyzed) return {};
    return Fail(ErrorCode::kTooLarge, "more than " + std::to_string(kMaxAnalyzed) + " choices are not analyzed");
  });
  if (!visited) return Fail(visited.error());
  const Game& rules = past.empty() ? game : *past.front().game;
  if (Result<void> can = CanAnalyze(rules); !can) return Fail(std::move(can).error());
  std::vector<JudgedDecision> judged(past.size());
  std::atomic<std::size_t> next = 0;
  std::atomic<std::size_t> done = 0;
  std::mutex mutex;
  std::optional<Error> failed;
  const auto fail = [&](const Error& error) {
    const std::lock_guard lock(mutex);
    if (!failed) failed = error;
    next = past.size();  // nobody begins another
  };
  const auto work = [&] {
    for (std::size_t i = next++; i < past.size() && !stop.stop_requested(); i = next++) {
      Result<JudgedDecision> one = JudgeDecision(rules, past[i], options, nullptr, stop);
      if (stop.stop_requested()) return;
      if (!one) return fail(one.error());
      judged[i] = *std::move(one);
      judged[i].phase = static_cast<Phase>(i * kPhases / past.size());
      const std::size_t now = ++done;
      if (progress) progress(now, past.size());
    }
  };
  {
    std::vector<std::jthread> others;
    for (unsigned i = 1; i < options.threads; ++i) others.emplace_back(work);
    work();
  }
  if (failed) return Fail(*failed);
  if (done < past.size()) return Fail(ErrorCode::kClosed, "the analysis was stopped");
  return judged;
}

json::Object ToJson(const JudgedDecision& decision) {
  const auto rounded = [](double value) { return RoundTo(value, kSteps); };
  json::Object line{{"decision", decision.number},
                    {"seat", decision.seat},
                    {"event", decision.event},
                    {"phase", PhaseName(decision.phase)},
                    {"forced", decision.forced}};
  json::Array choices;
  for (const JudgedChoice& choice : decision.choices) {
    json::Value data;
    if (!choice.choice.data.is_null()) data = json::Write(choice.choice.data);
    choices.push_back(json::Object{{"action", choice.choice.action},
                                   {"data", std::move(data)},
                                   {"label", choice.label},
                                   {"value", rounded(choice.value)},
                                   {"error", rounded(choice.error)},
                                   {"visits", choice.visits}});
  }
  line["choices"] = std::move(choices);
  line["taken"] = decision.taken ? json::Value(*decision.taken) : json::Value();
  line["best"] = decision.forced ? json::Value() : json::Value(decision.best);
  line["mixed"] = decision.mixed;
  line["value"] = decision.forced ? json::Value() : json::Value(rounded(decision.value));
  line["loss"] = decision.taken ? json::Value(rounded(decision.loss)) : json::Value();
  line["error"] = decision.taken ? json::Value(rounded(decision.error)) : json::Value();
  line["mark"] = decision.mark == Mark::kNone ? json::Value() : json::Value(MarkName(decision.mark));
  json::Array words;
  for (const std::string& step : decision.line) words.emplace_back(step);
  line["line"] = std::move(words);
  return line;
}

}  // namespace openseat::arena

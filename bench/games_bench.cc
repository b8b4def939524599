// Random playouts of hosted games through the interface of core/game.h, complete games from start to end. One
// thread. docs/performance.md quotes its figures.
//
//   moves/<game>    Awaited, Moves, ApplyMove, and the outcome: what search and `openseat play` do
//     choices/<game>  Awaited, Moves, ToChoice, Validate, Apply: the same with the JSON that clients send
//
// items_per_second: games per second; choices_per_game: the number of choices in one game.
#include <benchmark/benchmark.h>

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/rng.h"
#include "core/game.h"
#include "games/chicken/chicken.h"
#include "games/connectm/connectm.h"
#include "games/p1_wins/p1_wins.h"
#include "games/rps/rps.h"
#include "games/tictactoe/tictactoe.h"

namespace openseat {
namespace {

constexpr std::size_t kMaxMoves = 64;

std::unique_ptr<GameState> Start(const Game& game) {
  auto state = game.NewGame(nullptr, 1, {"Alex", "Sam"});
  OPENSEAT_CHECK(state.has_value() && game.info().max_moves <= kMaxMoves, "the games are for two, with few moves");
  return *std::move(state);
}

// Plays random games; `play` makes one choice.
template <typename Play>
void PlayGames(benchmark::State& bench, const Game& game, Play play) {
  const std::unique_ptr<GameState> start = Start(game);
  const std::unique_ptr<GameState> state = start->Clone();
  std::array<Move, kMaxMoves> moves{};
  Rng rng(1);
  std::int64_t choices = 0;
  std::array<std::int64_t, 3> results{};  // won by either seat, drawn
  for (auto iteration : bench) {
    (void)iteration;
    state->Assign(*start);
    for (SeatSet awaited = state->Awaited(); !awaited.empty(); awaited = state->Awaited()) {
      const SeatIndex seat = awaited.First();
      const std::size_t count = state->Moves(seat, moves);
      play(*state, seat, moves[rng.Below(count)]);
      ++choices;
    }
    const SeatSet winners = state->GetOutcome()->winners;
    ++results[winners.empty() ? 2 : winners.First()];
  }
  benchmark::DoNotOptimize(results);
  bench.SetItemsProcessed(bench.iterations());
  bench.counters["choices_per_game"] = static_cast<double>(choices) / static_cast<double>(bench.iterations());
}

void Moves(benchmark::State& bench, const Game& game) {
  PlayGames(bench, game, [](GameState& state, SeatIndex seat, Move move) { state.ApplyMove(seat, move); });
}

void Choices(benchmark::State& bench, const Game& game) {
  PlayGames(bench, game, [](GameState& state, SeatIndex seat, Move move) {
    const PlayedChoice choice = state.ToChoice(seat, move);
    OPENSEAT_CHECK(state.Validate(seat, choice.action, choice.data), "a move is legal");
    benchmark::DoNotOptimize(state.Apply(seat, choice.action, choice.data));
  });
}

}  // namespace
}  // namespace openseat

int main(int argc, char** argv) {
  std::vector<std::unique_ptr<openseat::Game>> games;
  games.push_back(openseat::games::MakeTicTacToe());
  games.push_back(openseat::games::MakeConnectM());
  games.push_back(openseat::games::MakeRockPaperScissors());
  games.push_back(openseat::games::MakeChicken());
  games.push_back(openseat::games::MakePlayerOneWins());
  for (const auto& game : games) {
    const std::string& id = game->info().id;
    benchmark::RegisterBenchmark(("moves/" + id).c_str(), openseat::Moves, std::cref(*game));
    benchmark::RegisterBenchmark(("choices/" + id).c_str(), openseat::Choices, std::cref(*game));
  }
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}

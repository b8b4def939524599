// Searches from the start of hosted games, on one thread. docs/performance.md quotes the figures.
//
// items_per_second: iterations; steps_per_second: moves played in them, in the tree and beyond it.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "agents/search/search.h"
#include "base/check.h"
#include "base/clock.h"
#include "core/game.h"
#include "games/chicken/chicken.h"
#include "games/connectm/connectm.h"
#include "games/netrunner/netrunner.h"
#include "games/rps/rps.h"
#include "games/tictactoe/tictactoe.h"

namespace openseat {
namespace {

void SearchFromTheStart(benchmark::State& bench, const Game& game, std::uint64_t iterations, bool heuristics) {
  const SystemClock clock;
  const auto start = game.NewGame(nullptr, 1, {"Alex", "Sam"});
  OPENSEAT_CHECK(start.has_value(), "the games are for two");
  const SeatIndex seat = (*start)->Awaited().First();
  std::uint64_t seed = 0;
  std::uint64_t done = 0;
  std::uint64_t steps = 0;
  for (auto each : bench) {
    (void)each;
    const search::SearchResult found = search::Search(
        game, **start, seat, {.limits = {.iterations = iterations}, .seed = ++seed, .heuristics = heuristics}, clock);
    done += found.iterations;
    steps += found.steps;
  }
  bench.SetItemsProcessed(static_cast<std::int64_t>(done));
  bench.counters["steps_per_second"] = benchmark::Counter(static_cast<double>(steps), benchmark::Counter::kIsRate);
}

void Register(const std::string& name, std::unique_ptr<Game> game, std::uint64_t iterations, bool heuristics = true) {
  benchmark::RegisterBenchmark(("search/" + name).c_str(), [game = std::shared_ptr<Game>(std::move(game)), iterations,
                                                            heuristics](benchmark::State& bench) {
    SearchFromTheStart(bench, *game, iterations, heuristics);
  })->Unit(benchmark::kMillisecond);
}

}  // namespace
}  // namespace openseat

int main(int argc, char** argv) {
  using namespace openseat;  // NOLINT(google-build-using-namespace): main is outside of it
  Register("tictactoe", games::MakeTicTacToe(), 1'000);
  Register("connectm", games::MakeConnectM(), 10'000);
  Register("connectm, random playouts", games::MakeConnectM(), 10'000, false);
  Register("rps", games::MakeRockPaperScissors(), 10'000);
  Register("chicken", games::MakeChicken(), 10'000);
  Register("netrunner", games::MakeNetrunner(), 50);
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}

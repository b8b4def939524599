// The speed of Netrunner; docs/performance.md quotes the figures. One thread.
//
//     games/<decks>  complete random games by commands, rules only; items: games
//   moves/<decks>  the same through core/game.h, by moves
//   clone          copies of a State in the middle of a game
//   clone_apply    a copy and a random command on it, as search does
#include <benchmark/benchmark.h>

#include <array>
#include <memory>
#include <vector>

#include "base/check.h"
#include "base/rng.h"
#include "core/game.h"
#include "games/netrunner/decks.h"
#include "games/netrunner/engine/command.h"
#include "games/netrunner/engine/engine.h"
#include "games/netrunner/netrunner.h"
#include "games/netrunner/setup.h"

namespace openseat::games::netrunner {
namespace {

GameSetup Beginner() {
  return {.decks = {MakeTeachingDeck(TeachingDeck::kBeginnerCorp), MakeTeachingDeck(TeachingDeck::kBeginnerRunner)},
          .points_to_win = 6};
}
GameSetup Intermediate() {
  return {.decks = {MakeTeachingDeck(TeachingDeck::kIntermediateCorp),
                    MakeTeachingDeck(TeachingDeck::kIntermediateRunner)}};
}

void PlayOne(State& state, Rng& rng) {
  CommandList commands;
  ListCommands(state, commands);
  Engine(state).Apply(commands.all()[rng.Below(commands.all().size())], state.prompt.side);
}

void Games(benchmark::State& bench, const GameSetup& setup) {
  Rng rng(1);
  std::int64_t choices = 0;
  for (auto iteration : bench) {
    (void)iteration;
    State state = MakeState(setup, rng.Next());
    for (; !state.over(); ++choices) PlayOne(state, rng);
    benchmark::DoNotOptimize(state.winner);
  }
  bench.SetItemsProcessed(bench.iterations());
  bench.counters["choices_per_game"] = static_cast<double>(choices) / static_cast<double>(bench.iterations());
}

void Moves(benchmark::State& bench, const json::Value& options) {
  const std::unique_ptr<Game> game = MakeNetrunner();
  Rng rng(1);
  std::vector<Move> moves(game->info().max_moves);
  for (auto iteration : bench) {
    (void)iteration;
    auto state = game->NewGame(options, rng.Next(), {"Alex", "Sam"});
    OPENSEAT_CHECK(state.has_value(), "the options are valid");
    for (SeatSet awaited = (*state)->Awaited(); !awaited.empty(); awaited = (*state)->Awaited()) {
      const std::size_t count = (*state)->Moves(awaited.First(), moves);
      (*state)->ApplyMove(awaited.First(), moves[rng.Below(count)]);
    }
  }
  bench.SetItemsProcessed(bench.iterations());
}

// States of the first 60 choices of a game.
std::vector<State> Typical() {
  Rng rng(3);
  std::vector<State> states;
  State state = MakeState(Intermediate(), 3);
  for (int i = 0; i < 60 && !state.over(); ++i) {
    states.push_back(state);
    PlayOne(state, rng);
  }
  return states;
}

void Clone(benchmark::State& bench) {
  const std::vector<State> states = Typical();
  std::size_t next = 0;
  for (auto iteration : bench) {
    (void)iteration;
    State copy = states[next++ % states.size()];
    benchmark::DoNotOptimize(&copy);
    benchmark::ClobberMemory();
  }
  bench.SetItemsProcessed(bench.iterations());
}

void CloneApply(benchmark::State& bench) {
  const std::vector<State> states = Typical();
  Rng rng(1);
  std::size_t next = 0;
  for (auto iteration : bench) {
    (void)iteration;
    State copy = states[next++ % states.size()];
    PlayOne(copy, rng);
    benchmark::DoNotOptimize(copy.winner);
  }
  bench.SetItemsProcessed(bench.iterations());
}

BENCHMARK_CAPTURE(Games, beginner, Beginner());
BENCHMARK_CAPTURE(Games, intermediate, Intermediate());
BENCHMARK_CAPTURE(Moves, beginner, json::Value(nullptr));
BENCHMARK_CAPTURE(Moves, intermediate, json::Value(json::Object{{"format", "system-gateway-intermediate"}}));
BENCHMARK(Clone);
BENCHMARK(CloneApply);

}  // namespace
}  // namespace openseat::games::netrunner

BENCHMARK_MAIN();

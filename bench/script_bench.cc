// Random games of the shipped scripts (games/), complete games from start to end. One thread. docs/performance.md
// quotes its figures. Run it in the project's folder.
//
//   script/<game>    NewGame, then Awaited, Moves and ApplyMove to the outcome: the whole contract, one call of the
//   script
//                    a choice, and one with all that anybody sees for the start
//   ahead/<game>     the same from a start that is there, as search plays and boardgame.io is measured
//   playouts/<game>  inside the box, many choices a call: what search does
//
// items_per_second: games per second; choices_per_game; steps_per_choice: what the box counts (docs/scripts.md), equal
// on every machine.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/json.h"
#include "base/rng.h"
#include "core/game.h"
#include "games/script/script.h"
#include "games/script/script_game.h"

namespace openseat {
namespace {

struct Shipped {
  std::vector<games::ScriptFile> files;
  std::unique_ptr<Game> game;
  std::shared_ptr<const games::Script> script;
  std::vector<std::string> names;
};

Shipped Load(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  Shipped shipped;
  shipped.files = {{path.filename().string(), text.str()}};
  shipped.game = *games::MakeScriptGame(shipped.files);
  shipped.script = *games::Script::Load(shipped.files);
  for (SeatIndex seat = 0; seat < shipped.game->info().min_seats; ++seat) {
    shipped.names.push_back("Player" + std::to_string(seat + 1));
  }
  return shipped;
}

void PlayGames(benchmark::State& bench, const Shipped& shipped,
               const std::function<std::unique_ptr<GameState>(std::uint64_t seed)>& start) {
  std::vector<Move> moves(shipped.game->info().max_moves);
  Rng rng(1);
  std::int64_t choices = 0;
  for (auto iteration : bench) {
    (void)iteration;
    const std::unique_ptr<GameState> state = start(rng.Next() >> 11);
    for (SeatSet awaited = state->Awaited(); !awaited.empty(); awaited = state->Awaited()) {
      const std::size_t count = state->Moves(awaited.First(), moves);
      state->ApplyMove(awaited.First(), moves[rng.Below(count)]);
      ++choices;
    }
    OPENSEAT_CHECK(games::FaultOf(*state).empty(), "shipped games have no faults");
  }
  bench.SetItemsProcessed(bench.iterations());
  bench.counters["choices_per_game"] = static_cast<double>(choices) / static_cast<double>(bench.iterations());
}

void Contract(benchmark::State& bench, const Shipped& shipped) {
  PlayGames(bench, shipped, [&](std::uint64_t seed) { return *shipped.game->NewGame(nullptr, seed, shipped.names); });
}

void Ahead(benchmark::State& bench, const Shipped& shipped) {
  std::vector<std::unique_ptr<GameState>> starts;
  for (std::uint64_t seed = 0; seed < 16; ++seed) {
    starts.push_back(*shipped.game->NewGame(nullptr, seed, shipped.names));
  }
  PlayGames(bench, shipped, [&](std::uint64_t seed) { return starts[seed % starts.size()]->Clone(); });
}

constexpr std::int64_t kGamesOfACall = 10;          // or as many as it may play
constexpr std::int64_t kStepsOfACall = 20'000'000;  // half of what is allowed

void Playouts(benchmark::State& bench, const Shipped& shipped) {
  const std::unique_ptr<GameState> start = *shipped.game->NewGame(nullptr, 1, shipped.names);
  const json::Value saved = start->Serialize();
  json::Array names;
  for (const std::string& name : shipped.names) names.emplace_back(name);
  json::Object input{
      {"state", saved.at("state")}, {"names", names}, {"random", {1, 2, 3, 4}}, {"games", 1}, {"moves", 3000}};
  std::int64_t choices = 0;
  std::int64_t steps = 0;
  std::int64_t seed = 1;
  std::int64_t of_one = 0;
  OPENSEAT_CHECK(shipped.script->Call("playouts", input, of_one), "shipped games have no faults");
  const std::int64_t at_once = std::clamp<std::int64_t>(kStepsOfACall / of_one, 1, kGamesOfACall);
  input["games"] = at_once;
  for (auto iteration : bench) {
    (void)iteration;
    input["random"] = json::Array{seed++, 2, 3, 4};
    std::int64_t used = 0;
    const Result<json::Value> answer = shipped.script->Call("playouts", input, used);
    OPENSEAT_CHECK(answer.has_value(), "shipped games have no faults");
    choices += json::Find(*answer, "played")->to_number<std::int64_t>();
    steps += used;
  }
  const double games = static_cast<double>(bench.iterations() * at_once);
  bench.SetItemsProcessed(bench.iterations() * at_once);
  bench.counters["choices_per_game"] = static_cast<double>(choices) / games;
  bench.counters["steps_per_choice"] = static_cast<double>(steps) / static_cast<double>(choices);
}

std::vector<std::filesystem::path> ShippedFiles() {
  std::vector<std::filesystem::path> paths;
  for (const auto& file : std::filesystem::directory_iterator("games")) {
    const std::string name = file.path().filename().string();
    if (name.ends_with(".js") || (name.ends_with(".ts") && !name.ends_with(".d.ts"))) paths.push_back(file.path());
  }
  std::ranges::sort(paths);
  return paths;
}

}  // namespace
}  // namespace openseat

int main(int argc, char** argv) {
  std::vector<openseat::Shipped> shipped;
  for (const auto& path : openseat::ShippedFiles()) shipped.push_back(openseat::Load(path));
  for (const openseat::Shipped& each : shipped) {
    const std::string& id = each.game->info().id;
    benchmark::RegisterBenchmark(("script/" + id).c_str(), openseat::Contract, std::cref(each));
    benchmark::RegisterBenchmark(("ahead/" + id).c_str(), openseat::Ahead, std::cref(each));
    benchmark::RegisterBenchmark(("playouts/" + id).c_str(), openseat::Playouts, std::cref(each));
  }
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}

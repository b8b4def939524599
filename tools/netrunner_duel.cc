// Games of Netrunner between two ways to play, as many a second as the machine allows, for those who change
// games/netrunner/mind. Preset bench.
//
//     openseat_netrunner_duel CORP RUNNER GAMES [SEED [FORMAT [show]]]
//
// CORP and RUNNER: random; policy (what rollouts play, from a sample); search:N (iterations a choice); ms:N
// (milliseconds a choice). Prints how often the Corp won, with the Wilson interval of 95%, and why games ended. `show`
// prints each game's log.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "agents/search/search.h"
#include "base/clock.h"
#include "base/rng.h"
#include "core/game.h"
#include "core/heuristics.h"
#include "games/netrunner/netrunner.h"

namespace openseat {
namespace {

const Game& Netrunner() {
  static const std::unique_ptr<Game> game = games::MakeNetrunner();
  return *game;
}

class Player {
 public:
  virtual ~Player() = default;
  virtual void Play(GameState& state, SeatIndex seat) = 0;
};

std::span<const Move> MovesOf(const GameState& state, SeatIndex seat, std::vector<Move>& buffer) {
  buffer.resize(Netrunner().info().max_moves);
  return std::span(buffer).first(state.Moves(seat, buffer));
}

class RandomPlayer final : public Player {
 public:
  explicit RandomPlayer(std::uint64_t seed) : rng_(seed) {}
  void Play(GameState& state, SeatIndex seat) override {
    const std::span<const Move> moves = MovesOf(state, seat, buffer_);
    state.ApplyMove(seat, moves[rng_.Below(moves.size())]);
  }

 private:
  Rng rng_;
  std::vector<Move> buffer_;
};

class PolicyPlayer final : public Player {
 public:
  explicit PolicyPlayer(std::uint64_t seed) : rng_(seed) {}
  void Play(GameState& state, SeatIndex seat) override {
    const std::unique_ptr<GameState> sample = state.Sample(seat, rng_);
    const std::span<const Move> moves = MovesOf(*sample, seat, buffer_);
    state.ApplyMove(seat, Netrunner().heuristics()->Rollout(*sample, seat, moves, rng_));
  }

 private:
  Rng rng_;
  std::vector<Move> buffer_;
};

class SearchPlayer final : public Player {
 public:
  SearchPlayer(std::uint64_t seed, const search::SearchLimits& limits) : rng_(seed), limits_(limits) {}

  void Play(GameState& state, SeatIndex seat) override {
    const std::span<const Move> moves = MovesOf(state, seat, buffer_);
    if (moves.size() == 1) return state.ApplyMove(seat, moves[0]);
    const search::SearchResult result =
        search::Search(Netrunner(), state, seat, {.limits = limits_, .seed = rng_.Next(), .only_choice = true}, clock_);
    searched += result.iterations;
    ++searches;
    state.ApplyMove(seat, result.chosen);
  }

  // Of all such players.
  static inline std::uint64_t searched = 0;
  static inline std::uint64_t searches = 0;

 private:
  Rng rng_;
  search::SearchLimits limits_;
  SystemClock clock_;
  std::vector<Move> buffer_;
};

std::unique_ptr<Player> MakePlayer(std::string_view kind, std::uint64_t seed) {
  if (kind == "random") return std::make_unique<RandomPlayer>(seed);
  if (kind == "policy") return std::make_unique<PolicyPlayer>(seed);
  if (kind.starts_with("search:")) {
    return std::make_unique<SearchPlayer>(seed,
                                          search::SearchLimits{.iterations = std::stoull(std::string(kind.substr(7)))});
  }
  if (kind.starts_with("ms:")) {
    const Duration time = std::chrono::milliseconds(std::stoi(std::string(kind.substr(3))));
    return std::make_unique<SearchPlayer>(seed, search::SearchLimits{.iterations = 0, .time = time});
  }
  std::fprintf(stderr, "a player must be random, policy, search:N or ms:N; got %s\n", std::string(kind).c_str());
  std::exit(2);
}

void PrintRate(std::string_view who, int wins, int games) {
  constexpr double kZ = 1.96;
  const double n = games;
  const double p = wins / n;
  const double middle = (p + kZ * kZ / (2 * n)) / (1 + kZ * kZ / n);
  const double width = kZ * std::sqrt(p * (1 - p) / n + kZ * kZ / (4 * n * n)) / (1 + kZ * kZ / n);
  std::printf("%s: won %d of %d = %.1f%% (%.1f to %.1f)\n", std::string(who).c_str(), wins, games, 100 * p,
              100 * (middle - width), 100 * (middle + width));
}

int Main(int argc, char** argv) {
  if (argc < 4) {
    std::fprintf(stderr, "usage: openseat_netrunner_duel CORP RUNNER GAMES [SEED [FORMAT [show]]]\n");
    return 2;
  }
  const int games = std::stoi(argv[3]);
  const std::uint64_t seed = argc > 4 ? std::stoull(argv[4]) : 1;
  const std::string format = argc > 5 ? argv[5] : "system-gateway-beginner";
  const bool show = argc > 6;
  std::map<std::string, int> reasons;
  int corp_wins = 0;
  std::size_t choices = 0;
  const auto start = std::chrono::steady_clock::now();
  for (int game = 0; game < games; ++game) {
    const std::uint64_t game_seed = seed + static_cast<std::uint64_t>(game);
    const std::unique_ptr<Player> players[2] = {MakePlayer(argv[1], game_seed * 2),
                                                MakePlayer(argv[2], game_seed * 2 + 1)};
    std::unique_ptr<GameState> state =
        *Netrunner().NewGame(json::Object{{"format", format}}, game_seed, {"Corp", "Runner"});
    for (; !state->Awaited().empty(); ++choices) {
      const SeatIndex seat = state->Awaited().First();
      players[seat]->Play(*state, seat);
    }
    const Outcome outcome = *state->GetOutcome();
    const bool corp_won = outcome.winners.Contains(0);
    corp_wins += corp_won ? 1 : 0;
    ++reasons[std::string(corp_won ? "Corp: " : "Runner: ") + outcome.reason];
    if (!show) continue;
    std::printf("--- seed %llu: %s, %s\n", static_cast<unsigned long long>(game_seed), corp_won ? "Corp" : "Runner",
                outcome.reason.c_str());
    for (const std::string& line : state->Log(Viewer::Seat(0))) std::printf("%s\n", line.c_str());
  }
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  PrintRate(std::string("Corp ") + argv[1], corp_wins, games);
  PrintRate(std::string("Runner ") + argv[2], games - corp_wins, games);
  for (const auto& [reason, count] : reasons) std::printf("  %s: %d\n", reason.c_str(), count);
  if (SearchPlayer::searches > 0) {
    std::printf("  %.0f iterations a search",
                static_cast<double>(SearchPlayer::searched) / static_cast<double>(SearchPlayer::searches));
    std::printf(", %.0f in a second of processor time\n",
                static_cast<double>(SearchPlayer::searched) / (static_cast<double>(std::clock()) / CLOCKS_PER_SEC));
  }
  std::printf("  %.1f games a second, %.0f choices a game\n", games / seconds, static_cast<double>(choices) / games);
  return 0;
}

}  // namespace
}  // namespace openseat

int main(int argc, char** argv) {
  return openseat::Main(argc, argv);
}

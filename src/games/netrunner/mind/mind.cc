#include "games/netrunner/mind/mind.h"

#include <algorithm>
#include <array>

#include "games/netrunner/engine/command.h"
#include "games/netrunner/mind/rating.h"
#include "games/netrunner/netrunner.h"

namespace openseat::games::netrunner {
namespace {

constexpr std::size_t kHorizon = 40;
// Ratings this far apart are a matter of chance in a rollout.
constexpr double kSlack = 0.35;
// How fast weights fall with the rating, and where a move is not worth a branch any more.
constexpr float kSpread = 1.2F;
constexpr float kSenseless = 6;
constexpr std::size_t kMostRated = 512;

// Close to the exponential of -x, and the same on every machine.
constexpr float Falling(float x) {
  return 1 / (1 + x * (1 + x / 2 * (1 + x / 3 * (1 + x / 4))));
}

}  // namespace

Move NetrunnerHeuristics::Rollout(const GameState& game_state, SeatIndex, std::span<const Move> moves, Rng& rng) const {
  if (moves.size() == 1) return moves[0];
  const State& state = StateOf(game_state);
  CommandList list;
  ListCommands(state, list);
  const std::span<const Command> commands = list.all().first(std::min(list.all().size(), kMostRated));
  std::array<float, kMostRated> ratings;  // not initialized: Rate writes those that are read
  mind::Rate(state, commands, std::span(ratings).first(commands.size()));
  std::size_t best = 0;
  double most = -1e9;
  for (std::size_t i = 0; i < commands.size(); ++i) {
    const double rating = static_cast<double>(ratings[i]) + kSlack * rng.Unit();
    if (rating <= most) continue;
    most = rating;
    best = i;
  }
  return ToMove(state, commands[best]);
}

void NetrunnerHeuristics::Weigh(const GameState& game_state, SeatIndex, std::span<const Move> moves,
                                std::span<float> weights) const {
  const State& state = StateOf(game_state);
  std::array<float, kMostRated> ratings;
  std::array<Command, kMostRated> commands;
  const std::size_t count = std::min(moves.size(), kMostRated);
  for (std::size_t i = 0; i < count; ++i) commands[i] = FromMove(state, moves[i]);
  mind::Rate(state, std::span(commands).first(count), std::span(ratings).first(count));
  const float best = *std::max_element(ratings.begin(), ratings.begin() + static_cast<std::ptrdiff_t>(count));
  for (std::size_t i = 0; i < moves.size(); ++i) {
    const float behind = i < count ? best - ratings[i] : kSenseless + 1;
    weights[i] = behind > kSenseless ? 0.F : Falling(behind / kSpread);
  }
}

std::size_t NetrunnerHeuristics::Horizon() const {
  return kHorizon;
}

double NetrunnerHeuristics::Worth(const GameState& state, SeatIndex seat) const {
  return mind::Worth(StateOf(state), static_cast<Side>(seat));
}

}  // namespace openseat::games::netrunner

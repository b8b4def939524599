#include "testing/perft.h"

#include <array>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>

#include "base/check.h"

namespace openseat::testing {
namespace {

constexpr std::size_t kMaxMoves = 256;

template <typename Visit>
void ForEachMove(const GameState& state, Visit visit) {
  std::array<Move, kMaxMoves> moves{};
  for (const SeatIndex seat : state.Awaited()) {
    const std::size_t count = state.Moves(seat, moves);
    OPENSEAT_CHECK(count <= kMaxMoves, "perft is for games of fewer moves");
    for (std::size_t i = 0; i < count; ++i) visit(seat, moves[i]);
  }
}

// `scratch` holds one state a level, so that nothing is allocated on the way.
std::uint64_t Count(const GameState& state, std::vector<std::unique_ptr<GameState>>& scratch, std::size_t depth) {
  if (depth == 0 || state.Awaited().empty()) return 1;
  GameState& next = *scratch[depth - 1];
  std::uint64_t games = 0;
  ForEachMove(state, [&](SeatIndex seat, Move move) {
    next.Assign(state);
    next.ApplyMove(seat, move);
    games += Count(next, scratch, depth - 1);
  });
  return games;
}

}  // namespace

std::uint64_t CountGames(const GameState& state, int depth) {
  std::vector<std::unique_ptr<GameState>> scratch;
  for (int level = 0; level < depth; ++level) scratch.push_back(state.Clone());
  return Count(state, scratch, static_cast<std::size_t>(depth));
}

std::vector<std::uint64_t> CountPositions(const GameState& state, int depth) {
  std::unordered_map<std::string, std::unique_ptr<GameState>> level;
  level.emplace(std::string(), state.Clone());
  std::vector<std::uint64_t> counts = {1};
  const std::unique_ptr<GameState> next = state.Clone();
  while (static_cast<int>(counts.size()) <= depth) {
    std::unordered_map<std::string, std::unique_ptr<GameState>> after;
    for (const auto& [key, from] : level) {
      ForEachMove(*from, [&](SeatIndex seat, Move move) {
        next->Assign(*from);
        next->ApplyMove(seat, move);
        std::unique_ptr<GameState>& kept = after[json::Write(next->Serialize())];
        if (kept == nullptr) kept = next->Clone();
      });
    }
    level = std::move(after);
    counts.push_back(level.size());
  }
  return counts;
}

}  // namespace openseat::testing

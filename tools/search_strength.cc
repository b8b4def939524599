// How well `search` plays, against what is known to be right and against a plain minimax (docs/minds.md):
//   openseat_search_strength perfect ROWS COLUMNS M ITERATIONS [POSITIONS [DISCS]]
//   openseat_search_strength at ROWS COLUMNS M ITERATIONS COLUMNS_PLAYED…     (positions as `perfect` prints them)
//   openseat_search_strength minimax GAMES ITERATIONS MS DEPTH [EXPLORATION [FIRST]]     (FIRST: the first game's
//   number)
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "agents/search/search.h"
#include "agents/search/solver_test_support.h"
#include "base/clock.h"
#include "base/json.h"
#include "games/connectm/board.h"
#include "games/connectm/connectm.h"

namespace openseat::search {
namespace {

using Board = games::Board<1>;

std::unique_ptr<GameState> StateOf(const Game& game, games::BoardSize size, const BoardSolver::Path& path) {
  auto state =
      game.NewGame(json::Object{{"rows", size.rows}, {"columns", size.columns}, {"m", size.m}}, 1, {"red", "yellow"})
          .value();
  for (const Move column : path) state->ApplyMove(state->Awaited().First(), column);
  return state;
}

// `positions` of all, or 0 for all, but only those with at most so many discs.
int Perfect(games::BoardSize size, std::uint64_t iterations, std::size_t positions, std::size_t discs) {
  const SystemClock clock;
  const auto game = games::MakeConnectM();
  const BoardSolver solver(size, positions == 0 ? SIZE_MAX : positions, 1);
  std::printf("%zu positions, %zu of them not over; with %llu iterations:\n", solver.positions(), solver.open(),
              static_cast<unsigned long long>(iterations));
  std::size_t wrong = 0;
  std::size_t searched = 0;
  std::uint64_t most = 0;
  for (const BoardSolver::Path& path : solver.some()) {
    if (path.size() > discs) continue;
    ++searched;
    const auto state = StateOf(*game, size, path);
    const SearchResult found =
        Search(*game, *state, state->Awaited().First(), {.limits = {.iterations = iterations}, .seed = 1}, clock);
    most = std::max(most, found.iterations);
    if (solver.IsBest(path, found.chosen)) continue;
    ++wrong;
    std::string text;
    for (const Move column : path) text += std::to_string(column);
    std::printf("wrong: %s (worth %+d) -> %u\n", text.c_str(), solver.ValueOf(path), found.chosen);
  }
  std::printf("%zu of %zu wrong; the longest search took %llu iterations\n", wrong, searched,
              static_cast<unsigned long long>(most));
  return wrong == 0 ? 0 : 1;
}

// What a search with so many iterations knows of each move of these positions.
int At(games::BoardSize size, std::uint64_t iterations, std::span<const std::string> positions) {
  const SystemClock clock;
  const auto game = games::MakeConnectM();
  const BoardSolver solver(size, 0, 1);
  std::size_t wrong = 0;
  for (const std::string& text : positions) {
    BoardSolver::Path path;
    for (const char column : text) path.push_back(static_cast<Move>(column - '0'));
    const auto state = StateOf(*game, size, path);
    const SearchResult found =
        Search(*game, *state, state->Awaited().First(), {.limits = {.iterations = iterations}, .seed = 1}, clock);
    const bool right = solver.IsBest(path, found.chosen);
    wrong += right ? 0 : 1;
    std::printf("%s: worth %+d, %s -> %u after %llu iterations\n", text.c_str(), solver.ValueOf(path),
                right ? "right" : "wrong", found.chosen, static_cast<unsigned long long>(found.iterations));
    for (const SearchedMove& move : found.moves) {
      BoardSolver::Path next = path;
      next.push_back(move.move);
      std::printf("  %u: worth %+d, %llu visits, value %.4f%s\n", move.move, -solver.ValueOf(next),
                  static_cast<unsigned long long>(move.visits), move.value, move.proven ? ", proven" : "");
    }
  }
  std::printf("%zu of %zu wrong\n", wrong, positions.size());
  return wrong == 0 ? 0 : 1;
}

// Alpha-beta to a fixed depth; beyond it, counts the lines that one player alone may still fill.
class Minimax {
 public:
  Minimax(int depth, std::uint64_t seed) : depth_(depth), rng_(seed) {}

  Move Choose(const Board& board) {
    Move best = 0;
    int most = -kWon * 2;
    std::uint64_t ties = 0;
    for (int column = 0; column < board.size().columns; ++column) {
      if (!board.CanDrop(column)) continue;
      Board next = board;
      next.Drop(column);
      const int worth = -WorthOf(next, depth_ - 1, -kWon * 2, kWon * 2);
      if (worth > most || (worth == most && rng_.Below(++ties) == 0)) best = static_cast<Move>(column);
      if (worth > most) ties = 1;
      most = std::max(most, worth);
    }
    return best;
  }

 private:
  static constexpr int kWon = 1'000'000;

  int WorthOf(const Board& board, int depth, int low, int high) const {
    if (board.Winner()) return -kWon - depth;
    if (board.Full()) return 0;
    if (depth == 0) return LinesOf(board, board.Turn()) - LinesOf(board, 1 - board.Turn());
    const int columns = board.size().columns;
    for (int i = 0; i < columns; ++i) {
      const int column = columns / 2 + ((i + 1) / 2) * (i % 2 == 0 ? 1 : -1);  // from the middle
      if (column < 0 || column >= columns || !board.CanDrop(column)) continue;
      Board next = board;
      next.Drop(column);
      low = std::max(low, -WorthOf(next, depth - 1, -high, -low));
      if (low >= high) break;
    }
    return low;
  }
  static int LinesOf(const Board& board, SeatIndex seat) {
    constexpr std::array<std::array<int, 2>, 4> kSteps{{{0, 1}, {1, 0}, {1, 1}, {1, -1}}};
    constexpr std::array<int, 5> kWorth{0, 1, 4, 16, 0};
    const auto [rows, columns, m] = board.size();
    int worth = 0;
    for (int row = 0; row < rows; ++row) {
      for (int column = 0; column < columns; ++column) {
        for (const auto& [up, right] : kSteps) {
          int mine = 0;
          bool open = row + up * (m - 1) < rows && column + right * (m - 1) < columns && column + right * (m - 1) >= 0;
          for (int i = 0; open && i < m; ++i) {
            const auto at = board.At(row + up * i, column + right * i);
            open = !at || *at == seat;
            mine += at ? 1 : 0;
          }
          if (open) worth += kWorth[static_cast<std::size_t>(std::min(mine, 4))];
        }
      }
    }
    return worth;
  }

  const int depth_;
  Rng rng_;
};

int AgainstMinimax(int first, int games, std::uint64_t iterations, int ms, int depth, double exploration) {
  const SystemClock clock;
  const games::BoardSize size;
  const auto game = games::MakeConnectM();
  int won = 0;
  int drawn = 0;
  for (int i = first; i < first + games; ++i) {
    Minimax minimax(depth, static_cast<std::uint64_t>(i));
    Board board(size);
    BoardSolver::Path path;
    std::uint64_t searched = 0;
    int choices = 0;
    while (!board.Over()) {
      Move move = 0;
      if (board.Turn() == 0) {
        SearchOptions options{
            .limits = {.iterations = iterations}, .seed = static_cast<std::uint64_t>(i), .exploration = exploration};
        if (ms != 0) options.limits.time = std::chrono::milliseconds(ms);
        const SearchResult found = Search(*game, *StateOf(*game, size, path), 0, options, clock);
        searched += found.iterations;
        ++choices;
        move = found.chosen;
      } else {
        move = minimax.Choose(board);
      }
      board.Drop(static_cast<int>(move));
      path.push_back(move);
    }
    won += board.Winner() == SeatIndex{0} ? 1 : 0;
    drawn += board.Winner() ? 0 : 1;
    std::printf("game %d: %s in %d discs, %llu iterations a choice; %d won, %d drawn\n", i,
                !board.Winner()        ? "draw"
                : *board.Winner() == 0 ? "won"
                                       : "lost",
                board.Discs(), static_cast<unsigned long long>(searched / static_cast<std::uint64_t>(choices)), won,
                drawn);
    std::fflush(stdout);
  }
  return 0;
}

int Main(const std::vector<std::string>& args) {
  const auto number = [&](std::size_t i) { return i < args.size() ? std::atoll(args[i].c_str()) : 0; };
  if (args.size() >= 5 && args[0] == "perfect") {
    return Perfect(
        {.rows = static_cast<int>(number(1)), .columns = static_cast<int>(number(2)), .m = static_cast<int>(number(3))},
        static_cast<std::uint64_t>(number(4)), static_cast<std::size_t>(number(5)),
        args.size() > 6 ? static_cast<std::size_t>(number(6)) : SIZE_MAX);
  }
  if (args.size() >= 6 && args[0] == "at") {
    return At(
        {.rows = static_cast<int>(number(1)), .columns = static_cast<int>(number(2)), .m = static_cast<int>(number(3))},
        static_cast<std::uint64_t>(number(4)), std::span(args).subspan(5));
  }
  if (args.size() >= 5 && args[0] == "minimax") {
    return AgainstMinimax(static_cast<int>(number(6)), static_cast<int>(number(1)),
                          static_cast<std::uint64_t>(number(2)), static_cast<int>(number(3)),
                          static_cast<int>(number(4)), args.size() > 5 ? std::atof(args[5].c_str()) : 1);
  }
  std::puts(
      "perfect ROWS COLUMNS M ITERATIONS [POSITIONS [DISCS]] | at ROWS COLUMNS M ITERATIONS PATH… | "
      "minimax GAMES ITERATIONS MS DEPTH [EXPLORATION [FIRST]]");
  return 2;
}

}  // namespace
}  // namespace openseat::search

int main(int argc, char** argv) {
  return openseat::search::Main({argv + 1, argv + argc});
}

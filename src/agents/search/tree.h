// Tree: the tree of one thread of a search. What a node stands for is the sequence of moves that leads to it, as the
// searching seat imagines it; where the game hides something, every iteration plays in another sample, and a node has
// the branches of all samples that came by.
//
// Where one seat is to choose, a node is a bandit (UCT, or PUCT if the game weighs its moves). Where several are, it
// is a matrix (mixed.h). Where nothing is hidden, branches have bounds, and what is proven is not tried again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <vector>

#include "agents/search/mixed.h"
#include "agents/search/search.h"
#include "base/rng.h"
#include "core/game.h"
#include "core/heuristics.h"

namespace openseat::search {

// What a tree knows about one move of its root. Sums, so that trees can be added up.
struct RootMove {
  Move move = 0;
  std::uint64_t visits = 0;
  double sum = 0;       // of results, for the searching seat
  double squares = 0;   // of results
  double strategy = 0;  // how often mixed play would have chosen it
  Value low = 0;
  Value high = 1;
};

class Tree {
 public:
  // `game` and `options` outlive the tree. Where the game gives no sample of `from`, it never grows.
  Tree(const Game& game, const GameState& from, SeatIndex seat, const SearchOptions& options, std::uint64_t seed);

  // Grows until it has so many iterations (0: no limit), the deadline, a stop, or the proof of its root; by one
  // iteration at least.
  void Run(std::uint64_t iterations, const Clock& clock, std::optional<Instant> deadline, const std::stop_token& stop);

  // How large it is, as SearchOptions::max_branches counts.
  std::size_t size() const { return branches_.size() + kBranchesOfMatrix * matrices_.size(); }
  std::uint64_t iterations() const { return iterations_; }
  std::uint64_t steps() const { return steps_; }
  std::vector<RootMove> RootMoves() const;
  // What is most often tried after this first move.
  std::vector<LineStep> LineAfter(Move first) const;

 private:
  using Index = std::uint32_t;
  static constexpr Index kNone = ~Index{0};
  static constexpr std::size_t kBranchesOfMatrix = 16;  // as large as so many

  // A move of the node's seat. The bounds are those of seat 0's result.
  struct Branch {
    Move move = 0;
    Index child = kNone;  // made when the branch is tried for the second time
    Index next = kNone;   // of the same node, in ascending order of moves
    std::uint32_t visits = 0;
    std::uint32_t available = 0;  // how often it was legal when its node was visited
    float weight = 1;             // below 0: not offered
    float low = 0;
    float high = 1;
    double sum = 0;      // of results, for the seat that moves
    double squares = 0;  // likewise
  };
  struct Node {
    SeatSet awaited;
    Index first = kNone;    // branch, or
    Index mixed = kNone;    // the matrix
    Index sibling = kNone;  // after the same move, when others are awaited: what is hidden decides
    std::uint32_t visits = 0;
  };
  struct Step {
    Index node;
    Index branch;
    SeatIndex seat;
  };

  // Whether bounds mean anything: two seats, of which one gets what the other does not, and nothing hidden.
  bool solves() const { return !hides_ && seats_ == 2; }
  bool full() const { return size() >= options_.max_branches; }
  // Whether every branch of the root was tried as often as asked.
  bool Satisfied() const;
  // Whether the move that is tried most at the root stays so, whatever the iterations that are left find.
  bool Decided(std::uint64_t left) const;
  void Iterate();
  // The node that the play has reached below that branch or cell, made if it is not there; kNone: the end of the tree.
  Index ChildFor(Index& slot);

  // Both play a choice, and return the node where it leads; kNone: the end of the tree.
  Index StepAlone(Index node, SeatIndex seat);
  Index StepTogether(Index node);
  // Puts the branches of what is legal now into legal_, and makes those that are missing.
  void Expand(Index node, SeatIndex seat);
  bool FindBranches(Index node, std::span<const Move> moves);
  void AddBranches(Index node, SeatIndex seat, std::span<const Move> moves);
  Index Select(SeatIndex seat);
  double ScoreOf(const Branch& branch, std::uint64_t visits, double total_weight, double value) const;
  bool IsLegal(const Matrix::Choice& choice);

  // Plays to the end or to the heuristics' horizon, and writes the results.
  void PlayOn();
  void Judge();
  void BackUp();
  // The branch that led to the path's step of that number. What a matrix leads to has no bounds.
  Branch& Above(std::size_t step);
  // What the step's node proves of the branch above it.
  void Tighten(const Step& step, Branch& above);
  Index MostVisited(Index slot) const;

  const SearchOptions& options_;
  const Heuristics* const heuristics_;
  const SeatIndex seat_;
  const bool hides_;
  const std::size_t seats_;
  Rng rng_;
  std::unique_ptr<GameState> root_state_;  // null: the game gave no sample
  std::unique_ptr<GameState> state_;       // of the iteration

  std::vector<Node> nodes_;
  std::vector<Branch> branches_;
  std::vector<Matrix> matrices_;
  Index root_ = kNone;
  Branch above_;    // the root's bounds
  Branch unbound_;  // stands for the branch above where there is a matrix
  std::uint64_t iterations_ = 0;
  std::uint64_t steps_ = 0;

  // Of the iteration.
  std::vector<Step> path_;
  std::vector<Matrix::Play> plays_;  // of the steps in matrices, in their order: so many of them
  std::size_t played_ = 0;
  std::vector<double> results_;  // by seat
  std::vector<Move> moves_;
  std::vector<float> weights_;
  std::vector<Index> legal_;  // branches
};

}  // namespace openseat::search

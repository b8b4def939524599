// Davidson: the strengths of agents from their comparisons, by the Bradley-Terry model with draws of Davidson (1970).
//
// Agent i has the strength t_i, a logarithm. With d = t_i - t_j, against j it wins, loses or draws with probabilities
// proportional to e^(d/2), e^(-d/2) and v; v, how often the game ends in a draw, is fitted for each kind of game, and
// is 0 for a kind without a draw. Only differences of strengths mean something; here they sum to 0.
//
// The prior: every two agents share `prior` / (number of agents) games without draws, half of each won by either. This
// is proper, because it connects all agents, so a perfect score and an agent without opponents have finite strengths.
// Two agents with prior 2 differ by log((wins + 1/2) / (losses + 1/2)), which is Firth's estimate. If there are draws,
// each kind that has them also gets one game between equals that is half a draw.
//
// One thread at a time. Quick: about 10 microseconds a fit for 8 agents.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "arena/comparisons.h"

namespace openseat::arena {

// A square matrix, by rows.
class Square {
 public:
  explicit Square(std::size_t size = 0) : size_(size), values_(size * size, 0.0) {}
  double& at(std::size_t row, std::size_t column) { return values_[row * size_ + column]; }
  double at(std::size_t row, std::size_t column) const { return values_[row * size_ + column]; }
  std::size_t size() const { return size_; }
  void Clear() { std::fill(values_.begin(), values_.end(), 0.0); }

 private:
  std::size_t size_;
  std::vector<double> values_;
};

class Davidson {
 public:
  // `comparisons` outlives it. A prior of 0 gives maximum likelihood, which REQUIRES that it exists: wins and draws
  // connect every two agents in both directions, and no kind has draws only.
  Davidson(const Comparisons& comparisons, double prior);

  // From now on, each type of cluster counts as often as `types` says, instead of as often as it was played, and each
  // half of the prior as many games as `halves` says, instead of half(). The halves are those of the pairs (0,1),
  // (0,2), … (1,2), …: first the games that the first won.
  void Weigh(std::span<const double> types, std::span<const double> halves);
  std::size_t halves() const { return prior_.size(); }
  double half() const { return half_; }

  // Newton's method, with halved steps where a whole one overshoots, from the present strengths, until no step can
  // improve the log likelihood by more than `tolerance`. Returns whether it got there.
  bool Fit(double tolerance = 1e-20);

  const std::vector<double>& strengths() const { return strengths_; }
  double v(std::size_t kind) const;
  // Of the comparisons, without the prior.
  double log_likelihood() const;

  // Covariances of the strengths after Fit; each row sums to 0, because only differences mean something.
  // From the curvature of the likelihood: right if all games are independent.
  Square ModelCovariance();
  // From how clusters, and the halves of the prior, scatter (a sandwich): right also if games of a cluster depend on
  // each other. REQUIRES prior > 0 or at least two clusters.
  Square ClusterCovariance();

 private:
  struct Half {
    std::uint32_t winner, loser;
    double games;
  };
  struct Expected {
    double win, loss, draw;
  };

  std::size_t size() const { return strengths_.size() + draw_logs_.size(); }
  Expected Expect(const Comparisons::Cell& cell) const;
  // The log likelihood with the prior at the present strengths; fills gradient_ and information_ (minus its second
  // derivatives) as well.
  double Evaluate();
  double AddCells();
  double AddPrior();
  double AddDrawPrior();
  void Step(const std::vector<double>& step, double factor);
  void Factor();  // information_ becomes its Cholesky factor, with a 1 for the sum of strengths
  void Solve(std::vector<double>& column) const;
  Square Scatter() const;

  const Comparisons& comparisons_;
  const double half_;
  std::vector<double> type_weights_;
  std::vector<PairScore> scores_;  // by cell, as weighed
  std::vector<Half> prior_;        // two a pair of agents
  std::vector<double> strengths_;
  std::vector<double> draw_logs_;        // log v of the kinds with draws
  std::vector<std::ptrdiff_t> draw_at_;  // by kind: its place in draw_logs_, or -1
  std::vector<double> exp_half_;         // by agent: e^(t/2)
  std::vector<double> gradient_;
  Square information_;
};

}  // namespace openseat::arena

// Ratings: Elo-like numbers with 95 % intervals for agents, from their comparisons. docs/formats/ratings.md says how to
// read and cite them.
//
// A rating is a strength of the model in davidson.h, fitted with prior 1, times 400 / ln 10, on a scale where the mean
// of all agents, or the anchor, has a given rating.
//
// An interval is the rating plus and minus q standard errors. The standard error is by clusters (ClusterCovariance). q
// comes from a bootstrap: `resamples` times, as many clusters are drawn with replacement as were played, and each half
// of the prior is drawn as a gamma variate of its size (so that a perfect score does not look certain); the fit is
// repeated, and q is the 95 % quantile of |resampled rating - rating| / resampled standard error. This symmetric
// studentized interval covers the truth about as often as promised also for few games, where quantiles of resampled
// ratings do not.
//
// Pure; any thread. Deterministic: equal comparisons and options give equal ratings.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "arena/comparisons.h"
#include "arena/davidson.h"
#include "base/rng.h"

namespace openseat::arena {

inline constexpr double kEloPerStrength = 173.71779276130073;  // 400 / ln 10
inline constexpr double kMeanRating = 1500;
inline constexpr double kPrior = 1;
inline constexpr double kNormalQuantile = 1.959963984540054;  // of 97.5 %
// The level of a quantile of 1,000 resamples is off by 0.7 percentage points (one standard deviation), of 2,000 by 0.5.
inline constexpr std::size_t kResamples = 2000;
inline constexpr std::size_t kMaxResamples = 100'000;
inline constexpr std::size_t kMaxRatedAgents = 200;

struct RatingOptions {
  std::optional<std::size_t> anchor = std::nullopt;  // an agent; without one, the mean of all agents has `base`
  double base = kMeanRating;
  std::size_t resamples = kResamples;
  std::uint64_t seed = 0;
  // Called after each resample with the share that is done, up to 1; may be empty.
  std::function<void(double share)> on_progress{};
};

struct Rating {
  double rating = 0;
  double low = 0;  // equal to the rating for an anchor
  double high = 0;
  double error = 0;  // standard error
  double width() const { return high - low; }
};

// What the comparisons say about two agents.
struct Difference {
  double rating = 0;       // of the first, less that of the second
  double error = 0;        // standard error of this
  double superiority = 0;  // probability that the first is stronger, 0 to 1
  // About how many mirrored pairs between these two would make the difference larger than its 95 % interval, if the
  // ratings stay as they are: 0 if it is already, nullopt beyond kMaxMorePairs.
  std::optional<std::uint64_t> more_pairs;
};
inline constexpr std::uint64_t kMaxMorePairs = 100'000;

class Ratings {
 public:
  // REQUIRES 1 to kMaxRatedAgents agents, and the anchor among them.
  Ratings(const Comparisons& comparisons, const RatingOptions& options);

  const std::vector<Rating>& agents() const { return agents_; }
  Difference Between(std::size_t first, std::size_t second) const;
  // Of strengths, if all games were independent: what more games would tell.
  const Square& model_covariance() const { return model_; }
  // What one game between these two tells about the difference of their strengths (its Fisher information), as a mean
  // over the kinds of games that were played.
  double InformationOfGame(std::size_t first, std::size_t second) const;

 private:
  std::vector<double> strengths_;
  std::vector<double> kind_shares_;  // of all games
  std::vector<double> kind_draws_;   // v
  std::vector<Rating> agents_;
  Square model_;
  Square covariance_;
};

// A gamma variate with this shape (> 0) and scale 1, by the method of Marsaglia and Tsang.
double DrawGamma(Rng& rng, double shape);

}  // namespace openseat::arena

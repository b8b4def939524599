#include "arena/ratings.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/check.h"

namespace openseat::arena {
namespace {

constexpr double kLevel = 0.95;
// Enough for the third digit of a resampled rating's distance.
constexpr double kResampleTolerance = 1e-8;
constexpr double kSmallestHalf = 1e-9;

// A rating as a contrast of strengths: the agent's, less the anchor's or the mean.
class Contrast {
 public:
  Contrast(std::size_t agent, std::optional<std::size_t> anchor) : agent_(agent), anchor_(anchor) {}
  double Value(const std::vector<double>& strengths) const {
    return strengths[agent_] - (anchor_ ? strengths[*anchor_] : 0.0);
  }
  double Error(const Square& covariance) const {
    double variance = covariance.at(agent_, agent_);
    if (anchor_) variance += covariance.at(*anchor_, *anchor_) - 2 * covariance.at(agent_, *anchor_);
    return std::sqrt(std::max(variance, 0.0));
  }

 private:
  std::size_t agent_;
  std::optional<std::size_t> anchor_;
};

// Strengths less their mean.
std::vector<double> Centered(std::vector<double> strengths) {
  double sum = 0;
  for (const double strength : strengths) sum += strength;
  for (double& strength : strengths) strength -= sum / static_cast<double>(strengths.size());
  return strengths;
}

// Draws clusters with replacement, and the prior.
class Resampler {
 public:
  Resampler(const Comparisons& comparisons, std::size_t halves, double half, std::uint64_t seed)
      : rng_(seed), half_(half), types_(comparisons.types.size()), halves_(halves) {
    for (std::size_t i = 0; i < comparisons.types.size(); ++i) {
      clusters_.insert(clusters_.end(), comparisons.types[i].count, static_cast<std::uint32_t>(i));
    }
  }

  void Draw(Davidson& fit) {
    std::ranges::fill(types_, 0.0);
    const std::uint64_t count = clusters_.size();
    for (std::uint64_t i = 0; i < count; ++i) {
      // The upper half of a number below 2^32 times the count; its bias is below 1 in 2^32 per cluster.
      ++types_[clusters_[((rng_.Next() >> 32) * count) >> 32]];
    }
    for (double& half : halves_) half = std::max(DrawGamma(rng_, half_), kSmallestHalf);
    fit.Weigh(types_, halves_);
  }

 private:
  Rng rng_;
  const double half_;
  std::vector<std::uint32_t> clusters_;  // their types
  std::vector<double> types_;
  std::vector<double> halves_;
};

double NormalShare(double x) {
  return std::erfc(-x / std::numbers::sqrt2) / 2;
}

}  // namespace

double DrawGamma(Rng& rng, double shape) {
  if (shape < 1) {
    const double larger = DrawGamma(rng, shape + 1);
    return larger * std::pow(1 - rng.Unit(), 1 / shape);
  }
  const double d = shape - 1.0 / 3;
  const double c = 1 / std::sqrt(9 * d);
  for (;;) {
    // A normal variate, by Box and Muller.
    const double x = std::sqrt(-2 * std::log(1 - rng.Unit())) * std::cos(2 * std::numbers::pi * rng.Unit());
    const double v = std::pow(1 + c * x, 3);
    if (v > 0 && std::log(1 - rng.Unit()) < x * x / 2 + d - d * v + d * std::log(v)) return d * v;
  }
}

Ratings::Ratings(const Comparisons& comparisons, const RatingOptions& options) {
  OPENSEAT_CHECK(comparisons.agents >= 1 && comparisons.agents <= kMaxRatedAgents &&
                     (!options.anchor || *options.anchor < comparisons.agents),
                 "there are agents, not too many, and the anchor is one of them");
  Davidson fit(comparisons, kPrior);
  fit.Fit();
  strengths_ = Centered(fit.strengths());
  model_ = fit.ModelCovariance();
  covariance_ = fit.ClusterCovariance();
  kind_shares_.resize(comparisons.kinds, 0.0);
  double games = 0;
  for (const Comparisons::Cell& cell : comparisons.cells) {
    kind_shares_[cell.kind] += cell.score.games();
    games += cell.score.games();
  }
  for (std::size_t kind = 0; kind < comparisons.kinds; ++kind) {
    if (games > 0) kind_shares_[kind] /= games;
    kind_draws_.push_back(fit.v(kind));
  }

  std::vector<Contrast> contrasts;
  for (std::size_t i = 0; i < comparisons.agents; ++i) contrasts.emplace_back(i, options.anchor);
  std::vector<std::vector<double>> distances(comparisons.agents);
  Resampler resampler(comparisons, fit.halves(), fit.half(), options.seed);
  for (std::size_t n = 0; n < options.resamples; ++n) {
    resampler.Draw(fit);
    fit.Fit(kResampleTolerance);
    const std::vector<double> resampled = Centered(fit.strengths());
    const Square covariance = fit.ClusterCovariance();
    for (std::size_t i = 0; i < contrasts.size(); ++i) {
      const double error = contrasts[i].Error(covariance);
      const double distance = std::abs(contrasts[i].Value(resampled) - contrasts[i].Value(strengths_));
      distances[i].push_back(error > 0 ? distance / error : 0);
    }
    if (options.on_progress) options.on_progress(static_cast<double>(n + 1) / static_cast<double>(options.resamples));
  }
  for (std::size_t i = 0; i < contrasts.size(); ++i) {
    double q = kNormalQuantile;
    if (!distances[i].empty()) {
      // The smallest that at least this share does not exceed.
      const auto at = static_cast<std::ptrdiff_t>(std::ceil(kLevel * static_cast<double>(distances[i].size()))) - 1;
      std::ranges::nth_element(distances[i], distances[i].begin() + at);
      q = distances[i][static_cast<std::size_t>(at)];
    }
    const double error = kEloPerStrength * contrasts[i].Error(covariance_);
    const double rating = options.base + kEloPerStrength * contrasts[i].Value(strengths_);
    agents_.push_back({.rating = rating, .low = rating - q * error, .high = rating + q * error, .error = error});
  }
}

double Ratings::InformationOfGame(std::size_t first, std::size_t second) const {
  const double half = (strengths_[first] - strengths_[second]) / 2;
  double information = 0;
  for (std::size_t kind = 0; kind < kind_shares_.size(); ++kind) {
    const double sum = std::exp(half) + std::exp(-half) + kind_draws_[kind];
    const double win = std::exp(half) / sum;
    const double loss = std::exp(-half) / sum;
    information += kind_shares_[kind] * (win + loss - (win - loss) * (win - loss)) / 4;
  }
  return information;
}

Difference Ratings::Between(std::size_t first, std::size_t second) const {
  const Contrast contrast(first, second);
  const double value = contrast.Value(strengths_);
  const double error = contrast.Error(covariance_);
  Difference out{
      .rating = kEloPerStrength * value, .error = kEloPerStrength * error, .superiority = 0.5, .more_pairs = {}};
  if (error == 0) return out;
  out.superiority = NormalShare(value / error);
  // What is known about the difference is 1 / error^2. A pair adds what two games tell, less what a model that takes
  // games for independent overrates.
  const double overrated = std::pow(error / contrast.Error(model_), 2);
  const double known = 1 / (error * error);
  const double needed = std::pow(kNormalQuantile / value, 2);
  const double more = (needed - known) / (2 * InformationOfGame(first, second) / overrated);
  if (more <= 0) {
    out.more_pairs = 0;
  } else if (more <= static_cast<double>(kMaxMorePairs)) {  // false for infinity and NaN
    out.more_pairs = static_cast<std::uint64_t>(std::ceil(more));
  }
  return out;
}

}  // namespace openseat::arena

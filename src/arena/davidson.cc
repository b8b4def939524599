#include "arena/davidson.h"

#include <cmath>
#include <numeric>

#include "base/check.h"

namespace openseat::arena {
namespace {

constexpr double kDrawHalf = 0.5;   // games in each half of the prior of v
constexpr double kLongestStep = 4;  // of a strength; the likelihood is far from a parabola beyond
constexpr int kMaxSteps = 200;
constexpr int kMaxHalvings = 60;

// How often the first wins a game without draws, by the e^(t/2) of both.
double WinShare(double first, double second) {
  return first * first / (first * first + second * second);
}

// How often equals draw, by log v.
double DrawShare(double draw_log) {
  return 1 / (1 + 2 * std::exp(-draw_log));
}

}  // namespace

Davidson::Davidson(const Comparisons& comparisons, double prior)
    : comparisons_(comparisons),
      half_(prior / 2 / static_cast<double>(comparisons.agents)),
      strengths_(comparisons.agents, 0.0),
      draw_at_(comparisons.kinds, -1),
      exp_half_(comparisons.agents, 1.0) {
  for (const Comparisons::Cell& cell : comparisons.cells) {
    if (cell.score.draws > 0 && draw_at_[cell.kind] < 0) {
      draw_at_[cell.kind] = static_cast<std::ptrdiff_t>(draw_logs_.size());
      draw_logs_.push_back(0.0);
    }
    scores_.push_back(cell.score);
  }
  for (const Comparisons::Type& type : comparisons.types) type_weights_.push_back(static_cast<double>(type.count));
  for (std::uint32_t a = 0; half_ > 0 && a < comparisons.agents; ++a) {
    for (std::uint32_t b = a + 1; b < comparisons.agents; ++b) {
      prior_.push_back({a, b, half_});
      prior_.push_back({b, a, half_});
    }
  }
  gradient_.resize(size());
  information_ = Square(size());
}

void Davidson::Weigh(std::span<const double> types, std::span<const double> halves) {
  OPENSEAT_CHECK(types.size() == comparisons_.types.size() && halves.size() == prior_.size(),
                 "every type and every half has a weight");
  type_weights_.assign(types.begin(), types.end());
  for (std::size_t i = 0; i < halves.size(); ++i) prior_[i].games = halves[i];
  std::ranges::fill(scores_, PairScore());
  for (std::size_t i = 0; i < types.size(); ++i) {
    if (types[i] == 0) continue;
    for (const Comparisons::Share& share : comparisons_.types[i].shares) {
      PairScore& score = scores_[share.cell];
      score.wins += types[i] * share.score.wins;
      score.losses += types[i] * share.score.losses;
      score.draws += types[i] * share.score.draws;
    }
  }
}

double Davidson::v(std::size_t kind) const {
  return draw_at_[kind] < 0 ? 0 : std::exp(draw_logs_[static_cast<std::size_t>(draw_at_[kind])]);
}

Davidson::Expected Davidson::Expect(const Comparisons::Cell& cell) const {
  const double win = exp_half_[cell.first] / exp_half_[cell.second];
  const double loss = 1 / win;
  const double draw = v(cell.kind);
  const double sum = win + loss + draw;
  return {win / sum, loss / sum, draw / sum};
}

double Davidson::log_likelihood() const {
  double value = 0;
  for (std::size_t i = 0; i < scores_.size(); ++i) {
    const Expected expected = Expect(comparisons_.cells[i]);
    value += scores_[i].wins * std::log(expected.win) + scores_[i].losses * std::log(expected.loss);
    if (scores_[i].draws > 0) value += scores_[i].draws * std::log(expected.draw);
  }
  return value;
}

double Davidson::AddCells() {
  double value = 0;
  const std::size_t agents = strengths_.size();
  for (std::size_t i = 0; i < scores_.size(); ++i) {
    const Comparisons::Cell& cell = comparisons_.cells[i];
    const PairScore& score = scores_[i];
    const double games = score.games();
    if (games == 0) continue;
    const Expected expected = Expect(cell);
    // With d the difference of strengths and l = log v: log P(win) = d/2 - log sum, log P(draw) = l - log sum.
    const double difference = strengths_[cell.first] - strengths_[cell.second];
    value += (score.wins - score.losses) * difference / 2 + games * (std::log(expected.win) - difference / 2);
    const double lead = expected.win - expected.loss;
    const double slope = (score.wins - score.losses - games * lead) / 2;
    const double curve = games * (expected.win + expected.loss - lead * lead) / 4;
    gradient_[cell.first] += slope;
    gradient_[cell.second] -= slope;
    information_.at(cell.first, cell.first) += curve;
    information_.at(cell.second, cell.second) += curve;
    information_.at(cell.second, cell.first) -= curve;
    if (draw_at_[cell.kind] < 0) continue;
    const auto draw_at = static_cast<std::size_t>(draw_at_[cell.kind]);
    const std::size_t row = agents + draw_at;
    value += score.draws * draw_logs_[draw_at];
    gradient_[row] += score.draws - games * expected.draw;
    information_.at(row, cell.first) -= games * lead * expected.draw / 2;
    information_.at(row, cell.second) += games * lead * expected.draw / 2;
    information_.at(row, row) += games * expected.draw * (1 - expected.draw);
  }
  return value;
}

double Davidson::AddPrior() {
  double value = 0;
  for (const Half& half : prior_) {
    const double win = WinShare(exp_half_[half.winner], exp_half_[half.loser]);
    const double curve = half.games * win * (1 - win);
    value += half.games * std::log(win);
    gradient_[half.winner] += half.games * (1 - win);
    gradient_[half.loser] -= half.games * (1 - win);
    information_.at(half.winner, half.winner) += curve;
    information_.at(half.loser, half.loser) += curve;
    information_.at(std::max(half.winner, half.loser), std::min(half.winner, half.loser)) -= curve;
  }
  return value;
}

double Davidson::AddDrawPrior() {
  double value = 0;
  for (std::size_t i = 0; half_ > 0 && i < draw_logs_.size(); ++i) {
    const std::size_t row = strengths_.size() + i;
    const double draw = DrawShare(draw_logs_[i]);
    value += kDrawHalf * (std::log(draw) + std::log(1 - draw));
    gradient_[row] += kDrawHalf * (1 - 2 * draw);
    information_.at(row, row) += 2 * kDrawHalf * draw * (1 - draw);
  }
  return value;
}

double Davidson::Evaluate() {
  std::ranges::transform(strengths_, exp_half_.begin(), [](double strength) { return std::exp(strength / 2); });
  std::ranges::fill(gradient_, 0.0);
  information_.Clear();
  double value = AddCells();
  value += AddPrior();
  return value + AddDrawPrior();
}

void Davidson::Factor() {
  // The likelihood says nothing about the sum of the strengths. What is added here keeps it, and changes nothing else.
  double trace = 0;
  for (std::size_t i = 0; i < strengths_.size(); ++i) trace += information_.at(i, i);
  const double keep = trace / static_cast<double>(strengths_.size() * strengths_.size());
  for (std::size_t i = 0; i < strengths_.size(); ++i) {
    for (std::size_t j = 0; j <= i; ++j) information_.at(i, j) += keep;
  }
  for (std::size_t j = 0; j < size(); ++j) {
    for (std::size_t i = j; i < size(); ++i) {
      double sum = information_.at(i, j);
      for (std::size_t k = 0; k < j; ++k) sum -= information_.at(i, k) * information_.at(j, k);
      // Rounding can leave nothing of a tiny number.
      information_.at(i, j) = i == j ? std::sqrt(std::max(sum, 1e-300)) : sum / information_.at(j, j);
    }
  }
}

void Davidson::Solve(std::vector<double>& column) const {
  for (std::size_t i = 0; i < size(); ++i) {
    for (std::size_t k = 0; k < i; ++k) column[i] -= information_.at(i, k) * column[k];
    column[i] /= information_.at(i, i);
  }
  for (std::size_t i = size(); i-- > 0;) {
    for (std::size_t k = i + 1; k < size(); ++k) column[i] -= information_.at(k, i) * column[k];
    column[i] /= information_.at(i, i);
  }
}

void Davidson::Step(const std::vector<double>& step, double factor) {
  for (std::size_t i = 0; i < strengths_.size(); ++i) strengths_[i] += factor * step[i];
  for (std::size_t i = 0; i < draw_logs_.size(); ++i) draw_logs_[i] += factor * step[strengths_.size() + i];
}

bool Davidson::Fit(double tolerance) {
  double value = Evaluate();
  for (int steps = 0; steps < kMaxSteps; ++steps) {
    std::vector<double> step = gradient_;
    Factor();
    Solve(step);
    // Twice what the step would gain if the likelihood were a parabola.
    const double gain = std::inner_product(step.begin(), step.end(), gradient_.begin(), 0.0);
    if (gain <= 2 * tolerance) {
      Step(step, 1);
      Evaluate();
      return true;
    }
    double longest = 0;
    for (const double part : step) longest = std::max(longest, std::abs(part));
    double factor = longest > kLongestStep ? kLongestStep / longest : 1.0;
    Step(step, factor);
    double next = Evaluate();
    for (int halvings = 0; !(next >= value - 1e-12 * std::abs(value)) && halvings < kMaxHalvings; ++halvings) {
      factor /= 2;
      Step(step, -factor);
      next = Evaluate();
    }
    value = next;
  }
  return false;
}

Square Davidson::ModelCovariance() {
  Evaluate();
  Factor();
  Square covariance(size());
  std::vector<double> column(size());
  for (std::size_t i = 0; i < size(); ++i) {
    std::ranges::fill(column, 0.0);
    // A strength, less the mean of all.
    for (std::size_t k = 0; i < strengths_.size() && k < strengths_.size(); ++k) {
      column[k] = -1.0 / static_cast<double>(strengths_.size());
    }
    column[i] += 1;
    Solve(column);
    for (std::size_t k = 0; k < size(); ++k) covariance.at(i, k) = column[k];
  }
  return covariance;
}

Square Davidson::Scatter() const {
  Square scatter(size());
  std::vector<double> slopes(size(), 0.0);
  std::vector<std::size_t> touched;
  const auto add = [&](std::size_t at, double slope) {
    if (std::ranges::find(touched, at) == touched.end()) touched.push_back(at);
    slopes[at] += slope;
  };
  for (std::size_t i = 0; i < comparisons_.types.size(); ++i) {
    if (type_weights_[i] == 0) continue;
    for (const Comparisons::Share& share : comparisons_.types[i].shares) {
      const Comparisons::Cell& cell = comparisons_.cells[share.cell];
      const Expected expected = Expect(cell);
      const double games = share.score.games();
      const double slope = (share.score.wins - share.score.losses - games * (expected.win - expected.loss)) / 2;
      add(cell.first, slope);
      add(cell.second, -slope);
      if (draw_at_[cell.kind] < 0) continue;
      add(strengths_.size() + static_cast<std::size_t>(draw_at_[cell.kind]), share.score.draws - games * expected.draw);
    }
    for (const std::size_t row : touched) {
      for (const std::size_t column : touched)
        scatter.at(row, column) += type_weights_[i] * slopes[row] * slopes[column];
    }
    for (const std::size_t at : touched) slopes[at] = 0;
    touched.clear();
  }
  for (const Half& half : prior_) {
    const double loss = WinShare(exp_half_[half.loser], exp_half_[half.winner]);
    const double square = half.games * loss * loss;
    scatter.at(half.winner, half.winner) += square;
    scatter.at(half.loser, half.loser) += square;
    scatter.at(half.winner, half.loser) -= square;
    scatter.at(half.loser, half.winner) -= square;
  }
  for (std::size_t i = 0; half_ > 0 && i < draw_logs_.size(); ++i) {
    const double draw = DrawShare(draw_logs_[i]);
    const std::size_t row = strengths_.size() + i;
    scatter.at(row, row) += kDrawHalf * ((1 - draw) * (1 - draw) + draw * draw);
  }
  return scatter;
}

Square Davidson::ClusterCovariance() {
  const Square inverse = ModelCovariance();
  const Square scatter = Scatter();
  const auto product = [&](const Square& a, const Square& b) {
    Square out(size());
    for (std::size_t i = 0; i < size(); ++i) {
      for (std::size_t k = 0; k < size(); ++k) {
        for (std::size_t j = 0; j < size(); ++j) out.at(i, j) += a.at(i, k) * b.at(k, j);
      }
    }
    return out;
  };
  return product(product(inverse, scatter), inverse);
}

}  // namespace openseat::arena

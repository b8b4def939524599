#include "arena/davidson.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <string>
#include <vector>

namespace openseat::arena {
namespace {

using Cells = std::vector<Comparisons::Cell>;

// Independent games with these results; each weighs one.
Comparisons FromCells(std::size_t agents, Cells cells) {
  Comparisons out{.agents = agents, .kinds = 1, .clusters = 0, .cells = std::move(cells), .types = {}};
  for (std::uint32_t i = 0; i < out.cells.size(); ++i) {
    const PairScore score = out.cells[i].score;
    const std::array<std::pair<double, PairScore>, 3> kinds = {
        {{score.wins, {.wins = 1}}, {score.losses, {.losses = 1}}, {score.draws, {.draws = 1}}}};
    for (const auto& [count, one] : kinds) {
      if (count == 0) continue;
      out.types.push_back({.shares = {{i, one}}, .count = static_cast<std::uint64_t>(count)});
      out.clusters += static_cast<std::uint64_t>(count);
    }
  }
  return out;
}

// wins[i][j]: how often i beat j.
Comparisons FromWins(const std::vector<std::vector<double>>& wins) {
  Cells cells;
  for (std::uint32_t i = 0; i < wins.size(); ++i) {
    for (std::uint32_t j = i + 1; j < wins.size(); ++j) {
      if (wins[i][j] + wins[j][i] > 0) cells.push_back({i, j, 0, {wins[i][j], wins[j][i], 0}});
    }
  }
  return FromCells(wins.size(), std::move(cells));
}

double ErrorOf(const Square& covariance, std::size_t a) {
  return std::sqrt(covariance.at(a, a));
}
double ErrorOf(const Square& covariance, std::size_t a, std::size_t b) {
  return std::sqrt(covariance.at(a, a) + covariance.at(b, b) - 2 * covariance.at(a, b));
}

// The tables are maximum likelihood fits: those marked "published" agree with the source to its digits, the others were
// computed by two independent methods.

// Published: the worked example of the encyclopedia's article on the Bradley-Terry model.
TEST(DavidsonTest, FourPlayers) {
  const Comparisons games = FromWins({{0, 2, 0, 1}, {3, 0, 5, 0}, {0, 3, 0, 1}, {4, 0, 3, 0}});
  Davidson fit(games, 0);
  ASSERT_TRUE(fit.Fit());
  const Square covariance = fit.ModelCovariance();
  const std::array<double, 4> published = {0.640, 1.043, 0.660, 2.270};
  const std::array<double, 4> strengths = {-0.446545, 0.042403, -0.415803, 0.819946};
  const std::array<double, 4> errors = {0.548070, 0.481781, 0.520401, 0.621343};
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_NEAR(std::exp(fit.strengths()[i]), published[i], 5e-4);
    EXPECT_NEAR(fit.strengths()[i], strengths[i], 1e-6);
    EXPECT_NEAR(ErrorOf(covariance, i), errors[i], 1e-6);
  }
  EXPECT_NEAR(fit.log_likelihood(), -13.428450, 1e-6);
}

// Published by Stigler (1994): citations between statistical journals.
TEST(DavidsonTest, Citations) {
  enum : std::size_t { kBiometrika, kCommStat, kJasa, kJrssb };
  const Comparisons games = FromWins({{0, 730, 498, 221}, {33, 0, 68, 17}, {320, 813, 0, 142}, {284, 276, 325, 0}});
  Davidson fit(games, 0);
  ASSERT_TRUE(fit.Fit());
  const Square covariance = fit.ModelCovariance();
  const auto against_biometrika = [&](std::size_t i) { return fit.strengths()[i] - fit.strengths()[kBiometrika]; };
  EXPECT_NEAR(against_biometrika(kCommStat), -2.949072, 1e-6);
  EXPECT_NEAR(against_biometrika(kJasa), -0.479570, 1e-6);
  EXPECT_NEAR(against_biometrika(kJrssb), 0.268954, 1e-6);
  EXPECT_NEAR(ErrorOf(covariance, kCommStat, kBiometrika), 0.102545, 1e-6);
  EXPECT_NEAR(ErrorOf(covariance, kJasa, kBiometrika), 0.060589, 1e-6);
  EXPECT_NEAR(ErrorOf(covariance, kJrssb, kBiometrika), 0.070830, 1e-6);
  EXPECT_NEAR(fit.log_likelihood(), -1622.889809, 1e-5);
}

// Published by Agresti (Categorical Data Analysis): baseball, American League East, 1987.
TEST(DavidsonTest, Baseball) {
  // Home wins and losses of MIL DET TOR NY BOS CLE BAL against the others in this order.
  const std::vector<std::string> home = {"43 42 43 61 42 60", "33 42 43 60 61 43", "25 43 24 43 42 60",
                                         "33 51 25 43 42 61", "51 25 33 42 52 60", "25 33 34 43 42 24",
                                         "25 15 16 24 16 34"};
  std::vector<std::vector<double>> wins(7, std::vector<double>(7, 0.0));
  for (std::size_t team = 0; team < 7; ++team) {
    for (std::size_t n = 0; n < 6; ++n) {
      const std::size_t other = n < team ? n : n + 1;
      wins[team][other] += home[team][3 * n] - '0';
      wins[other][team] += home[team][3 * n + 1] - '0';
    }
  }
  const Comparisons games = FromWins(wins);
  Davidson fit(games, 0);
  ASSERT_TRUE(fit.Fit());
  const Square covariance = fit.ModelCovariance();
  const std::array<double, 6> published = {1.58, 1.44, 1.29, 1.25, 1.11, 0.68};
  const std::array<double, 6> errors = {0.343256, 0.339569, 0.336669, 0.335861, 0.333878, 0.331877};
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_NEAR(fit.strengths()[i] - fit.strengths()[6], published[i], 5e-3);
    EXPECT_NEAR(ErrorOf(covariance, i, 6), errors[i], 1e-6);
  }
  EXPECT_NEAR(fit.strengths()[0] - fit.strengths()[6], 1.581356, 1e-6);
  EXPECT_NEAR(fit.log_likelihood(), -172.248176, 1e-6);
}

TEST(DavidsonTest, SmallGraphs) {
  const Comparisons path = FromWins({{0, 2, 0}, {0, 0, 1}, {1, 0, 0}});
  Davidson fit(path, 0);
  ASSERT_TRUE(fit.Fit());
  EXPECT_NEAR(fit.strengths()[0], 0.419617624, 1e-9);
  EXPECT_NEAR(fit.strengths()[1], -0.419617624, 1e-9);
  EXPECT_NEAR(fit.strengths()[2], 0, 1e-9);
  const Comparisons cycle = FromWins({{0, 1, 0}, {0, 0, 1}, {1, 0, 0}});
  Davidson equal(cycle, 0);
  ASSERT_TRUE(equal.Fit());
  for (const double strength : equal.strengths()) EXPECT_NEAR(strength, 0, 1e-12);
}

TEST(DavidsonTest, Draws) {
  const std::array<PairScore, 6> scores = {{{6, 4, 5}, {9, 3, 3}, {11, 1, 3}, {7, 4, 4}, {8, 2, 5}, {6, 3, 6}}};
  Cells cells;
  Cells half_wins;
  for (std::uint32_t i = 0; i < 4; ++i) {
    for (std::uint32_t j = i + 1; j < 4; ++j) {
      const PairScore score = scores[cells.size()];
      cells.push_back({i, j, 0, score});
      half_wins.push_back({i, j, 0, {score.wins + score.draws / 2, score.losses + score.draws / 2, 0}});
    }
  }
  const Comparisons games = FromCells(4, cells);
  Davidson fit(games, 0);
  ASSERT_TRUE(fit.Fit());
  const Square covariance = fit.ModelCovariance();
  const std::array<double, 4> strengths = {0.985412, 0.374007, -0.317355, -1.042064};
  const std::array<double, 4> errors = {0.315995, 0.289851, 0.288720, 0.319943};
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_NEAR(fit.strengths()[i], strengths[i], 1e-6);
    EXPECT_NEAR(ErrorOf(covariance, i), errors[i], 1e-6);
  }
  EXPECT_NEAR(fit.v(0), 0.962799, 1e-6);
  EXPECT_NEAR(ErrorOf(covariance, 4), 0.245453, 1e-6);  // of log v
  EXPECT_NEAR(fit.log_likelihood(), -88.750825, 1e-6);

  // The same with each draw as half a win for both.
  const Comparisons halves = FromCells(4, half_wins);
  Davidson half(halves, 0);
  ASSERT_TRUE(half.Fit());
  const Square half_covariance = half.ModelCovariance();
  const std::array<double, 4> half_strengths = {0.657808, 0.250134, -0.212493, -0.695449};
  const std::array<double, 4> half_errors = {0.248437, 0.235295, 0.234756, 0.250515};
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_NEAR(half.strengths()[i], half_strengths[i], 1e-6);
    EXPECT_NEAR(ErrorOf(half_covariance, i), half_errors[i], 1e-6);
  }
  EXPECT_NEAR(half.v(0), 0, 0);
  EXPECT_NEAR(half.log_likelihood(), -55.678478, 1e-6);
}

// Six deals of two games each; the first agent's scores (1,1) (1,0) (1/2,1) (0,0) (1,1/2) (1,0), a draw as half a win.
TEST(DavidsonTest, GamesOfAClusterScatterTogether) {
  Comparisons games{.agents = 2, .kinds = 1, .clusters = 6, .cells = {{0, 1, 0, {7, 5, 0}}}, .types = {}};
  for (const double wins : {2.0, 1.0, 1.5, 0.0, 1.5, 1.0}) games.types.push_back({{{0, {wins, 2 - wins, 0}}}, 1});
  Davidson fit(games, 0);
  ASSERT_TRUE(fit.Fit());
  EXPECT_NEAR(fit.strengths()[0] - fit.strengths()[1], std::log(7.0 / 5), 1e-12);
  EXPECT_NEAR(ErrorOf(fit.ModelCovariance(), 0, 1), 0.585540, 1e-6);
  EXPECT_NEAR(ErrorOf(fit.ClusterCovariance(), 0, 1), 0.523723, 1e-6);
}

TEST(DavidsonTest, KindsCanWeighTheSame) {
  std::vector<RatedGame> games;
  const auto add = [&](std::uint32_t kind, std::uint32_t a, std::uint32_t b, int wins, int losses) {
    for (int n = 0; n < wins + losses; ++n) {
      games.push_back({.agents = {a, b}, .winners = {n < wins ? 0U : 1U}, .kind = kind, .cluster = games.size()});
    }
  };
  add(0, 0, 1, 60, 40);
  add(0, 0, 2, 70, 30);
  add(0, 1, 2, 55, 45);
  add(1, 0, 1, 1, 3);
  add(1, 0, 2, 2, 2);
  add(1, 1, 2, 3, 1);
  const Comparisons pooled = Compare(games, 3, 2);
  Davidson fit(pooled, 0);
  ASSERT_TRUE(fit.Fit());
  EXPECT_NEAR(fit.strengths()[0], 0.384066, 1e-6);
  EXPECT_NEAR(fit.strengths()[1], -0.039762, 1e-6);
  EXPECT_NEAR(fit.strengths()[2], -0.344304, 1e-6);
  const Comparisons equal = Compare(games, 3, 2, true);
  double weight = 0;
  for (const Comparisons::Cell& cell : equal.cells) weight += cell.score.games();
  EXPECT_NEAR(weight, 312, 1e-9);
  Davidson equal_fit(equal, 0);
  ASSERT_TRUE(equal_fit.Fit());
  EXPECT_NEAR(equal_fit.strengths()[0], 0.034228, 1e-6);
  EXPECT_NEAR(equal_fit.strengths()[1], 0.307884, 1e-6);
  EXPECT_NEAR(equal_fit.strengths()[2], -0.342113, 1e-6);
}

// Firth's estimate for x wins in n games: log((x + 1/2) / (n - x + 1/2)).
TEST(DavidsonTest, ThePriorOfTwoAgentsIsFirths) {
  for (const double wins : {10.0, 7.0, 5.0, 0.0}) {
    const Comparisons games = FromWins({{0, wins}, {10 - wins, 0}});
    Davidson fit(games, 2);
    ASSERT_TRUE(fit.Fit());
    EXPECT_NEAR(fit.strengths()[0] - fit.strengths()[1], std::log((wins + 0.5) / (10.5 - wins)), 1e-9) << wins;
  }
  const Comparisons perfect = FromWins({{0, 10}, {0, 0}});
  Davidson fit(perfect, 2);
  ASSERT_TRUE(fit.Fit());
  EXPECT_NEAR(fit.strengths()[0] - fit.strengths()[1], 3.0445, 5e-5);
}

TEST(DavidsonTest, ThePriorMakesEverythingFinite) {
  // 0 beats 1 always, 2 and 3 know only each other and always draw, 4 never played.
  const Comparisons games = FromCells(
      5, {{0, 1, 0, {.wins = 1000}}, {2, 3, 1, {.draws = 50}}, {0, 1, 2, {.wins = 3, .losses = 0, .draws = 1}}});
  Comparisons kinds = games;
  kinds.kinds = 3;
  Davidson fit(kinds, 1);
  ASSERT_TRUE(fit.Fit());
  EXPECT_GT(fit.strengths()[0] - fit.strengths()[1], 5);
  EXPECT_LT(fit.strengths()[0] - fit.strengths()[1], 15);
  EXPECT_NEAR(fit.strengths()[2], fit.strengths()[3], 1e-9);
  EXPECT_NEAR(fit.strengths()[4], 0, 1e-9);
  EXPECT_GT(fit.v(1), 10);
  EXPECT_LT(fit.v(1), 1000);
  const Square model = fit.ModelCovariance();
  const Square cluster = fit.ClusterCovariance();
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_TRUE(std::isfinite(ErrorOf(model, i)));
    EXPECT_TRUE(std::isfinite(ErrorOf(cluster, i)));
    EXPECT_GT(ErrorOf(cluster, i), 0.1) << i;
  }
}

// Far from the answer, Newton's whole steps go astray.
TEST(DavidsonTest, FindsTheFitFromAnywhere) {
  const Comparisons games = FromCells(3, {{0, 1, 0, {400, 1, 3}}, {1, 2, 0, {300, 2, 1}}});
  Davidson fit(games, 1);
  ASSERT_TRUE(fit.Fit());
  const std::vector<double> first = fit.strengths();
  const std::vector<double> types(games.types.size(), 0.0);
  const std::vector<double> opposite = {1e-9, 50, 1e-9, 50, 1e-9, 50};
  fit.Weigh(types, opposite);
  ASSERT_TRUE(fit.Fit());
  EXPECT_LT(fit.strengths()[0], fit.strengths()[2] - 20);
  std::vector<double> counts;
  for (const Comparisons::Type& type : games.types) counts.push_back(static_cast<double>(type.count));
  fit.Weigh(counts, std::vector<double>(6, fit.half()));
  ASSERT_TRUE(fit.Fit());
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(fit.strengths()[i] - fit.strengths()[0], first[i] - first[0], 1e-6);
}

TEST(ComparisonsTest, CountsGamesFromTheFirstAgentsView) {
  const std::vector<RatedGame> games = {
      {.agents = {1, 0}, .winners = {0}, .cluster = 7},  // 1 beats 0
      {.agents = {0, 1}, .winners = {0}, .cluster = 8}, {.agents = {0, 1}, .winners = {}, .cluster = 7},
      {.agents = {1, 0}, .winners = {1}, .cluster = 8}, {.agents = {0, 1}, .winners = {0}, .cluster = 9},
      {.agents = {0, 1}, .winners = {0}, .cluster = 9}, {.agents = {1, 1}, .winners = {0}, .cluster = 10},
  };
  const Comparisons out = Compare(games, 2, 1);
  ASSERT_EQ(out.cells.size(), 1U);
  EXPECT_EQ(out.cells[0].score.wins, 4);
  EXPECT_EQ(out.cells[0].score.losses, 1);
  EXPECT_EQ(out.cells[0].score.draws, 1);
  EXPECT_EQ(out.clusters, 3U);
  // Clusters 8 and 9 are of one type.
  ASSERT_EQ(out.types.size(), 2U);
  EXPECT_EQ(out.types[0].count + out.types[1].count, 3U);
}

TEST(ComparisonsTest, MoreSeatsArePairs) {
  const std::vector<RatedGame> games = {{.agents = {2, 0, 1, 3}, .winners = {0, 2}}};  // 2 and 1 win
  const Comparisons out = Compare(games, 4, 1);
  ASSERT_EQ(out.types.size(), 1U);
  ASSERT_EQ(out.cells.size(), 5U);  // 0 and 3 both lost: nothing is known about them
  const auto score = [&](std::uint32_t first, std::uint32_t second) {
    for (const Comparisons::Cell& cell : out.cells) {
      if (cell.first == first && cell.second == second) return cell.score;
    }
    return PairScore();
  };
  EXPECT_EQ(score(0, 1).losses, 1);
  EXPECT_EQ(score(0, 2).losses, 1);
  EXPECT_EQ(score(1, 2).draws, 1);
  EXPECT_EQ(score(1, 3).wins, 1);
  EXPECT_EQ(score(2, 3).wins, 1);
  const std::vector<RatedGame> draw = {{.agents = {0, 1, 2}, .winners = {}}};
  EXPECT_EQ(Compare(draw, 3, 1).cells.size(), 3U);
}

}  // namespace
}  // namespace openseat::arena

#include "arena/ratings.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace openseat::arena {
namespace {

// Mirrored pairs between agents of known strengths. In a share `together` of all pairs, the second game repeats the
// first's result: the deal decides both.
struct Tournament {
  std::vector<double> strengths;
  double v = 0.5;
  double together = 0.3;
  int pairs = 10;
};

std::vector<RatedGame> PlayTournament(const Tournament& tournament, Rng& rng) {
  std::vector<RatedGame> games;
  std::uint64_t cluster = 0;
  const auto agents = static_cast<std::uint32_t>(tournament.strengths.size());
  for (std::uint32_t a = 0; a < agents; ++a) {
    for (std::uint32_t b = a + 1; b < agents; ++b) {
      const double half = (tournament.strengths[a] - tournament.strengths[b]) / 2;
      const double sum = std::exp(half) + std::exp(-half) + tournament.v;
      for (int pair = 0; pair < tournament.pairs; ++pair, ++cluster) {
        SeatSet first;
        for (int game = 0; game < 2; ++game) {
          SeatSet winners;
          const double u = rng.Unit() * sum;
          if (u < std::exp(half)) {
            winners = {0};
          } else if (u < std::exp(half) + std::exp(-half)) {
            winners = {1};
          }
          if (game == 1 && rng.Chance(tournament.together)) winners = first;
          first = winners;
          games.push_back({.agents = {a, b}, .winners = winners, .kind = 0, .cluster = cluster});
        }
      }
    }
  }
  return games;
}

// Strengths evenly from the weakest to the strongest, that many Elo apart; their sum is 0.
std::vector<double> EvenStrengths(std::size_t agents, double elo) {
  std::vector<double> strengths;
  for (std::size_t i = 0; i < agents; ++i) {
    const double place = static_cast<double>(i) / static_cast<double>(agents - 1) - 0.5;
    strengths.push_back(place * elo / kEloPerStrength);
  }
  return strengths;
}

// The share of intervals that contain the true rating, over all agents of many tournaments.
double Coverage(const Tournament& tournament, int tournaments, std::size_t resamples) {
  Rng rng(20261123);
  int covered = 0;
  for (int n = 0; n < tournaments; ++n) {
    const std::size_t agents = tournament.strengths.size();
    const Comparisons games = Compare(PlayTournament(tournament, rng), agents, 1);
    const Ratings ratings(games, {.resamples = resamples, .seed = rng.Next()});
    for (std::size_t i = 0; i < agents; ++i) {
      const double truth = kMeanRating + kEloPerStrength * tournament.strengths[i];
      const Rating& rating = ratings.agents()[i];
      if (rating.low <= truth && truth <= rating.high) ++covered;
    }
  }
  return covered / static_cast<double>(tournaments) / static_cast<double>(tournament.strengths.size());
}

TEST(RatingsTest, IntervalsCoverTheTruth) {
  const double coverage = Coverage({.strengths = EvenStrengths(8, 700), .pairs = 10}, 200, 300);
  EXPECT_GE(coverage, 0.93);
  EXPECT_LE(coverage, 0.97);
}

// Few games, strong agents that win almost all of them, and two agents alone: where other intervals are too short.
TEST(RatingsTest, IntervalsCoverTheTruthInHardCases) {
  const std::vector<Tournament> cases = {
      {.strengths = EvenStrengths(8, 1400), .v = 0.5, .together = 0.3, .pairs = 5},
      {.strengths = EvenStrengths(8, 700), .v = 0.5, .together = 1, .pairs = 5},
      {.strengths = EvenStrengths(3, 600), .v = 0.1, .together = 0.3, .pairs = 10},
      {.strengths = EvenStrengths(8, 500), .v = 2, .together = 0, .pairs = 20},
  };
  for (const Tournament& hard : cases) {
    const double coverage = Coverage(hard, 100, 200);
    EXPECT_GE(coverage, 0.92) << hard.strengths.size() << " agents, " << hard.pairs << " pairs";
    EXPECT_LE(coverage, 0.98) << hard.strengths.size() << " agents, " << hard.pairs << " pairs";
  }
}

TEST(RatingsTest, TheSameGamesGiveTheSameRatings) {
  Rng rng(1);
  const Comparisons games = Compare(PlayTournament({.strengths = EvenStrengths(4, 300)}, rng), 4, 1);
  const Ratings first(games, {.resamples = 100});
  const Ratings again(games, {.resamples = 100});
  const Ratings other(games, {.resamples = 100, .seed = 1});
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(first.agents()[i].low, again.agents()[i].low);
    EXPECT_EQ(first.agents()[i].high, again.agents()[i].high);
    EXPECT_EQ(first.agents()[i].rating, other.agents()[i].rating);
    EXPECT_NE(first.agents()[i].low, other.agents()[i].low);
  }
}

TEST(RatingsTest, AreMeasuredFromTheMeanOrAnAnchor) {
  Rng rng(2);
  const Comparisons games = Compare(PlayTournament({.strengths = EvenStrengths(4, 400)}, rng), 4, 1);
  const Ratings mean(games, {.resamples = 100});
  const Ratings anchored(games, {.anchor = 2, .base = 1000, .resamples = 100});
  double sum = 0;
  for (const Rating& rating : mean.agents()) sum += rating.rating;
  EXPECT_NEAR(sum / 4, 1500, 1e-9);
  const double shift = 1000 - mean.agents()[2].rating;
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_NEAR(anchored.agents()[i].rating, mean.agents()[i].rating + shift, 1e-9);
    EXPECT_GT(mean.agents()[i].width(), 0);
  }
  EXPECT_EQ(anchored.agents()[2].rating, 1000);
  EXPECT_EQ(anchored.agents()[2].width(), 0);
  EXPECT_GT(anchored.agents()[0].width(), 50);
}

std::vector<RatedGame> Results(int wins, int losses) {
  std::vector<RatedGame> games;
  for (int n = 0; n < wins + losses; ++n) {
    games.push_back({.agents = {0, 1}, .winners = {n < wins ? 0U : 1U}, .cluster = static_cast<std::uint64_t>(n / 2)});
  }
  return games;
}

TEST(RatingsTest, APerfectScoreIsNotCertain) {
  const Ratings ratings(Compare(Results(20, 0), 2, 1), {.resamples = 500});
  const Difference difference = ratings.Between(0, 1);
  EXPECT_GT(difference.rating, 400);
  EXPECT_LT(difference.rating, 1000);
  EXPECT_GT(difference.superiority, 0.95);
  EXPECT_LT(difference.superiority, 1);
  EXPECT_GT(ratings.agents()[0].width(), 200);
  EXPECT_LT(ratings.agents()[0].width(), 2000);
}

TEST(RatingsTest, AgentsThatNeverMetHaveWideIntervals) {
  std::vector<RatedGame> games = Results(40, 20);
  for (RatedGame game : Results(40, 20)) {
    game.agents = {2, 3};
    game.cluster += 1000;
    games.push_back(game);
  }
  const Ratings ratings(Compare(games, 4, 1), {.resamples = 200});
  EXPECT_NEAR(ratings.agents()[0].rating, ratings.agents()[2].rating, 1e-6);
  const Difference met = ratings.Between(0, 1);
  const Difference strangers = ratings.Between(0, 2);
  EXPECT_LT(met.error, 70);
  EXPECT_GT(strangers.error, 200);
  EXPECT_NEAR(strangers.superiority, 0.5, 1e-6);
  EXPECT_EQ(strangers.more_pairs, std::nullopt);
}

// Independent games, 55 % of them won: n games give a standard error of 1 / sqrt(n p (1 - p)), and settle the
// difference when 1.96 times that is smaller.
TEST(RatingsTest, SaysHowManyMorePairsWouldSettle) {
  std::vector<RatedGame> games = Results(110, 90);
  for (std::size_t i = 0; i < games.size(); ++i) games[i].cluster = i;
  const Difference difference = Ratings(Compare(games, 2, 1), {.resamples = 10}).Between(0, 1);
  EXPECT_NEAR(difference.rating, kEloPerStrength * std::log(110.25 / 90.25), 1e-6);
  EXPECT_NEAR(difference.error, kEloPerStrength / std::sqrt(200 * 0.55 * 0.45), 0.2);
  const double x = 1.96 * difference.error / difference.rating;
  ASSERT_TRUE(difference.more_pairs.has_value());
  EXPECT_NEAR(static_cast<double>(*difference.more_pairs), 200 * (x * x - 1) / 2, 2);
  EXPECT_EQ(Ratings(Compare(Results(130, 70), 2, 1), {.resamples = 10}).Between(0, 1).more_pairs, 0U);
}

TEST(RatingsTest, OneAgentIsItsOwnMean) {
  const Ratings alone(Compare({}, 1, 0), {.resamples = 10});
  EXPECT_EQ(alone.agents()[0].rating, 1500);
  EXPECT_EQ(alone.agents()[0].width(), 0);
}

TEST(RatingsTest, GammaVariatesHaveTheirMeanAndVariance) {
  Rng rng(3);
  for (const double shape : {0.125, 0.5, 1.0, 4.0}) {
    constexpr int kDraws = 40'000;
    double sum = 0;
    double squares = 0;
    for (int n = 0; n < kDraws; ++n) {
      const double x = DrawGamma(rng, shape);
      sum += x;
      squares += x * x;
    }
    const double mean = sum / kDraws;
    EXPECT_NEAR(mean, shape, 5 * std::sqrt(shape / kDraws)) << shape;
    EXPECT_NEAR((squares / kDraws - mean * mean) / shape, 1, 0.1) << shape;
  }
}

}  // namespace
}  // namespace openseat::arena

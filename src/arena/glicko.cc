#include "arena/glicko.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace openseat::arena {
namespace {

constexpr double kScale = 173.7178;  // as in the paper
constexpr double kNewDeviation = GlickoRating().deviation;
constexpr double kConverged = 1e-6;

// Step 3: how much a game against an opponent of this deviation counts.
double Reliability(double deviation) {
  return 1 / std::sqrt(1 + 3 * deviation * deviation / (std::numbers::pi * std::numbers::pi));
}

// Step 5: the volatility that makes the surprise `delta` most likely, by the Illinois method.
double NewVolatility(double volatility, double deviation, double variance, double delta, double tau) {
  const double start = std::log(volatility * volatility);
  const auto f = [&](double x) {
    const double total = deviation * deviation + variance + std::exp(x);
    return std::exp(x) * (delta * delta - total) / (2 * total * total) - (x - start) / (tau * tau);
  };
  double a = start;
  double b = 0;
  if (delta * delta > deviation * deviation + variance) {
    b = std::log(delta * delta - deviation * deviation - variance);
  } else {
    double steps = 1;
    while (f(start - steps * tau) < 0) ++steps;
    b = start - steps * tau;
  }
  double f_a = f(a);
  double f_b = f(b);
  while (std::abs(b - a) > kConverged) {
    const double c = a + (a - b) * f_a / (f_b - f_a);
    const double f_c = f(c);
    if (f_c * f_b <= 0) {
      a = b;
      f_a = f_b;
    } else {
      f_a /= 2;
    }
    b = c;
    f_b = f_c;
  }
  return std::exp(a / 2);
}

}  // namespace

GlickoRating AfterPeriod(const GlickoRating& before, std::span<const GlickoGame> games, double tau) {
  // Step 2.
  const double mu = (before.rating - 1500) / kScale;
  const double phi = before.deviation / kScale;
  GlickoRating after = before;
  if (games.empty()) {
    after.deviation = std::min(kNewDeviation, kScale * std::hypot(phi, before.volatility));
    return after;
  }
  // Steps 3 and 4.
  double information = 0;
  double surprise = 0;
  for (const GlickoGame& game : games) {
    const double g = Reliability(game.opponent.deviation / kScale);
    const double expected = 1 / (1 + std::exp(-g * (mu - (game.opponent.rating - 1500) / kScale)));
    information += g * g * expected * (1 - expected);
    surprise += g * (game.score - expected);
  }
  const double variance = 1 / information;
  after.volatility = NewVolatility(before.volatility, phi, variance, variance * surprise, tau);
  // Steps 6 to 8.
  const double phi_star = std::hypot(phi, after.volatility);
  const double phi_new = 1 / std::sqrt(1 / (phi_star * phi_star) + information);
  after.deviation = std::min(kNewDeviation, kScale * phi_new);
  after.rating = before.rating + kScale * phi_new * phi_new * surprise;
  return after;
}

}  // namespace openseat::arena

// Glicko-2: ratings that are carried from period to period, for a standing pool whose agents do not all play in each.
// By Glickman, "Example of the Glicko-2 system" (2012), with his numbers of the steps. Pure; any thread.
#pragma once

#include <span>

namespace openseat::arena {

struct GlickoRating {
  double rating = 1500;
  double deviation = 350;    // standard deviation of the rating; the 95 % interval is about twice this to each side
  double volatility = 0.06;  // how much the strength itself changes
};

// One game against an opponent as rated before the period.
struct GlickoGame {
  GlickoRating opponent;
  double score = 0;  // 1 won, 0.5 drawn, 0 lost
};

inline constexpr double kGlickoTau = 0.5;  // how fast volatility changes: 0.3 to 1.2

// The rating after a period with these games. Without any, only the deviation grows, up to that of a new agent.
GlickoRating AfterPeriod(const GlickoRating& before, std::span<const GlickoGame> games, double tau = kGlickoTau);

}  // namespace openseat::arena

// Standings: tables of ratings and figures from the games of one or more runs, over all games and for each kind of
// game. Pure; any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "arena/game_line.h"
#include "arena/ratings.h"
#include "base/result.h"

namespace openseat::arena {

struct StandingsOptions {
  std::string anchor = {};    // an agent; "": none
  double base = kMeanRating;  // the anchor's rating, or the mean
  bool equal_games = false;   // each kind of game weighs the same in the table over all
  std::size_t resamples = kResamples;
  std::uint64_t seed = 0;
  // Called again and again with the share of the work that is done, up to 1; may be empty. 200 agents take a while.
  std::function<void(double share)> on_progress = {};
};

struct AgentStanding {
  std::string agent;
  std::optional<Rating> rating;  // nullopt without a game that counts against another agent
  std::uint64_t rank = 0;        // 1 + the number of agents whose interval is above this one's; 0 without a rating
  std::uint64_t games = 0;       // that count; a game against itself counts for each seat
  std::uint64_t wins = 0;
  std::uint64_t draws = 0;
  std::uint64_t losses = 0;
  std::uint64_t forfeits = 0;  // among the losses
  std::uint64_t voids = 0;     // not among the games
  SeatFigures figures;         // sums over the games that count
};

struct PairStanding {
  std::size_t first = 0;  // in StandingsTable::agents
  std::size_t second = 0;
  PairScore score;  // of games against each other
  Difference difference;
};

struct StandingsTable {
  std::vector<AgentStanding> agents;  // by rating, highest first; without a rating last
  std::vector<PairStanding> pairs;    // every two agents with ratings; the first is the higher one
};

struct Standings {
  struct OfGame {
    std::string game_id;
    StandingsTable table;
  };
  StandingsOptions options;
  StandingsTable all;
  std::vector<OfGame> games;  // as they first appear
};

// Pairs of different runs are different pairs; agents with the same name are the same agent. Errors: kInvalid for an
// anchor without a rating; kTooLarge for more than kMaxRatedAgents agents.
Result<Standings> MakeStandings(std::span<const std::vector<GameLine>> runs, const StandingsOptions& options);

}  // namespace openseat::arena

// The contract of every hosted game (core/game.h), checked by playing at random: one call in a game's test.
//
//   EXPECT_EQ(testing::CheckGame(*MakeTicTacToe()), testing::Conforms());
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/json.h"
#include "core/game.h"

namespace openseat::testing {

struct ConformanceOptions {
  json::Value options{};           // of the games played
  int games = 30;                  // each with a seed of its own
  int max_choices = 400;           // per game; the game need not have ended by then
  int fuzzed_choices = 12;         // tried by each seat at each state
  std::size_t moves_tried = 8;     // for each seat at each state, at random
  int fuzzed_saves = 4;            // at each state
  int played_on = 50;              // choices after a restored state or a sample
  double played_to_the_end = 0.2;  // how many of the samples are played on until they are over
  std::size_t max_complaints = 8;  // gives up after this many
};

// Complaints, each with the game's seed and the choices before it; empty: the game conforms. Plays `games` games at
// random and checks at every state that
//   - clones, assigned and restored states are equal and look alike, and observing or asking changes nothing;
//   - moves and choices agree, and exactly the legal choices validate, even among random and almost valid ones;
//   - the error says what is wrong in the contract's order;
//   - an action's schema accepts exactly the legal choices, and says that data is an object;
//   - no seat sees a choice of another seat before all awaited seats have chosen;
//   - a sample (GameState::Sample) looks the same to its seat, is a state like any other, can be played on to the end,
//   and
//     does not depend on what its seat cannot see;
//   - the outcome exists exactly when nobody is awaited, and fits its scores;
// and that the same choices lead to the same state, and that arbitrary options, names and saved states are refused or
// make states that pass all of these checks.
std::vector<std::string> CheckGame(const Game& game, const ConformanceOptions& options = {});

inline std::vector<std::string> Conforms() {
  return {};
}

}  // namespace openseat::testing

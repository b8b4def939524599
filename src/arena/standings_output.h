// Standings for others: ratings.json and ratings.csv (docs/formats/ratings.md), and the table on a terminal. Pure; any
// thread.
#pragma once

#include <string>

#include "arena/standings.h"
#include "base/json.h"

namespace openseat::arena {

inline constexpr const char* kRatingsFile = "ratings.json";  // in a run's folder
inline constexpr const char* kRatingsCsv = "ratings.csv";
inline constexpr const char* kRatingsFormat = "openseat-ratings";
inline constexpr int kRatingsVersion = 1;

json::Object ToJson(const Standings& standings);

// The table over all games, one for each kind of game if there are several, and how many more pairs would settle who is
// better where that is open.
std::string StandingsText(const Standings& standings);

// The agents of the table over all games, one a line, for spreadsheets; the first line names the columns.
std::string StandingsCsv(const Standings& standings);

}  // namespace openseat::arena

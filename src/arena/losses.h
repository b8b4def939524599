// Losses: how much win probability each agent gave away by its choices, on average, with an interval. Choices of one
// game depend on each other, so whole games are the units. A plain value; any thread.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "arena/analysis.h"
#include "arena/game_line.h"

namespace openseat::arena {

struct MeanLoss {
  std::uint64_t choices = 0;
  double mean = 0;                   // a choice
  std::optional<double> half_width;  // of its 95 % interval; nullopt for less than two games
};

// Who has no name as an agent.
inline constexpr std::string_view kPerson = "a person";

class Losses {
 public:
  // The decisions of one game between these agents (by seat; "": a person). Forced ones, and those without a loss, do
  // not count.
  void Add(const std::vector<std::string>& agents, const std::vector<JudgedDecision>& decisions);
  // The result of that game, for TellApart.
  void AddResult(const GameLine& line);

  struct Agent {
    std::string name;
    MeanLoss all;
    std::array<MeanLoss, kPhases> phases;
    std::array<std::uint64_t, 4> marks{};  // by Mark
  };
  // By mean loss, the lowest first.
  std::vector<Agent> Table() const;

  // How many games it takes, about, until the 95 % interval of the difference between two agents leaves 0 out.
  struct Apart {
    std::string better;
    std::string worse;
    std::optional<double> games_by_loss;
    std::optional<double> games_by_result;  // nullopt: no difference, or too few games
  };
  // For two agents; else nullopt.
  std::optional<Apart> TellApart() const;

 private:
  struct Sum {
    double loss = 0;
    std::uint64_t choices = 0;
  };
  struct Sums {
    std::map<std::size_t, std::array<Sum, kPhases>> games;  // by the number of the game
    std::array<std::uint64_t, 4> marks{};
  };
  static Sum Whole(const std::array<Sum, kPhases>& game);
  static MeanLoss MeanOf(const std::vector<Sum>& games);

  std::size_t games_ = 0;  // that were added
  std::map<std::string, Sums> agents_;
  std::vector<std::map<std::string, double>> results_;  // of each game
};

json::Object ToJson(const MeanLoss& loss);
json::Object ToJson(const Losses::Agent& agent);

}  // namespace openseat::arena

#include "arena/losses.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace openseat::arena {
namespace {

constexpr double kNormal95 = 1.959964;

// How many such differences it takes until the interval of their mean leaves 0 out.
std::optional<double> NeededFor(const std::vector<double>& differences) {
  const auto count = static_cast<double>(differences.size());
  if (count < 2) return std::nullopt;
  double mean = 0;
  for (const double difference : differences) mean += difference / count;
  double variance = 0;
  for (const double difference : differences) variance += (difference - mean) * (difference - mean) / (count - 1);
  if (mean == 0) return std::nullopt;
  return std::max(2.0, kNormal95 * kNormal95 * variance / (mean * mean));
}

}  // namespace

void Losses::Add(const std::vector<std::string>& agents, const std::vector<JudgedDecision>& decisions) {
  for (const std::string& name : std::set<std::string>(agents.begin(), agents.end())) {
    Sums& sums = agents_[name.empty() ? std::string(kPerson) : name];
    std::array<Sum, kPhases>& game = sums.games[games_];
    for (const JudgedDecision& decision : decisions) {
      if (decision.forced || !decision.taken || decision.seat >= agents.size() || agents[decision.seat] != name)
        continue;
      Sum& sum = game[static_cast<std::size_t>(decision.phase)];
      sum.loss += decision.loss;
      ++sum.choices;
      ++sums.marks[static_cast<std::size_t>(decision.mark)];
    }
  }
  ++games_;
}

void Losses::AddResult(const GameLine& line) {
  if (line.result == GameResult::kVoid) return;
  std::map<std::string, double> result;
  for (SeatIndex seat = 0; seat < line.seats.size(); ++seat) {
    const double drawn = line.result == GameResult::kDraw ? 0.5 : 0;
    result[line.seats[seat]] += line.Won(seat) ? 1 : drawn;
  }
  results_.push_back(std::move(result));
}

Losses::Sum Losses::Whole(const std::array<Sum, kPhases>& game) {
  Sum sum;
  for (const Sum& phase : game) {
    sum.loss += phase.loss;
    sum.choices += phase.choices;
  }
  return sum;
}

MeanLoss Losses::MeanOf(const std::vector<Sum>& games) {
  MeanLoss mean;
  double loss = 0;
  for (const Sum& game : games) {
    loss += game.loss;
    mean.choices += game.choices;
  }
  if (mean.choices == 0) return mean;
  const auto count = static_cast<double>(mean.choices);
  mean.mean = loss / count;
  const auto units = static_cast<double>(games.size());
  if (units < 2) return mean;
  double squares = 0;
  for (const Sum& game : games) {
    const double off = game.loss - mean.mean * static_cast<double>(game.choices);
    squares += off * off;
  }
  mean.half_width = kNormal95 * std::sqrt(squares * units / (units - 1)) / count;
  return mean;
}

std::vector<Losses::Agent> Losses::Table() const {
  std::vector<Agent> table;
  for (const auto& [name, sums] : agents_) {
    Agent& agent = table.emplace_back(Agent{name, {}, {}, sums.marks});
    std::vector<Sum> all;
    for (const auto& [number, game] : sums.games) all.push_back(Whole(game));
    for (std::size_t phase = 0; phase < kPhases; ++phase) {
      std::vector<Sum> part;
      for (const auto& [number, game] : sums.games) part.push_back(game[phase]);
      agent.phases[phase] = MeanOf(part);
    }
    agent.all = MeanOf(all);
  }
  std::ranges::stable_sort(table, {}, [](const Agent& agent) { return agent.all.mean; });
  return table;
}

std::optional<Losses::Apart> Losses::TellApart() const {
  if (agents_.size() != 2) return std::nullopt;
  const std::vector<Agent> table = Table();
  Apart apart{table[0].name, table[1].name, {}, {}};
  const auto loss_of = [](const std::array<Sum, kPhases>& game) {
    const Sum sum = Whole(game);
    return sum.loss / static_cast<double>(std::max<std::uint64_t>(sum.choices, 1));
  };
  std::vector<double> losses;
  const auto& better = agents_.at(apart.better).games;
  const auto& worse = agents_.at(apart.worse).games;
  for (const auto& [number, game] : worse) {
    const auto same = better.find(number);
    if (same != better.end()) losses.push_back(loss_of(game) - loss_of(same->second));
  }
  std::vector<double> results;
  for (const std::map<std::string, double>& result : results_) {
    if (result.size() == 2) results.push_back(result.at(apart.better) - result.at(apart.worse));
  }
  apart.games_by_loss = NeededFor(losses);
  apart.games_by_result = NeededFor(results);
  return apart;
}

json::Object ToJson(const MeanLoss& loss) {
  return {{"choices", loss.choices},
          {"loss", RoundTo(loss.mean, 1e6)},
          {"interval", loss.half_width ? json::Value(RoundTo(*loss.half_width, 1e6)) : json::Value()}};
}

json::Object ToJson(const Losses::Agent& agent) {
  json::Object written = ToJson(agent.all);
  written["agent"] = agent.name;
  json::Object phases;
  for (std::size_t phase = 0; phase < kPhases; ++phase) {
    phases[PhaseName(static_cast<Phase>(phase))] = ToJson(agent.phases[phase]);
  }
  written["phases"] = std::move(phases);
  for (const Mark mark : {Mark::kInaccuracy, Mark::kMistake, Mark::kBlunder}) {
    written[MarkName(mark)] = agent.marks[static_cast<std::size_t>(mark)];
  }
  return written;
}

}  // namespace openseat::arena

#include "arena/rounds.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <utility>

namespace openseat::arena {
namespace {

constexpr int kMostTries = 4;                   // of a knockout match, before the one named first goes on
constexpr std::size_t kPairingSteps = 100'000;  // in the search for a round without rematches

struct RoundMatch {
  std::size_t first = 0;
  std::size_t second = 0;
  std::int64_t lead = 0;  // wins of the first, less those of the second
  int tries = 0;
};

// Plays matches: as deals, and back from their results.
class MatchPlanner : public Planner {
 public:
  MatchPlanner(std::size_t agents, std::size_t kinds, std::uint64_t pairs)
      : agents_(agents), kinds_(kinds), pairs_(pairs) {}

 protected:
  void Play(std::size_t match, std::vector<Deal>& batch) {
    ++matches_[match].tries;
    for (std::uint64_t pair = 0; pair < pairs_; ++pair) {
      for (std::size_t kind = 0; kind < kinds_; ++kind) {
        batch.push_back(
            {.kind = static_cast<std::uint32_t>(kind), .agents = {matches_[match].first, matches_[match].second}});
        match_of_deal_.push_back(match);
      }
    }
  }
  void CountLeads(std::span<const RatedGame> games) {
    for (RoundMatch& match : matches_) match.lead = 0;
    for (const RatedGame& game : games) {
      RoundMatch& match = matches_[match_of_deal_[game.cluster]];
      for (const SeatIndex seat : game.winners) match.lead += game.agents[seat] == match.first ? 1 : -1;
    }
  }

  const std::size_t agents_;
  const std::size_t kinds_;
  const std::uint64_t pairs_;
  std::vector<RoundMatch> matches_;  // all, by number

 private:
  std::vector<std::size_t> match_of_deal_;
};

class SwissPlanner : public MatchPlanner {
 public:
  SwissPlanner(std::size_t agents, std::size_t kinds, std::uint64_t pairs)
      : MatchPlanner(agents, kinds, pairs),
        rounds_(static_cast<std::size_t>(std::bit_width(agents - 1))),
        rested_(agents, false),
        met_(agents, std::vector<bool>(agents, false)) {}

  bool done() const override { return played_ == rounds_; }
  std::optional<std::vector<std::uint64_t>> DealsByKind() const override {
    return std::vector<std::uint64_t>(kinds_, pairs_ * rounds_ * (agents_ / 2));
  }

  std::vector<Deal> Next(std::span<const RatedGame> games) override {
    std::vector<Deal> batch;
    if (done()) return batch;
    CountLeads(games);
    std::vector<std::size_t> order = Ranked();
    if (order.size() % 2 != 0) Rest(order);
    std::vector<std::pair<std::size_t, std::size_t>> pairing;
    std::size_t steps = kPairingSteps;
    if (!PairUp(order, pairing, steps)) {
      // As good as impossible with so few rounds; better a rematch than no round.
      pairing.clear();
      for (std::size_t i = 0; i + 1 < order.size(); i += 2) pairing.emplace_back(order[i], order[i + 1]);
    }
    for (const auto& [first, second] : pairing) {
      met_[first][second] = met_[second][first] = true;
      matches_.push_back({.first = first, .second = second});
      Play(matches_.size() - 1, batch);
    }
    ++played_;
    return batch;
  }

 private:
  // By points of matches, then by leads, then as named.
  std::vector<std::size_t> Ranked() const {
    std::vector<std::pair<std::int64_t, std::int64_t>> scores(agents_);  // twice the points; leads
    for (std::size_t i = 0; i < agents_; ++i) scores[i].first = rested_[i] ? 2 : 0;
    for (const RoundMatch& match : matches_) {
      scores[match.first].first += match.lead > 0 ? 2 : match.lead == 0 ? 1 : 0;
      scores[match.second].first += match.lead < 0 ? 2 : match.lead == 0 ? 1 : 0;
      scores[match.first].second += match.lead;
      scores[match.second].second -= match.lead;
    }
    std::vector<std::size_t> order(agents_);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, std::ranges::greater(), [&](std::size_t agent) { return scores[agent]; });
    return order;
  }
  // The last that has not rested yet does.
  void Rest(std::vector<std::size_t>& order) {
    for (std::size_t i = order.size(); i-- > 0;) {
      if (rested_[order[i]]) continue;
      rested_[order[i]] = true;
      order.erase(order.begin() + static_cast<std::ptrdiff_t>(i));
      return;
    }
  }
  // Pairs the first with the next that it has not met, as long as the others can be paired as well.
  bool PairUp(const std::vector<std::size_t>& order, std::vector<std::pair<std::size_t, std::size_t>>& pairing,
              std::size_t& steps) const {
    if (order.empty()) return true;
    for (std::size_t i = 1; i < order.size(); ++i) {
      if (met_[order[0]][order[i]]) continue;
      if (steps-- <= 1) {
        steps = 1;
        return false;
      }
      std::vector<std::size_t> others(order.begin() + 1, order.end());
      others.erase(others.begin() + static_cast<std::ptrdiff_t>(i) - 1);
      pairing.emplace_back(order[0], order[i]);
      if (PairUp(others, pairing, steps)) return true;
      pairing.pop_back();
    }
    return false;
  }

  const std::size_t rounds_;
  std::size_t played_ = 0;
  std::vector<bool> rested_;
  std::vector<std::vector<bool>> met_;
};

class KnockoutPlanner : public MatchPlanner {
 public:
  KnockoutPlanner(std::size_t agents, std::size_t kinds, std::uint64_t pairs) : MatchPlanner(agents, kinds, pairs) {
    // Where agents meet who always win against those named after them: 0 and 1 in the final, 0 and 3, 1 and 2 before
    // it.
    slots_ = {0};
    while (slots_.size() < agents) {
      std::vector<std::size_t> wider;
      for (const std::size_t slot : slots_) {
        wider.push_back(slot);
        wider.push_back(2 * slots_.size() - 1 - slot);
      }
      slots_ = std::move(wider);
    }
  }

  bool done() const override { return slots_.size() == 1; }

  std::vector<Deal> Next(std::span<const RatedGame> games) override {
    std::vector<Deal> batch;
    CountLeads(games);
    // The round under way: even matches go on.
    for (std::size_t match = round_; match < matches_.size(); ++match) {
      if (matches_[match].lead == 0 && matches_[match].tries < kMostTries) Play(match, batch);
    }
    if (!batch.empty()) return batch;
    if (round_ < matches_.size()) EndRound();
    if (!done()) StartRound(batch);
    return batch;
  }

 private:
  // A slot beyond the agents is empty: its neighbor goes on.
  void StartRound(std::vector<Deal>& batch) {
    round_ = matches_.size();
    for (std::size_t i = 0; i < slots_.size(); i += 2) {
      const auto [first, second] = std::minmax(slots_[i], slots_[i + 1]);
      if (second >= agents_) continue;
      matches_.push_back({.first = first, .second = second});
      Play(matches_.size() - 1, batch);
    }
  }
  void EndRound() {
    std::vector<std::size_t> winners;
    std::size_t match = round_;
    for (std::size_t i = 0; i < slots_.size(); i += 2) {
      const auto [first, second] = std::minmax(slots_[i], slots_[i + 1]);
      const bool upset = second < agents_ && matches_[match++].lead < 0;
      winners.push_back(upset ? second : first);
    }
    slots_ = std::move(winners);
    round_ = matches_.size();
  }

  std::vector<std::size_t> slots_;  // neighbors meet
  std::size_t round_ = 0;           // number of the first match of the round under way
};

}  // namespace

std::unique_ptr<Planner> PlanSwiss(std::size_t agents, std::size_t kinds, std::uint64_t pairs) {
  return std::make_unique<SwissPlanner>(agents, kinds, pairs);
}

std::unique_ptr<Planner> PlanKnockout(std::size_t agents, std::size_t kinds, std::uint64_t pairs) {
  return std::make_unique<KnockoutPlanner>(agents, kinds, pairs);
}

}  // namespace openseat::arena

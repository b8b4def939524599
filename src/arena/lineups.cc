#include "arena/lineups.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "arena/ratings.h"

namespace openseat::arena {
namespace {

constexpr std::uint64_t kEarlier = std::uint64_t{1} << 63;  // set in clusters of games before the run
constexpr std::size_t kBatch = 256;                         // deals of a schedule that does not wait for results
constexpr std::size_t kSmallestBatch = 8;                   // deals between two looks at the ratings
constexpr std::size_t kBatchShare = 10;                     // later: one in so many of the deals so far

// All groups of `size` out of the agents, each ascending.
void AddGroups(std::size_t agents, std::size_t size, std::size_t max, std::vector<std::vector<std::size_t>>& groups) {
  std::vector<std::size_t> group(size);
  std::iota(group.begin(), group.end(), std::size_t{0});
  for (;;) {
    groups.push_back(group);
    if (groups.size() > max) return;
    std::size_t at = size;
    while (at > 0 && group[at - 1] == agents - size + at - 1) --at;
    if (at == 0) return;
    ++group[at - 1];
    for (std::size_t i = at; i < size; ++i) group[i] = group[i - 1] + 1;
  }
}

class CyclePlanner : public Planner {
 public:
  CyclePlanner(std::vector<Deal> cycle, std::size_t kinds, std::uint64_t times)
      : cycle_(std::move(cycle)), kinds_(kinds), times_(times) {}

  bool needs_results() const override { return false; }
  bool done() const override { return planned_ == cycle_.size() * times_; }
  std::vector<Deal> Next(std::span<const RatedGame> /*games*/) override {
    std::vector<Deal> batch;
    for (; batch.size() < kBatch && !done(); ++planned_) batch.push_back(cycle_[planned_ % cycle_.size()]);
    return batch;
  }
  std::optional<std::vector<std::uint64_t>> DealsByKind() const override {
    std::vector<std::uint64_t> deals(kinds_, 0);
    for (const Deal& deal : cycle_) deals[deal.kind] += times_;
    return deals;
  }

 private:
  const std::vector<Deal> cycle_;
  const std::size_t kinds_;
  const std::uint64_t times_;
  std::uint64_t planned_ = 0;
};

// What one more deal between two agents does to what is known of all.
class Forecast {
 public:
  Forecast(const Ratings& ratings, const std::vector<std::size_t>& places, std::vector<std::size_t> watched)
      : ratings_(ratings), places_(places), watched_(std::move(watched)), covariance_(ratings.model_covariance()) {
    for (std::size_t i = 0; i < ratings.agents().size(); ++i) {
      factors_.push_back(ratings.agents()[i].width() / std::sqrt(covariance_.at(i, i)));
    }
  }

  double Width(std::size_t agent) const { return factors_[agent] * std::sqrt(covariance_.at(agent, agent)); }
  std::size_t Widest() const {
    return *std::ranges::max_element(watched_, {}, [this](std::size_t agent) { return Width(agent); });
  }
  // By how much the variance of an agent's strength falls.
  double Gain(std::size_t agent, const Deal& deal) const {
    const auto [a, b] = Places(deal);
    const double along = covariance_.at(agent, a) - covariance_.at(agent, b);
    return Tells(a, b) * along * along / (1 + Tells(a, b) * Spread(a, b));
  }
  void Add(const Deal& deal) {
    const auto [a, b] = Places(deal);
    const double factor = Tells(a, b) / (1 + Tells(a, b) * Spread(a, b));
    std::vector<double> along;
    for (std::size_t i = 0; i < factors_.size(); ++i) along.push_back(covariance_.at(i, a) - covariance_.at(i, b));
    for (std::size_t i = 0; i < factors_.size(); ++i) {
      for (std::size_t j = 0; j < factors_.size(); ++j) covariance_.at(i, j) -= factor * along[i] * along[j];
    }
  }

 private:
  std::pair<std::size_t, std::size_t> Places(const Deal& deal) const {
    return {places_[deal.agents[0]], places_[deal.agents[1]]};
  }
  double Tells(std::size_t a, std::size_t b) const { return 2 * ratings_.InformationOfGame(a, b); }
  double Spread(std::size_t a, std::size_t b) const {
    return covariance_.at(a, a) + covariance_.at(b, b) - 2 * covariance_.at(a, b);
  }

  const Ratings& ratings_;
  const std::vector<std::size_t>& places_;  // of agents in the ratings
  const std::vector<std::size_t> watched_;  // in the ratings: whose intervals must be narrow
  Square covariance_;
  std::vector<double> factors_;  // from a standard deviation to the width of an interval
};

// Numbers by their first appearance, as a table of ratings has them, so that both draw the same resamples.
class Places {
 public:
  explicit Places(std::size_t size) : places_(size, kNone) {}
  std::size_t Of(std::size_t number) {
    if (places_[number] == kNone) places_[number] = count_++;
    return places_[number];
  }
  std::size_t count() const { return count_; }
  const std::vector<std::size_t>& all() const { return places_; }

 private:
  static constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();
  std::vector<std::size_t> places_;
  std::size_t count_ = 0;
};

class UntilPlanner : public Planner {
 public:
  UntilPlanner(std::vector<Deal> cycle, std::size_t agents, std::size_t kinds, std::uint64_t times, UntilNarrow until)
      : cycle_(std::move(cycle)),
        agents_(agents),
        kinds_(kinds),
        most_(cycle_.size() * times),
        until_(std::move(until)),
        planned_(cycle_.size(), 0) {
    for (RatedGame& game : until_.earlier) game.cluster |= kEarlier;
    if (!until_.newcomers.empty()) return;
    until_.newcomers.resize(agents_);
    std::iota(until_.newcomers.begin(), until_.newcomers.end(), std::size_t{0});
  }

  bool done() const override { return done_ || total_ >= most_; }

  std::vector<Deal> Next(std::span<const RatedGame> games) override {
    std::vector<Deal> batch;
    if (total_ == 0 && until_.earlier.empty()) {
      // Everybody meets everybody, in every game.
      for (std::uint64_t wanted = std::max(cycle_.size(), kSmallestBatch); batch.size() < wanted && !done();) {
        Plan(total_ % cycle_.size(), batch);
      }
      return batch;
    }
    Places agents(agents_);
    Places kinds(kinds_);
    std::vector<RatedGame> placed = until_.earlier;
    placed.insert(placed.end(), games.begin(), games.end());
    for (RatedGame& game : placed) {
      for (std::uint32_t& agent : game.agents) agent = static_cast<std::uint32_t>(agents.Of(agent));
      game.kind = static_cast<std::uint32_t>(kinds.Of(game.kind));
    }
    // Those that have not played yet.
    for (std::size_t agent = 0; agent < agents_; ++agent) agents.Of(agent);
    const Ratings ratings(Compare(placed, agents.count(), kinds.count()), {});
    std::vector<std::size_t> watched;
    for (const std::size_t newcomer : until_.newcomers) watched.push_back(agents.Of(newcomer));
    done_ = std::ranges::all_of(watched, [&](std::size_t i) { return ratings.agents()[i].width() < until_.width; });
    Forecast forecast(ratings, agents.all(), std::move(watched));
    for (std::uint64_t wanted = std::max(kSmallestBatch, total_ / kBatchShare); batch.size() < wanted && !done();) {
      const std::size_t best = Best(forecast);
      forecast.Add(cycle_[best]);
      Plan(best, batch);
    }
    return batch;
  }

 private:
  // The place in the cycle of the deal that narrows the widest interval most; of equal ones, that which was planned
  // least.
  std::size_t Best(const Forecast& forecast) const {
    const std::size_t widest = forecast.Widest();
    std::size_t best = 0;
    double gain = -1;
    for (std::size_t i = 0; i < cycle_.size(); ++i) {
      const double here = forecast.Gain(widest, cycle_[i]);
      const bool equal = std::abs(here - gain) <= 1e-9 * gain;
      if (equal ? planned_[i] < planned_[best] : here > gain) {
        best = i;
        gain = here;
      }
    }
    return best;
  }
  void Plan(std::size_t place, std::vector<Deal>& batch) {
    batch.push_back(cycle_[place]);
    ++planned_[place];
    ++total_;
  }

  const std::vector<Deal> cycle_;
  const std::size_t agents_;
  const std::size_t kinds_;
  const std::uint64_t most_;
  UntilNarrow until_;
  std::vector<std::uint64_t> planned_;  // by place in the cycle
  std::uint64_t total_ = 0;
  bool done_ = false;
};

}  // namespace

Result<std::vector<Deal>> AllLineups(std::span<const Room> rooms, std::optional<std::size_t> challenger,
                                     std::size_t max) {
  std::vector<Deal> cycle;
  for (std::size_t kind = 0; kind < rooms.size(); ++kind) {
    const std::vector<std::size_t>& agents = rooms[kind].agents;
    std::vector<std::vector<std::size_t>> groups;  // of places in `agents`
    AddGroups(agents.size(), rooms[kind].seats, max, groups);
    // Two groups of two with the same sum (modulo the number of agents) have no agent in common.
    std::ranges::stable_sort(groups, {}, [&](const std::vector<std::size_t>& group) {
      return std::accumulate(group.begin(), group.end(), std::size_t{0}) % agents.size();
    });
    for (std::vector<std::size_t>& group : groups) {
      for (std::size_t& member : group) member = agents[member];
      if (challenger && std::ranges::find(group, *challenger) == group.end()) continue;
      cycle.push_back({.kind = static_cast<std::uint32_t>(kind), .agents = std::move(group)});
    }
    if (groups.size() > max || cycle.size() > max) {
      return Fail(ErrorCode::kTooLarge, "there are more than " + std::to_string(max) +
                                            " ways to seat the agents; name fewer agents or games");
    }
  }
  return cycle;
}

std::unique_ptr<Planner> PlanCycles(std::vector<Deal> cycle, std::size_t kinds, std::uint64_t times) {
  return std::make_unique<CyclePlanner>(std::move(cycle), kinds, times);
}

std::unique_ptr<Planner> PlanUntilNarrow(std::vector<Deal> cycle, std::size_t agents, std::size_t kinds,
                                         std::uint64_t times, UntilNarrow until) {
  return std::make_unique<UntilPlanner>(std::move(cycle), agents, kinds, times, std::move(until));
}

}  // namespace openseat::arena

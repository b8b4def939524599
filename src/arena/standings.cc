#include "arena/standings.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

namespace openseat::arena {
namespace {

// Names to numbers, by first appearance.
class Names {
 public:
  std::size_t Of(const std::string& name) {
    const auto [at, added] = numbers_.emplace(name, names_.size());
    if (added) names_.push_back(name);
    return at->second;
  }
  std::optional<std::size_t> Find(const std::string& name) const {
    const auto at = numbers_.find(name);
    return at == numbers_.end() ? std::nullopt : std::optional(at->second);
  }
  const std::vector<std::string>& all() const { return names_; }

 private:
  std::map<std::string, std::size_t> numbers_;
  std::vector<std::string> names_;
};

void AddFigures(const SeatFigures& from, SeatFigures& to) {
  to.decisions += from.decisions;
  to.illegal += from.illegal;
  to.repaired += from.repaired;
  to.asked_again += from.asked_again;
  to.tokens += from.tokens;
  // Who decided nothing cost nothing, also where prices are unknown.
  if (from.cost && from.decisions > 0) to.cost = to.cost.value_or(0) + *from.cost;
  to.latency_ms += from.latency_ms;
  if (from.cpu_ms) to.cpu_ms = to.cpu_ms.value_or(0) + *from.cpu_ms;
}

void AddSeat(const GameLine& line, SeatIndex seat, AgentStanding& agent) {
  if (line.result == GameResult::kVoid) {
    ++agent.voids;
    return;
  }
  ++agent.games;
  if (line.result == GameResult::kDraw) {
    ++agent.draws;
  } else if (line.Won(seat)) {
    ++agent.wins;
  } else {
    ++agent.losses;
    if (line.forfeit) ++agent.forfeits;
  }
  if (seat < line.by_seat.size()) AddFigures(line.by_seat[seat], agent.figures);
}

// The games of a table, as it collects them.
class TableMaker {
 public:
  void Add(const GameLine& line, std::uint64_t cluster) {
    const bool counts = line.result != GameResult::kVoid;
    const bool rated =
        counts && std::ranges::adjacent_find(line.seats, std::ranges::not_equal_to()) != line.seats.end();
    RatedGame game;
    for (SeatIndex seat = 0; seat < line.seats.size(); ++seat) {
      const std::size_t agent = agents_.Of(line.seats[seat]);
      if (agent == standings_.size()) standings_.emplace_back().agent = line.seats[seat];
      AddSeat(line, seat, standings_[agent]);
      if (rated) game.agents.push_back(static_cast<std::uint32_t>(rated_.Of(line.seats[seat])));
    }
    if (!rated) return;
    for (const SeatIndex seat : line.winners) game.winners.Insert(seat);
    game.kind = static_cast<std::uint32_t>(kinds_.Of(line.game_id));
    game.cluster = cluster;
    games_.push_back(std::move(game));
  }

  Result<void> Check(const std::string& anchor) const {
    if (rated_.all().size() > kMaxRatedAgents) {
      return Fail(ErrorCode::kTooLarge, "at most " + std::to_string(kMaxRatedAgents) +
                                            " agents can be rated together, not " +
                                            std::to_string(rated_.all().size()));
    }
    if (anchor.empty() || rated_.Find(anchor)) return {};
    std::string names;
    for (const std::string& name : rated_.all()) names += (names.empty() ? "" : ", ") + name;
    return Fail(ErrorCode::kInvalid,
                "the anchor \"" + anchor + "\" has no game that counts; " +
                    (names.empty() ? "no agent has" : "these agents have: " + names),
                "anchor");
  }

  // REQUIRES that Check passes, except that the anchor may be missing. `options.on_progress` is about this table.
  StandingsTable Make(const StandingsOptions& options) {
    StandingsTable table;
    if (!games_.empty()) Rate(options, table);
    for (AgentStanding& standing : standings_) {
      if (!standing.rating) table.agents.push_back(std::move(standing));
    }
    return table;
  }

 private:
  void Rate(const StandingsOptions& options, StandingsTable& table) {
    const std::size_t agents = rated_.all().size();
    const Comparisons counted = Compare(games_, agents, kinds_.all().size());
    const Ratings ratings(options.equal_games ? Compare(games_, agents, kinds_.all().size(), true) : counted,
                          {.anchor = rated_.Find(options.anchor),
                           .base = options.base,
                           .resamples = options.resamples,
                           .seed = options.seed,
                           .on_progress = options.on_progress});
    std::vector<std::size_t> order(agents);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, std::ranges::greater(), [&](std::size_t i) { return ratings.agents()[i].rating; });
    std::vector<std::size_t> place(agents);
    for (const std::size_t i : order) {
      place[i] = table.agents.size();
      AgentStanding& standing = standings_[*agents_.Find(rated_.all()[i])];
      standing.rating = ratings.agents()[i];
      standing.rank = 1 + static_cast<std::uint64_t>(std::ranges::count_if(ratings.agents(), [&](const Rating& other) {
                        return other.low > standing.rating->high;
                      }));
      table.agents.push_back(standing);
    }
    AddPairs(ratings, counted, order, place, table);
  }

  static void AddPairs(const Ratings& ratings, const Comparisons& counted, const std::vector<std::size_t>& order,
                       const std::vector<std::size_t>& place, StandingsTable& table) {
    std::map<std::pair<std::size_t, std::size_t>, PairScore> scores;
    for (const Comparisons::Cell& cell : counted.cells) {
      const bool turned = place[cell.first] > place[cell.second];
      PairScore& score = scores[std::minmax(place[cell.first], place[cell.second])];
      score.wins += turned ? cell.score.losses : cell.score.wins;
      score.losses += turned ? cell.score.wins : cell.score.losses;
      score.draws += cell.score.draws;
    }
    for (std::size_t first = 0; first < order.size(); ++first) {
      for (std::size_t second = first + 1; second < order.size(); ++second) {
        table.pairs.push_back({.first = first,
                               .second = second,
                               .score = scores[{first, second}],
                               .difference = ratings.Between(order[first], order[second])});
      }
    }
  }

  Names agents_;  // all
  std::vector<AgentStanding> standings_;
  Names rated_;
  Names kinds_;
  std::vector<RatedGame> games_;
};

}  // namespace

Result<Standings> MakeStandings(std::span<const std::vector<GameLine>> runs, const StandingsOptions& options) {
  TableMaker all;
  Names kinds;
  std::vector<TableMaker> by_kind;
  std::map<std::pair<std::size_t, std::uint64_t>, std::uint64_t> clusters;  // by run and pair
  for (std::size_t run = 0; run < runs.size(); ++run) {
    for (const GameLine& line : runs[run]) {
      const std::uint64_t cluster = clusters.emplace(std::pair(run, line.pair), clusters.size()).first->second;
      const std::size_t kind = kinds.Of(line.game_id);
      if (kind == by_kind.size()) by_kind.emplace_back();
      all.Add(line, cluster);
      by_kind[kind].Add(line, cluster);
    }
  }
  if (Result<void> checked = all.Check(options.anchor); !checked) return Fail(checked.error());
  // With one kind of game, both tables are the same.
  const std::size_t tables = by_kind.size() == 1 ? 1 : 1 + by_kind.size();
  std::size_t made = 0;
  StandingsOptions of_table = options;
  if (options.on_progress) {
    of_table.on_progress = [&](double share) {
      options.on_progress((static_cast<double>(made) + share) / static_cast<double>(tables));
    };
  }
  Standings out{.options = options, .all = all.Make(of_table), .games = {}};
  out.options.on_progress = nullptr;
  for (std::size_t kind = 0; kind < by_kind.size(); ++kind) {
    ++made;
    out.games.push_back({kinds.all()[kind], tables == 1 ? out.all : by_kind[kind].Make(of_table)});
  }
  return out;
}

}  // namespace openseat::arena

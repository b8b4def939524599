#include "arena/standings_output.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "base/text.h"

namespace openseat::arena {
namespace {

constexpr std::size_t kMaxOpenLines = 20;
constexpr std::size_t kMaxShownName = 60;

double Tenth(double value) {
  return RoundTo(value, 10);
}

json::Value OrNull(const std::optional<Rating>& rating, double Rating::* member) {
  return rating ? json::Value(Tenth((*rating).*member)) : json::Value(nullptr);
}

// Per decision; nullopt without one.
std::optional<double> PerDecision(double sum, const SeatFigures& figures) {
  if (figures.decisions == 0) return std::nullopt;
  return sum / static_cast<double>(figures.decisions);
}

// nullopt if it is unknown: only bots have it.
std::optional<double> CpuPerDecision(const SeatFigures& figures) {
  return figures.cpu_ms ? PerDecision(*figures.cpu_ms, figures) : std::nullopt;
}

json::Object AgentJson(const AgentStanding& agent) {
  const std::optional<double> latency = PerDecision(agent.figures.latency_ms, agent.figures);
  json::Object out{{"agent", agent.agent},
                   {"rank", agent.rank == 0 ? json::Value(nullptr) : json::Value(agent.rank)},
                   {"rating", OrNull(agent.rating, &Rating::rating)},
                   {"low", OrNull(agent.rating, &Rating::low)},
                   {"high", OrNull(agent.rating, &Rating::high)},
                   {"error", OrNull(agent.rating, &Rating::error)},
                   {"games", agent.games},
                   {"wins", agent.wins},
                   {"draws", agent.draws},
                   {"losses", agent.losses},
                   {"forfeits", agent.forfeits},
                   {"void", agent.voids},
                   {"decisions", agent.figures.decisions},
                   {"illegal", agent.figures.illegal},
                   {"repaired", agent.figures.repaired},
                   {"asked_again", agent.figures.asked_again},
                   {"tokens", ToJson(agent.figures.tokens)},
                   {"cost", agent.figures.cost ? json::Value(RoundTo(*agent.figures.cost, 1e9)) : json::Value(nullptr)},
                   {"latency_ms", latency ? json::Value(Tenth(*latency)) : json::Value(nullptr)}};
  if (const auto cpu = CpuPerDecision(agent.figures)) out["cpu_ms"] = Tenth(*cpu);
  return out;
}

// Empty for null. A spreadsheet would run a text that begins like a formula, and may separate cells by ';' or a tab.
std::string CsvCell(const json::Value& value) {
  if (value.is_null()) return {};
  if (!value.is_string()) return json::Write(value);
  std::string text(json::View(value.get_string()));
  if (!text.empty() && std::string_view("=+-@\t\r").find(text.front()) != std::string_view::npos) text.insert(0, "'");
  if (text.find_first_of(",;\t\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + "\"";
}

json::Object PairJson(const PairStanding& pair, const StandingsTable& table) {
  const std::optional<std::uint64_t>& more = pair.difference.more_pairs;
  // Counted one by one, so whole.
  const auto whole = [](double count) { return static_cast<std::uint64_t>(std::llround(count)); };
  return {{"a", table.agents[pair.first].agent},
          {"b", table.agents[pair.second].agent},
          {"games", whole(pair.score.games())},
          {"wins", whole(pair.score.wins)},
          {"draws", whole(pair.score.draws)},
          {"losses", whole(pair.score.losses)},
          {"difference", Tenth(pair.difference.rating)},
          {"error", Tenth(pair.difference.error)},
          {"superiority", RoundTo(pair.difference.superiority, 1e4)},
          {"more_pairs", more ? json::Value(*more) : json::Value(nullptr)}};
}

json::Object TableJson(const StandingsTable& table) {
  json::Array agents;
  for (const AgentStanding& agent : table.agents) agents.push_back(AgentJson(agent));
  json::Array pairs;
  for (const PairStanding& pair : table.pairs) pairs.push_back(PairJson(pair, table));
  return {{"agents", std::move(agents)}, {"pairs", std::move(pairs)}};
}

using Cells = std::vector<std::string>;

std::string Percent(std::uint64_t count, const SeatFigures& figures) {
  const std::optional<double> share = PerDecision(100.0 * static_cast<double>(count), figures);
  return share ? fmt::format("{:.1f} %", *share) : "-";
}

Cells AgentCells(const AgentStanding& agent) {
  const std::optional<double> latency = PerDecision(agent.figures.latency_ms, agent.figures);
  const std::optional<double> cpu = CpuPerDecision(agent.figures);
  return {EscapeControls(Ellipsize(agent.agent, kMaxShownName)),
          agent.rating ? fmt::format("{:.0f}", agent.rating->rating) : "-",
          agent.rating ? fmt::format("{:.0f} to {:.0f}", agent.rating->low, agent.rating->high) : "-",
          std::to_string(agent.games),
          std::to_string(agent.wins),
          std::to_string(agent.draws),
          std::to_string(agent.losses),
          std::to_string(agent.forfeits),
          std::to_string(agent.voids),
          Percent(agent.figures.illegal, agent.figures),
          Percent(agent.figures.repaired, agent.figures),
          agent.figures.cost ? fmt::format("${:.4f}", *agent.figures.cost) : "-",
          latency ? fmt::format("{:.1f} ms", *latency) : "-",
          cpu ? fmt::format("{:.1f} ms", *cpu) : "-"};
}

std::string TableText(const StandingsTable& table) {
  std::vector<Cells> rows = {{"agent", "rating", "95 % interval", "games", "won", "drawn", "lost", "forfeits", "void",
                              "illegal", "repaired", "cost", "latency", "cpu"}};
  for (const AgentStanding& agent : table.agents) rows.push_back(AgentCells(agent));
  // Of bots only.
  if (std::ranges::none_of(table.agents, [](const AgentStanding& agent) { return agent.figures.cpu_ms.has_value(); })) {
    for (Cells& row : rows) row.pop_back();
  }
  std::vector<std::size_t> widths(rows.front().size(), 0);
  const auto columns = [](const std::string& text) {
    return static_cast<std::size_t>(std::ranges::count_if(text, [](char c) { return (c & 0xC0) != 0x80; }));
  };
  for (const Cells& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], columns(row[i]));
  }
  std::string text;
  for (const Cells& row : rows) {
    text += row[0] + std::string(widths[0] - columns(row[0]), ' ');
    for (std::size_t i = 1; i < row.size(); ++i) text += std::string(2 + widths[i] - columns(row[i]), ' ') + row[i];
    text += '\n';
  }
  return text;
}

// Neighbors in the table of whom the better one is not known.
std::string OpenText(const StandingsTable& table) {
  std::string text;
  std::size_t open = 0;
  for (const PairStanding& pair : table.pairs) {
    if (pair.second != pair.first + 1 || pair.difference.more_pairs == 0U) continue;
    if (++open > kMaxOpenLines) continue;
    const auto name = [&](std::size_t i) { return EscapeControls(Ellipsize(table.agents[i].agent, kMaxShownName)); };
    text += fmt::format("{} and {}: which is better is open; ", name(pair.first), name(pair.second));
    if (pair.difference.more_pairs) {
      text += fmt::format("about {} more pairs of games between them would settle it, if they differ as much as now.\n",
                          *pair.difference.more_pairs);
    } else {
      text += fmt::format("they are too close for fewer than {} pairs of games.\n", kMaxMorePairs);
    }
  }
  if (open > kMaxOpenLines) text += fmt::format("{} more neighbors are open.\n", open - kMaxOpenLines);
  return text;
}

}  // namespace

json::Object ToJson(const Standings& standings) {
  const StandingsOptions& options = standings.options;
  json::Object out{{"format", kRatingsFormat},
                   {"version", kRatingsVersion},
                   {"openseat", OPENSEAT_VERSION},
                   {"anchor", options.anchor.empty() ? json::Value(nullptr) : json::Value(options.anchor)},
                   {"base", options.base},
                   {"equal_games", options.equal_games},
                   {"interval", 0.95},
                   {"resamples", options.resamples},
                   {"seed", options.seed}};
  for (auto& member : TableJson(standings.all)) out[member.key()] = std::move(member.value());
  json::Object games;
  for (const Standings::OfGame& game : standings.games) games[game.game_id] = TableJson(game.table);
  out["games"] = std::move(games);
  return out;
}

std::string StandingsText(const Standings& standings) {
  std::string text = TableText(standings.all) + OpenText(standings.all);
  if (standings.games.size() < 2) return text;
  for (const Standings::OfGame& game : standings.games) {
    const std::string name = game.game_id.empty() ? "a game without a name" : game.game_id;
    text += "\n" + EscapeControls(Ellipsize(name, kMaxShownName)) + "\n" + TableText(game.table);
  }
  return text;
}

std::string StandingsCsv(const Standings& standings) {
  static constexpr std::array<std::string_view, 18> kColumns = {
      "agent",  "rank",     "rating", "low",       "high",    "error",    "games", "wins",       "draws",
      "losses", "forfeits", "void",   "decisions", "illegal", "repaired", "cost",  "latency_ms", "cpu_ms"};
  std::string text;
  for (const std::string_view column : kColumns) text += (text.empty() ? "" : ",") + std::string(column);
  text += "\r\n";
  for (const AgentStanding& agent : standings.all.agents) {
    const json::Object members = AgentJson(agent);
    for (const std::string_view column : kColumns) {
      const json::Value* value = json::Find(members, column);
      if (column != kColumns.front()) text += ',';
      if (value != nullptr) text += CsvCell(*value);
    }
    text += "\r\n";
  }
  return text;
}

}  // namespace openseat::arena

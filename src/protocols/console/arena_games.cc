#include "protocols/console/arena_games.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <tuple>
#include <utility>

#include "base/text.h"

namespace openseat::console {
namespace {

using arena::GameLine;
using arena::GameResult;
using arena::SeatFigures;

constexpr std::array<std::string_view, 6> kResults = {"", "win", "draw", "loss", "forfeit", "void"};
constexpr std::array<std::string_view, 4> kWith = {"", "illegal", "repaired", "asked_again"};
constexpr std::array<std::string_view, 6> kOrders = {"game", "cost", "tokens", "latency", "turns", "seconds"};
constexpr std::size_t kMaxCauses = 50;

Result<void> CheckWord(std::string_view name, const std::string& value, std::span<const std::string_view> words) {
  if (std::ranges::find(words, value) != words.end()) return {};
  std::string known;
  for (const std::string_view word : words) {
    if (!word.empty()) known += (known.empty() ? "" : ", ") + std::string(word);
  }
  return Fail(ErrorCode::kInvalid, std::string(name) + " must be one of " + known + "; got " + Quote(value),
              std::string(name));
}

bool IsOf(const GameLine& game, SeatIndex seat, const std::string& agent) {
  return agent.empty() || game.seats[seat] == agent;
}

// Whether any seat of the agent, or of all without one, is so.
template <typename Check>
bool AnySeat(const GameLine& game, const std::string& agent, Check check) {
  for (SeatIndex seat = 0; seat < game.seats.size(); ++seat) {
    if (IsOf(game, seat, agent) && check(seat)) return true;
  }
  return false;
}

// The agent that a void game or a forfeit is due to; "" if none is.
std::string_view CulpritOf(const GameLine& game) {
  return game.culprit ? std::string_view(game.seats[*game.culprit]) : std::string_view();
}

bool HasResult(const GameLine& game, const GameQuery& query) {
  if (query.result.empty()) return true;
  if (query.result == "void") return game.result == GameResult::kVoid;
  if (query.result == "draw") return game.result == GameResult::kDraw;
  if (game.result != GameResult::kWin) return false;
  if (query.result == "forfeit" && !game.forfeit) return false;
  const bool won = query.result == "win";
  return AnySeat(game, query.agent, [&](SeatIndex seat) { return game.Won(seat) == won; });
}

std::uint64_t AnswersWith(const SeatFigures& figures, std::string_view with) {
  if (with == "illegal") return figures.illegal;
  return with == "repaired" ? figures.repaired : figures.asked_again;
}

bool Matches(const GameLine& game, const GameQuery& query) {
  if (!query.game_id.empty() && game.game_id != query.game_id) return false;
  if (!query.code.empty() && game.code != query.code) return false;
  if (!query.culprit.empty() && CulpritOf(game) != query.culprit) return false;
  if (!query.agent.empty()) {
    const auto at = std::ranges::find(game.seats, query.agent);
    if (at == game.seats.end()) return false;
    // An opponent of the same name has another seat.
    const bool twin = query.opponent == query.agent;
    const auto from = twin ? at + 1 : game.seats.begin();
    if (!query.opponent.empty() && std::find(from, game.seats.end(), query.opponent) == game.seats.end()) return false;
  }
  if (!HasResult(game, query)) return false;
  return query.with.empty() || AnySeat(game, query.agent, [&](SeatIndex seat) {
           return seat < game.by_seat.size() && AnswersWith(game.by_seat[seat], query.with) > 0;
         });
}

// By what a game is ordered, of the seats of the agent, or of all without one.
double Measure(const GameLine& game, const GameQuery& query) {
  if (query.sort == "turns") return static_cast<double>(game.turns);
  if (query.sort == "seconds") return game.seconds;
  double sum = 0;
  std::uint64_t decisions = 0;
  for (SeatIndex seat = 0; seat < game.by_seat.size(); ++seat) {
    if (!IsOf(game, seat, query.agent)) continue;
    const SeatFigures& figures = game.by_seat[seat];
    decisions += figures.decisions;
    if (query.sort == "cost") sum += figures.cost.value_or(0);
    if (query.sort == "latency") sum += figures.latency_ms;
    const arena::TokenFigures& tokens = figures.tokens;
    if (query.sort == "tokens") {
      sum += static_cast<double>(tokens.input + tokens.cached + tokens.created + tokens.output);
    }
  }
  // Latency is that of one decision.
  return query.sort == "latency" && decisions > 0 ? sum / static_cast<double>(decisions) : sum;
}

// Texts that sort like the games: by number, or by the measure with the highest first.
std::string KeyOfGame(const GameLine& game, const GameQuery& query) {
  // A measure is a sum of numbers in JSON; what is beyond this does not occur.
  constexpr double kMost = 1e12;
  const double below = query.sort == "game" ? 0 : kMost - std::clamp(Measure(game, query), 0.0, kMost);
  std::array<char, 64> key = {};
  std::snprintf(key.data(), key.size(), ":%020.6f-%016llu", below, static_cast<unsigned long long>(game.game));
  return query.sort + key.data();
}

}  // namespace

Result<GameQuery> GameQueryOf(const net::HttpRequest& request) {
  GameQuery query;
  const auto read = [&](std::string_view name, std::string& into) {
    if (const std::string* value = request.Query(name); value != nullptr && !value->empty()) into = *value;
  };
  read("agent", query.agent);
  read("opponent", query.opponent);
  read("game_id", query.game_id);
  read("result", query.result);
  read("code", query.code);
  read("culprit", query.culprit);
  read("with", query.with);
  read("sort", query.sort);
  if (Result<void> known = CheckWord("result", query.result, kResults); !known) return Fail(known.error());
  if (Result<void> known = CheckWord("with", query.with, kWith); !known) return Fail(known.error());
  if (Result<void> known = CheckWord("sort", query.sort, kOrders); !known) return Fail(known.error());
  if (query.agent.empty() && (!query.opponent.empty() || query.result == "loss")) {
    const std::string name = query.opponent.empty() ? "result=loss" : "opponent";
    return Fail(ErrorCode::kInvalid, name + " needs an agent, whose opponent or loss it is", "agent");
  }
  return query;
}

Result<json::Object> FindGames(const std::vector<GameLine>& games, const GameQuery& query, const net::Page& page) {
  if (!page.cursor.empty() && !page.cursor.starts_with(query.sort + ":")) {
    return Fail(ErrorCode::kInvalid, "the cursor belongs to a list in another order", "cursor");
  }
  std::vector<const GameLine*> found;
  for (const GameLine& game : games) {
    if (Matches(game, query)) found.push_back(&game);
  }
  const std::size_t total = found.size();
  const std::string next = net::CutPage(found, page, [&](const GameLine* game) { return KeyOfGame(*game, query); });
  json::Array lines;
  for (const GameLine* game : found) lines.push_back(ToJson(*game));
  json::Object body = net::PageBody("games", std::move(lines), next);
  body["total"] = total;
  return body;
}

json::Object CountGames(const std::vector<GameLine>& games, bool fixed_roles) {
  std::uint64_t counted = 0;
  std::uint64_t voids = 0;
  std::uint64_t forfeits = 0;
  std::map<std::uint64_t, std::pair<std::size_t, std::size_t>> pairs;  // games that count, and seats
  struct Cause {
    std::uint64_t games = 0;
    std::string example;
  };
  std::map<std::tuple<bool, std::string, std::string_view>, Cause> causes;
  for (const GameLine& game : games) {
    const bool is_void = game.result == GameResult::kVoid;
    ++(is_void ? voids : counted);
    if (game.forfeit) ++forfeits;
    auto& [played, seats] = pairs[game.pair];
    seats = fixed_roles ? 1 : game.seats.size();
    if (!is_void) ++played;
    if (!is_void && !game.forfeit) continue;
    Cause& cause = causes[{is_void, game.code.value_or(""), CulpritOf(game)}];
    if (++cause.games == 1) cause.example = game.cause.value_or("");
  }
  std::multimap<std::uint64_t, json::Object, std::greater<>> listed;  // by games, the most first
  for (const auto& [key, cause] : causes) {
    const auto& [is_void, code, culprit] = key;
    json::Object entry{{"code", code}, {"void", is_void}, {"games", cause.games}, {"example", cause.example}};
    if (!culprit.empty()) entry["culprit"] = culprit;
    listed.emplace(cause.games, std::move(entry));
  }
  json::Array shown;
  for (auto& [count, cause] : listed) {
    if (shown.size() < kMaxCauses) shown.push_back(std::move(cause));
  }
  return {{"games", counted},
          {"void", voids},
          {"forfeits", forfeits},
          {"half_pairs",
           std::ranges::count_if(pairs, [](const auto& pair) { return pair.second.first < pair.second.second; })},
          {"causes", std::move(shown)},
          {"more_causes", listed.size() > kMaxCauses}};
}

}  // namespace openseat::console

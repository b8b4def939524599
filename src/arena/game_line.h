// GameLine: one line of a run's games.jsonl, which says how one game went. docs/formats/run.md describes the members.
// Pure; any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "base/time.h"
#include "core/ids.h"

namespace openseat::arena {

inline constexpr std::size_t kMaxGameLineBytes = 1u << 20;
inline constexpr std::size_t kMaxLineSeats = 64;    // seats of one game
inline constexpr std::size_t kMaxAgentName = 1000;  // bytes of an agent's or game's name
inline constexpr std::uint64_t kEndOfSeeds = 1ull
                                             << 53;  // seeds are smaller, so that every JSON reader keeps them exactly

struct TokenFigures {
  std::uint64_t input = 0;  // read by the model for the first time
  std::uint64_t cached = 0;
  std::uint64_t created = 0;  // written to the provider's cache
  std::uint64_t output = 0;   // everything that the model wrote, reasoning included
  std::uint64_t reasoning = 0;
  TokenFigures& operator+=(const TokenFigures& more);
  bool operator==(const TokenFigures&) const = default;
};
json::Object ToJson(const TokenFigures& tokens);
// The members of that form; 0 for those that are missing.
TokenFigures TokensIn(const json::Object& tokens);

// To whole parts of 1/`steps`: figures are written with the digits that mean something. Never -0.
double RoundTo(double value, double steps);

// What one seat did in one game.
struct SeatFigures {
  std::uint64_t decisions = 0;
  std::uint64_t illegal = 0;      // answers that the schema or the rules did not allow
  std::uint64_t repaired = 0;     // answers that were repaired
  std::uint64_t asked_again = 0;  // answers that were requested again
  TokenFigures tokens;
  std::optional<double> cost;    // dollars; nullopt: unknown
  double latency_ms = 0;         // sum over the decisions
  std::optional<double> cpu_ms;  // the same of a bot's CPU time; nullopt: unknown
  bool operator==(const SeatFigures&) const = default;
};

enum class GameResult { kWin, kDraw, kVoid };
// "win", "draw", "void".
std::string_view GameResultName(GameResult result);

struct GameLine {
  std::uint64_t game = 0;  // from 0 in its run
  std::uint64_t pair = 0;  // from 0 in its run: the games of a pair are one deal with the agents in exchanged seats
  std::string game_id;
  std::uint64_t seed = 0;          // < kEndOfSeeds
  std::vector<std::string> seats;  // the agents as named in the command, by seat
  GameResult result = GameResult::kVoid;
  std::vector<SeatIndex> winners;  // ascending; empty unless the result is a win
  bool forfeit = false;
  std::optional<std::string> cause;  // of a void game or a forfeit, for people
  std::optional<std::string> code;   // the same for programs
  std::optional<SeatIndex> culprit;  // the seat that it is due to, if one is
  std::string reason;                // what the rules say about the end
  std::uint64_t turns = 0;
  std::uint64_t tokens = 0;          // of all seats, all kinds
  std::optional<double> cost;        // of all seats, in dollars; nullopt: unknown
  std::vector<SeatFigures> by_seat;  // as many as seats, or empty if nothing is known
  Time started;
  double seconds = 0;

  bool Won(SeatIndex seat) const;
  bool operator==(const GameLine&) const = default;
};

// Milliseconds are rounded to a tenth, seconds to a thousandth, costs to a billionth.
json::Object ToJson(const GameLine& line);
// Required are "game", "pair", "seats", "result", and "winners" of a win. Every other member may be missing or null,
// and members with unknown names are ignored. Errors: kInvalid, with the member in `path` and what was expected.
Result<GameLine> ParseGameLine(const json::Value& value);

}  // namespace openseat::arena

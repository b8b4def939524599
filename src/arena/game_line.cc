#include "arena/game_line.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "base/json_members.h"
#include "base/text.h"

namespace openseat::arena {
namespace {

constexpr std::array<std::string_view, 3> kResultNames = {"win", "draw", "void"};

double Milliseconds(double value) {
  return RoundTo(value, 10);
}
json::Value CostJson(const std::optional<double>& cost) {
  return cost ? json::Value(RoundTo(*cost, 1e9)) : json::Value(nullptr);
}
json::Value TextJson(const std::optional<std::string>& text) {
  return text ? json::Value(*text) : json::Value(nullptr);
}

json::Object SeatJson(const SeatFigures& seat) {
  json::Object out{{"decisions", seat.decisions},
                   {"illegal", seat.illegal},
                   {"repaired", seat.repaired},
                   {"asked_again", seat.asked_again},
                   {"tokens", ToJson(seat.tokens)},
                   {"cost", CostJson(seat.cost)},
                   {"latency_ms", Milliseconds(seat.latency_ms)}};
  if (seat.cpu_ms) out["cpu_ms"] = Milliseconds(*seat.cpu_ms);
  return out;
}

// Reads members of an object and keeps the first error. A member that is missing or null leaves its target as it was.
class LineReader {
 public:
  LineReader(const json::Object& object, std::string prefix) : object_(object), prefix_(std::move(prefix)) {}

  void Require(std::string_view name) {
    if (Member(name) == nullptr) Refuse(name, "is missing");
  }
  void Whole(std::string_view name, std::uint64_t& target, std::uint64_t end = kEndOfSeeds) {
    const json::Value* member = Member(name);
    if (member == nullptr) return;
    const std::optional<std::uint64_t> number = json::WholeOf(object_, name);
    if (!number || *number >= end) return Refuse(name, "must be a whole number from 0 to 2^53 - 1, not ", *member);
    target = *number;
  }
  void Flag(std::string_view name, bool& target) {
    const json::Value* member = Member(name);
    if (member == nullptr) return;
    if (!member->is_bool()) return Refuse(name, "must be true or false, not ", *member);
    target = member->get_bool();
  }
  // A length of time or a sum of money.
  template <typename Target>
  void Amount(std::string_view name, Target& target) {
    const json::Value* member = Member(name);
    if (member == nullptr) return;
    const std::optional<double> number = json::FindNumber(object_, name);
    if (!number || *number < 0) return Refuse(name, "must be a number that is not negative, not ", *member);
    const double amount = *number;
    target = amount;
  }
  template <typename Target>
  void Text(std::string_view name, Target& target, std::size_t max_bytes = kMaxGameLineBytes) {
    const json::Value* member = Member(name);
    if (member == nullptr) return;
    if (!member->is_string()) return Refuse(name, "must be a string, not ", *member);
    if (member->get_string().size() > max_bytes) {
      return Refuse(name, "must have at most " + std::to_string(max_bytes) + " bytes");
    }
    target = std::string(json::View(member->get_string()));
  }
  const json::Array* List(std::string_view name) {
    const json::Value* member = Member(name);
    if (member == nullptr) return nullptr;
    if (!member->is_array()) Refuse(name, "must be an array, not ", *member);
    return member->if_array();
  }
  const json::Value* Member(std::string_view name) const {
    const json::Value* member = json::Find(object_, name);
    return member == nullptr || member->is_null() ? nullptr : member;
  }
  void Refuse(std::string_view name, std::string_view what) {
    if (!error_.message.empty()) return;
    error_.path = prefix_ + std::string(name);
    error_.message = "\"" + error_.path + "\" " + std::string(what);
  }
  void Refuse(std::string_view name, std::string_view what, const json::Value& found) {
    Refuse(name, std::string(what) + json::Excerpt(found, 60));
  }
  void Take(const LineReader& inner) {
    if (error_.message.empty()) error_ = inner.error_;
  }
  bool failed() const { return !error_.message.empty(); }
  const Error& error() const { return error_; }

 private:
  const json::Object& object_;
  const std::string prefix_;
  Error error_{.code = ErrorCode::kInvalid, .message = "", .path = ""};
};

void ReadSeatNames(LineReader& in, std::vector<std::string>& seats) {
  in.Require("seats");
  const json::Array* list = in.List("seats");
  if (list == nullptr) return;
  if (list->empty() || list->size() > kMaxLineSeats) {
    return in.Refuse(
        "seats", "must have 1 to " + std::to_string(kMaxLineSeats) + " agents, not " + std::to_string(list->size()));
  }
  for (const json::Value& seat : *list) {
    const json::String* name = seat.if_string();
    if (name == nullptr || name->empty() || name->size() > kMaxAgentName) {
      return in.Refuse("seats", "must have agents' names of 1 to " + std::to_string(kMaxAgentName) + " bytes, not ",
                       seat);
    }
    seats.emplace_back(json::View(*name));
  }
}

void ReadResult(LineReader& in, GameLine& line) {
  std::string name;
  in.Require("result");
  in.Text("result", name);
  const auto* found = std::ranges::find(kResultNames, name);
  if (found == kResultNames.end())
    return in.Refuse("result", R"(must be "win", "draw" or "void", not )", json::Value(name));
  line.result = static_cast<GameResult>(found - kResultNames.begin());
}

void ReadWinners(LineReader& in, GameLine& line) {
  const json::Array* list = in.List("winners");
  for (const json::Value& winner : list == nullptr ? json::Array() : *list) {
    const bool whole = winner.is_int64() || winner.is_uint64();
    const auto seat = whole ? winner.to_number<double>() : -1;
    if (seat < 0 || seat >= static_cast<double>(line.seats.size()) ||
        (!line.winners.empty() && seat <= line.winners.back())) {
      return in.Refuse(
          "winners", "must be seats in ascending order, each less than " + std::to_string(line.seats.size()) + ", not ",
          json::Value(*list));
    }
    line.winners.push_back(static_cast<SeatIndex>(seat));
  }
  if ((line.result == GameResult::kWin) == line.winners.empty()) {
    in.Refuse("winners", "must name the winning seats of a win, and be empty for any other result");
  }
}

SeatFigures ReadSeatFigures(LineReader& in, const json::Value& value, std::size_t seat) {
  SeatFigures figures;
  const std::string at = "by_seat[" + std::to_string(seat) + "]";
  if (!value.is_object()) {
    in.Refuse(at, "must be an object, not ", value);
    return figures;
  }
  LineReader members(value.get_object(), at + ".");
  members.Whole("decisions", figures.decisions);
  members.Whole("illegal", figures.illegal);
  members.Whole("repaired", figures.repaired);
  members.Whole("asked_again", figures.asked_again);
  members.Amount("cost", figures.cost);
  members.Amount("latency_ms", figures.latency_ms);
  members.Amount("cpu_ms", figures.cpu_ms);
  if (const json::Value* tokens = members.Member("tokens"); tokens != nullptr) {
    if (!tokens->is_object()) members.Refuse("tokens", "must be an object, not ", *tokens);
    const json::Object empty;
    LineReader kinds(tokens->is_object() ? tokens->get_object() : empty, at + ".tokens.");
    kinds.Whole("input", figures.tokens.input);
    kinds.Whole("cached", figures.tokens.cached);
    kinds.Whole("created", figures.tokens.created);
    kinds.Whole("output", figures.tokens.output);
    kinds.Whole("reasoning", figures.tokens.reasoning);
    members.Take(kinds);
  }
  in.Take(members);
  return figures;
}

void ReadBySeat(LineReader& in, GameLine& line) {
  const json::Array* list = in.List("by_seat");
  if (list == nullptr) return;
  if (list->size() != line.seats.size() && !list->empty()) {
    return in.Refuse("by_seat", "must be empty or have as many members as \"seats\"");
  }
  for (const json::Value& seat : *list) line.by_seat.push_back(ReadSeatFigures(in, seat, line.by_seat.size()));
}

void ReadCulprit(LineReader& in, GameLine& line) {
  if (in.Member("culprit") == nullptr) return;
  std::uint64_t seat = 0;
  in.Whole("culprit", seat);
  if (seat >= line.seats.size()) return in.Refuse("culprit", "must be a seat");
  line.culprit = static_cast<SeatIndex>(seat);
}

void ReadTimes(LineReader& in, GameLine& line) {
  std::string started;
  in.Text("started", started);
  if (!started.empty()) {
    const std::optional<Time> time = ParseIso8601(started);
    if (!time)
      in.Refuse("started", "must be a time in UTC such as \"2026-11-23T03:30:00.000Z\", not ", json::Value(started));
    line.started = time.value_or(Time());
  }
  in.Amount("seconds", line.seconds);
}

}  // namespace

TokenFigures& TokenFigures::operator+=(const TokenFigures& more) {
  input += more.input;
  cached += more.cached;
  created += more.created;
  output += more.output;
  reasoning += more.reasoning;
  return *this;
}

json::Object ToJson(const TokenFigures& tokens) {
  return {{"input", tokens.input},
          {"cached", tokens.cached},
          {"created", tokens.created},
          {"output", tokens.output},
          {"reasoning", tokens.reasoning}};
}

TokenFigures TokensIn(const json::Object& tokens) {
  const auto count = [&tokens](std::string_view name) { return json::WholeOf(tokens, name).value_or(0); };
  return {.input = count("input"),
          .cached = count("cached"),
          .created = count("created"),
          .output = count("output"),
          .reasoning = count("reasoning")};
}

double RoundTo(double value, double steps) {
  return std::round(value * steps) / steps + 0.0;
}

std::string_view GameResultName(GameResult result) {
  return kResultNames[static_cast<std::size_t>(result)];
}

bool GameLine::Won(SeatIndex seat) const {
  return std::ranges::binary_search(winners, seat);
}

json::Object ToJson(const GameLine& line) {
  json::Array by_seat;
  for (const SeatFigures& seat : line.by_seat) by_seat.push_back(SeatJson(seat));
  return {{"game", line.game},
          {"pair", line.pair},
          {"game_id", line.game_id},
          {"seed", line.seed},
          {"seats", json::Array(line.seats.begin(), line.seats.end())},
          {"result", GameResultName(line.result)},
          {"winners", json::Array(line.winners.begin(), line.winners.end())},
          {"forfeit", line.forfeit},
          {"cause", TextJson(line.cause)},
          {"code", TextJson(line.code)},
          {"culprit", line.culprit ? json::Value(*line.culprit) : json::Value()},
          {"reason", line.reason},
          {"turns", line.turns},
          {"tokens", line.tokens},
          {"cost", CostJson(line.cost)},
          {"by_seat", std::move(by_seat)},
          {"started", FormatIso8601(line.started)},
          {"seconds", RoundTo(line.seconds, 1000)}};
}

Result<GameLine> ParseGameLine(const json::Value& value) {
  if (!value.is_object()) {
    return Fail(ErrorCode::kInvalid, "a line must be an object, not " + json::Excerpt(value, 60));
  }
  GameLine line;
  LineReader in(value.get_object(), "");
  for (const char* name : {"game", "pair"}) in.Require(name);
  in.Whole("game", line.game);
  in.Whole("pair", line.pair);
  in.Text("game_id", line.game_id, kMaxAgentName);
  in.Whole("seed", line.seed);
  ReadSeatNames(in, line.seats);
  ReadResult(in, line);
  if (in.failed()) return Fail(in.error());
  ReadWinners(in, line);
  in.Flag("forfeit", line.forfeit);
  in.Text("cause", line.cause);
  in.Text("code", line.code);
  ReadCulprit(in, line);
  in.Text("reason", line.reason);
  in.Whole("turns", line.turns);
  in.Whole("tokens", line.tokens);
  in.Amount("cost", line.cost);
  ReadBySeat(in, line);
  ReadTimes(in, line);
  if (in.failed()) return Fail(in.error());
  return line;
}

}  // namespace openseat::arena

#include "protocols/openenv/reset_options.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/json_members.h"
#include "base/text.h"
#include "core/game_base.h"
#include "core/seat_set.h"

namespace openseat::openenv {
namespace {

constexpr double kMostReward = 1e6;

tl::unexpected<Error> Wrong(const std::string& name, const std::string& expected, const json::Value& got) {
  return Fail(ErrorCode::kInvalid, name + " must be " + expected + "; got " + std::string(json::TypeName(got)), name);
}

Result<bool> ReadFlag(const std::string& name, const json::Value& value) {
  if (!value.is_bool()) return Wrong(name, "true or false", value);
  return value.get_bool();
}

// One seat: its number or its role.
Result<SeatIndex> ReadSeat(const std::string& name, const json::Value& value, const GameInfo& game,
                           std::size_t players) {
  if (value.is_string()) {
    const auto role = std::ranges::find(game.roles, json::View(value.get_string()));
    const auto seat = static_cast<std::size_t>(role - game.roles.begin());
    if (role != game.roles.end() && seat < players) return static_cast<SeatIndex>(seat);
  } else if (json::IsInteger(value)) {
    const double number = value.to_number<double>();
    if (number >= 0 && number < static_cast<double>(players)) return static_cast<SeatIndex>(number);
  }
  const std::string roles = Listing(game.roles);
  return Fail(ErrorCode::kInvalid,
              name + " must be a seat from 0 to " + std::to_string(players - 1) +
                  (roles.empty() ? "" : ", or one of the roles " + roles) + "; got " + json::Excerpt(value),
              name);
}

Result<std::vector<SeatIndex>> ReadSeats(const std::string& name, const json::Value& value, const GameInfo& game,
                                         std::size_t players) {
  SeatSet seats;
  if (value == json::Value("all")) {
    seats = SeatSet::FirstOf(static_cast<SeatIndex>(players));
  } else if (value.is_array() && !value.get_array().empty()) {
    for (const json::Value& each : value.get_array()) {
      Result<SeatIndex> seat = ReadSeat(name, each, game, players);
      if (!seat) return Fail(seat.error());
      seats.Insert(*seat);
    }
  } else {
    Result<SeatIndex> seat = ReadSeat(name, value, game, players);
    if (!seat) return Fail(seat.error());
    seats.Insert(*seat);
  }
  std::vector<SeatIndex> list;
  for (const SeatIndex seat : seats) list.push_back(seat);
  return list;
}

Result<void> ReadIllegal(const json::Value& value, PlayerTerms& terms) {
  if (!value.is_object()) return Wrong("illegal", "an object with reward and attempts", value);
  for (const auto& member : value.get_object()) {
    const std::string name = "illegal." + Ellipsize(json::KeyOf(member), kQuotedBytes);
    if (name == "illegal.reward" && member.value().is_number()) {
      const auto number = member.value().to_number<double>();
      if (!(std::abs(number) <= kMostReward)) return Wrong(name, "a number from -1000000 to 1000000", member.value());
      terms.illegal_reward = number;
    } else if (const auto whole = json::WholeOf(value.get_object(), "attempts"); name == "illegal.attempts" && whole) {
      terms.illegal_attempts = *whole;
    } else {
      return Fail(ErrorCode::kInvalid, "illegal has the members reward and attempts, which are numbers; got " + name,
                  name);
    }
  }
  return {};
}

Result<Fields> ReadFields(const json::Value& value) {
  if (!value.is_array()) return Wrong("fields", "a list", value);
  Fields fields{false, false, false, false};
  for (const json::Value& each : value.get_array()) {
    if (each == json::Value("state")) {
      fields.state = true;
    } else if (each == json::Value("text")) {
      fields.text = true;
    } else if (each == json::Value("choices")) {
      fields.choices = true;
    } else if (each == json::Value("mask")) {
      fields.mask = true;
    } else {
      return Fail(ErrorCode::kInvalid, "fields may list state, text, choices and mask; got " + json::Excerpt(each),
                  "fields");
    }
  }
  return fields;
}

// nullopt: the seat is open.
Result<std::optional<AgentSpec>> ReadOpponent(const json::Value& value, const Game& game, const AgentKinds& kinds,
                                              Namer namer) {
  AgentSpec spec;
  if (value == json::Value("open")) return std::optional<AgentSpec>();
  if (value.is_string()) {
    Result<AgentSpec> parsed = kinds.Parse(json::View(value.get_string()), namer);
    if (!parsed) return Fail(parsed.error().code, parsed.error().message, "opponents");
    spec = std::move(*parsed);
  } else if (value.is_object() && value.get_object().contains("kind")) {
    spec.options = value.get_object();
    spec.kind = json::TextOf(spec.options, "kind");
    spec.options.erase("kind");
  } else {
    return Wrong("opponents", "an agent (\"random\", {\"kind\": …}), \"open\", or a list of them", value);
  }
  Result<void> usable = kinds.Check(spec, namer);
  if (usable) usable = kinds.CheckGame(spec, game.info().id);
  // Its answers cost somebody money or work; a player is not asked for either.
  if (usable && namer == Namer::kPlayer && kinds.Find(spec.kind)->CostsOperator()) {
    usable = Fail(ErrorCode::kDenied, "the agent " + Quote(spec.kind) + " needs the admin token here");
  }
  if (usable && kinds.IsPlayedFromOutside(spec.kind)) {
    usable = Fail(ErrorCode::kInvalid, "an opponent plays by itself; for another socket the seat is \"open\"");
  }
  if (!usable) return Fail(ErrorCode::kInvalid, usable.error().message, "opponents");
  return std::optional<AgentSpec>(std::move(spec));
}

}  // namespace

// NOLINTNEXTLINE(readability-function-cognitive-complexity): one line for each argument
Result<ResetOptions> ReadReset(const json::Object& arguments, const Game& game, const AgentKinds& kinds, Namer namer) {
  const GameInfo& info = game.info();
  ResetOptions read;
  read.players = info.min_seats;
  if (const json::Value* list = json::Find(arguments, "opponents"); list != nullptr && list->is_array()) {
    const json::Value* own = json::Find(arguments, "seat");
    const std::size_t mine = own != nullptr && own->is_array() ? std::max<std::size_t>(1, own->get_array().size()) : 1;
    read.players = std::max<std::size_t>(read.players, list->get_array().size() + mine);
  }
  if (const json::Value* players = json::Find(arguments, "players"); players != nullptr && !players->is_null()) {
    const auto whole = json::WholeOf(arguments, "players");
    if (!whole || *whole < info.min_seats || *whole > info.max_seats) {
      return Fail(ErrorCode::kInvalid,
                  "players must be from " + std::to_string(info.min_seats) + " to " + std::to_string(info.max_seats) +
                      "; got " + json::Excerpt(*players),
                  "players");
    }
    read.players = static_cast<std::size_t>(*whole);
    read.players_named = true;
  }
  if (read.players > info.max_seats) {
    return Fail(ErrorCode::kInvalid,
                "opponents has " + std::to_string(read.players - 1) + " agents; " + info.title + " has " +
                    std::to_string(info.max_seats) + " seats",
                "opponents");
  }
  read.player.seats = {0};
  const json::Value* opponents = nullptr;
  for (const auto& member : arguments) {
    const std::string name = Ellipsize(json::KeyOf(member), kQuotedBytes);
    const json::Value& value = member.value();
    if (value.is_null()) continue;
    if (name == "seed") {
      read.seed = json::WholeOf(arguments, "seed");
      if (!read.seed) return Wrong("seed", "a whole number from 0", value);
    } else if (name == "episode_id") {
      if (!value.is_string() || value.get_string().size() > kMaxEpisodeId) {
        return Wrong("episode_id", "text of at most 255 bytes", value);
      }
      read.episode_id = json::View(value.get_string());
    } else if (name == "seat" || name == "role") {
      Result<std::vector<SeatIndex>> seats = ReadSeats(name, value, info, read.players);
      if (!seats) return Fail(seats.error());
      if (read.seat_named && *seats != read.player.seats) {
        return Fail(ErrorCode::kInvalid, "seat and role name different seats", "role");
      }
      read.player.seats = std::move(*seats);
      read.seat_named = true;
    } else if (name == "opponents") {
      opponents = &value;
    } else if (name == "options") {
      if (!value.is_object()) return Wrong("options", "an object", value);
      if (Result<void> fits = CheckOptionsSize(value); !fits) return Fail(fits.error());
      read.options = value;
    } else if (name == "reward") {
      if (value == json::Value("terminal")) {
        read.player.reward = Reward::kTerminal;
      } else if (value == json::Value("score")) {
        read.player.reward = Reward::kScore;
      } else if (value == json::Value("shaped") && game.heuristics() != nullptr) {
        read.player.reward = Reward::kShaped;
      } else if (value == json::Value("judge")) {
        read.player.reward = Reward::kJudge;
      } else {
        return Fail(ErrorCode::kInvalid,
                    std::string("reward must be \"terminal\", \"score\"") +
                        (game.heuristics() != nullptr ? ", \"judge\" or \"shaped\""
                                                      : " or \"judge\"; this game has no heuristics to shape it") +
                        "; got " + json::Excerpt(value),
                    "reward");
      }
    } else if (name == "illegal") {
      if (Result<void> illegal = ReadIllegal(value, read.player); !illegal) return Fail(illegal.error());
    } else if (name == "fields") {
      Result<Fields> fields = ReadFields(value);
      if (!fields) return Fail(fields.error());
      read.player.fields = *fields;
    } else if (name == "wait") {
      const double seconds = value.is_number() ? value.to_number<double>() : -1;
      if (!(seconds >= 0 && seconds <= std::chrono::duration<double>(kMaxWait).count())) {
        return Wrong("wait", "a number of seconds from 0 to 50", value);
      }
      read.player.wait = Duration(static_cast<std::int64_t>(seconds * 1e6));
    } else if (name == "record" || name == "autoreset") {
      Result<bool> flag = ReadFlag(name, value);
      if (!flag) return Fail(flag.error());
      (name == "record" ? read.record : read.autoreset) = *flag;
    } else if (name != "players") {
      return Fail(ErrorCode::kInvalid,
                  "reset has no argument " + Quote(name) +
                      "; it has seed, episode_id, seat, role, opponents, players, options, reward, illegal, fields, "
                      "wait, record and autoreset",
                  name);
    }
  }
  read.opponents.resize(read.players);
  read.opponents_named = opponents != nullptr;
  const std::size_t others = read.players - read.player.seats.size();
  if (opponents != nullptr && opponents->is_array() && opponents->get_array().size() != others) {
    return Fail(ErrorCode::kInvalid,
                "opponents must have one agent for each of the other " + std::to_string(others) + " seats; got " +
                    std::to_string(opponents->get_array().size()),
                "opponents");
  }
  static const json::Value kRandom("random");
  std::size_t next = 0;
  for (std::size_t seat = 0; seat < read.players; ++seat) {
    if (std::ranges::find(read.player.seats, seat) != read.player.seats.end()) continue;
    const json::Value& value = opponents == nullptr    ? kRandom
                               : opponents->is_array() ? opponents->get_array()[next++]
                                                       : *opponents;
    Result<std::optional<AgentSpec>> agent = ReadOpponent(value, game, kinds, namer);
    if (!agent) return Fail(agent.error());
    read.open = read.open || !*agent;
    read.opponents[seat] = std::move(*agent);
  }
  if (read.open && read.episode_id.empty()) {
    return Fail(ErrorCode::kInvalid, "a seat is open only in an episode with an episode_id, which others name to join",
                "episode_id");
  }
  // In an episode that others join, or that this one may be about to join and could guess the seed of.
  const bool with_others = read.open || (!read.episode_id.empty() && read.seat_named && !read.opponents_named);
  if (with_others && read.seed && info.hides && namer == Namer::kPlayer) {
    return Fail(
        ErrorCode::kInvalid,
        "seed and an open seat do not go together: the game would hide nothing from somebody who knows the seed",
        "seed");
  }
  return read;
}

}  // namespace openseat::openenv

#include "core/game_base.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/text.h"

namespace openseat {
namespace {

std::string Quoted(std::string_view text) {
  std::string out;
  json::WriteString(Ellipsize(text, 40), out);
  return out;
}

bool Has(std::initializer_list<std::string_view> names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

Result<PlayerNames> CheckNames(const GameInfo& info, std::vector<std::string> names) {
  if (names.size() < info.min_seats || names.size() > info.max_seats) {
    std::string wanted = std::to_string(info.min_seats);
    if (info.max_seats != info.min_seats) wanted += " to " + std::to_string(info.max_seats);
    return Fail(ErrorCode::kInvalid, info.title + " is for " + wanted + " players; got " + std::to_string(names.size()),
                "names");
  }
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i].empty()) return Fail(ErrorCode::kInvalid, "a player's name must not be empty", "names");
    if (std::find(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(i), names[i]) !=
        names.begin() + static_cast<std::ptrdiff_t>(i)) {
      return Fail(ErrorCode::kInvalid, "the players need different names; two are called " + Quoted(names[i]), "names");
    }
  }
  return PlayerNames(std::move(names));
}

Result<PlayerNames> RestoreNames(const GameInfo& info, const json::Value& serialized) {
  const json::Value* names = json::Find(serialized, "names");
  if (names == nullptr || !names->is_array()) {
    return Fail(ErrorCode::kInvalid, "a saved " + info.title + " has an array of names", "names");
  }
  std::vector<std::string> out;
  for (const json::Value& name : names->get_array()) {
    if (!name.is_string())
      return Fail(ErrorCode::kInvalid, "a player's name must be a string; got " + json::Excerpt(name), "names");
    out.emplace_back(json::View(name.get_string()));
  }
  return CheckNames(info, std::move(out));
}

json::Array ToJson(const PlayerNames& names) {
  json::Array out;
  for (const std::string& name : names.all()) out.emplace_back(name);
  return out;
}

std::optional<std::int64_t> IntegerOf(const json::Value& value) {
  constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
  constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min();
  if (value.is_int64()) return value.get_int64();
  if (value.is_uint64()) {
    return static_cast<std::int64_t>(std::min(value.get_uint64(), static_cast<std::uint64_t>(kMax)));
  }
  if (!value.is_double()) return std::nullopt;
  const double number = value.get_double();
  if (!std::isfinite(number) || std::trunc(number) != number) return std::nullopt;
  if (number >= 0x1p63) return kMax;
  if (number < -0x1p63) return kMin;
  return static_cast<std::int64_t>(number);
}

Result<void> CheckOptionsSize(const json::Value& options) {
  constexpr std::size_t kMost = 64u << 10;
  const std::size_t size = options.is_null() ? 0 : json::Write(options).size();
  if (size <= kMost) return {};
  return Fail(ErrorCode::kInvalid, "options may have at most 64 KiB; got " + std::to_string(size) + " bytes",
              "options");
}

Result<void> CheckOptions(const json::Value& options, std::initializer_list<std::string_view> known) {
  if (options.is_null()) return {};
  if (!options.is_object())
    return Fail(ErrorCode::kInvalid, "the options must be an object; got " + json::Excerpt(options));
  for (const auto& member : options.get_object()) {
    if (Has(known, json::KeyOf(member))) continue;
    return Fail(ErrorCode::kInvalid,
                (known.size() == 0 ? "this game has no options" : "the options are " + Listing(known, " and ")) +
                    "; got " + Quoted(json::KeyOf(member)),
                Ellipsize(json::KeyOf(member), kQuotedBytes));
  }
  return {};
}

Result<int> IntegerOption(const json::Value& options, std::string_view name, int fallback, int low, int high) {
  const json::Value* value = json::Find(options, name);
  if (value == nullptr) return fallback;
  const std::optional<std::int64_t> number = IntegerOf(*value);
  if (!number || *number < low || *number > high) {
    return Fail(ErrorCode::kInvalid,
                std::string(name) + " must be a whole number from " + std::to_string(low) + " to " +
                    std::to_string(high) + "; got " + json::Excerpt(*value),
                std::string(name));
  }
  return static_cast<int>(*number);
}

Result<void> CheckMembers(const json::Value& data, std::initializer_list<std::string_view> members) {
  if (!data.is_object()) {
    return Fail(ErrorCode::kIncorrectData,
                "data must be an object with the member " + Listing(members, " and ") + "; got " + json::Excerpt(data));
  }
  const json::Object& object = data.get_object();
  for (const std::string_view member : members) {
    if (json::Find(object, member) == nullptr) {
      return Fail(ErrorCode::kIncorrectData, "data needs the member " + Quoted(member) + "; got " + json::Excerpt(data),
                  std::string(member));
    }
  }
  for (const auto& member : object) {
    if (!Has(members, json::KeyOf(member))) {
      return Fail(ErrorCode::kIncorrectData, "data has the unexpected member " + Quoted(json::KeyOf(member)),
                  Ellipsize(json::KeyOf(member), kQuotedBytes));
    }
  }
  return {};
}

Result<void> CheckNoData(const json::Value& data) {
  if (data.is_null() || (data.is_object() && data.get_object().empty())) return {};
  return Fail(ErrorCode::kIncorrectData, "this action takes no data: {} is expected; got " + json::Excerpt(data));
}

json::Value OneMemberSchema(std::string_view member, json::Value schema) {
  return json::Object{{"type", "object"},
                      {"properties", json::Object{{member, std::move(schema)}}},
                      {"required", json::Array{member}},
                      {"additionalProperties", false}};
}

Result<const ActionSpec*> CheckAction(const GameInfo& info, const GameState& state, SeatIndex seat,
                                      std::string_view action) {
  const auto found = std::find_if(info.actions.begin(), info.actions.end(),
                                  [&](const ActionSpec& spec) { return spec.name == action; });
  if (found == info.actions.end()) {
    return Fail(ErrorCode::kNoSuchAction,
                "the action must be " + Listing(info.actions, " or ", &ActionSpec::name) + "; got " + Quoted(action));
  }
  if (seat >= state.names().size()) {
    return Fail(ErrorCode::kNotYourTurn, "seat " + std::to_string(seat) + " is not in this game");
  }
  const SeatSet awaited = state.Awaited();
  if (found->any_time || awaited.Contains(seat)) return &*found;
  if (awaited.empty()) return Fail(ErrorCode::kNotYourTurn, "the game is over");
  std::vector<std::string> others;
  for (const SeatIndex other : awaited) others.push_back(state.names()[other]);
  return Fail(ErrorCode::kNotYourTurn, "it is not your turn: " + Listing(others, " and ") + " must choose first");
}

}  // namespace openseat

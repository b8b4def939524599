#include "games/script/script_info.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "base/digest.h"
#include "core/game_base.h"
#include "games/script/harness.h"
#include "schema/schema.h"

namespace openseat::games {
namespace {

constexpr std::size_t kMostActions = 64;
constexpr std::size_t kMostListed = 10'000;      // values of one member
constexpr std::size_t kMostListedAll = 100'000;  // of all members of all actions
constexpr Move kFirstDigest = 1u << 31;
constexpr std::uint64_t kMostNumbers = 1u << 30;
// Raise it when the engine changes what a script does.
constexpr std::string_view kEngineVersion = "quickjs-ng 0.17.0, 1";

tl::unexpected<Error> Wrong(std::string message) {
  return Fail(ErrorCode::kInvalid, std::move(message), "info");
}

Result<std::string> ReadText(const json::Value& info, std::string_view name, std::size_t most) {
  const json::Value* value = json::Find(info, name);
  if (value == nullptr || !value->is_string() || value->get_string().empty() || value->get_string().size() > most) {
    return Wrong("info." + std::string(name) + " must be a text of 1 to " + std::to_string(most) + " bytes; got " +
                 (value == nullptr ? "nothing" : json::Excerpt(*value)));
  }
  return std::string(json::View(value->get_string()));
}

Result<void> ReadSeats(const json::Value& info, GameInfo& game) {
  const json::Value* seats = json::Find(info, "seats");
  const json::Value* low = seats == nullptr ? nullptr : json::Find(*seats, "min");
  const json::Value* high = seats == nullptr ? nullptr : json::Find(*seats, "max");
  const auto min = low == nullptr ? std::nullopt : IntegerOf(*low);
  const auto max = high == nullptr ? std::nullopt : IntegerOf(*high);
  if (!min || !max || *min < 1 || *max < *min || *max > SeatSet::kMaxSeats) {
    return Wrong("info.seats must be {min, max, roles}, with 1 <= min <= max <= " + std::to_string(SeatSet::kMaxSeats) +
                 "; got " + (seats == nullptr ? "nothing" : json::Excerpt(*seats)));
  }
  game.min_seats = static_cast<SeatIndex>(*min);
  game.max_seats = static_cast<SeatIndex>(*max);
  const json::Value* roles = json::Find(*seats, "roles");
  if (roles == nullptr) {
    for (int seat = 1; seat <= *max; ++seat) game.roles.push_back("Player " + std::to_string(seat));
    return {};
  }
  if (!roles->is_array() || roles->get_array().size() != game.max_seats) {
    return Wrong("info.seats.roles must be a list of " + std::to_string(*max) + " texts, one for each seat; got " +
                 json::Excerpt(*roles));
  }
  for (const json::Value& role : roles->get_array()) {
    if (!role.is_string() || role.get_string().empty()) {
      return Wrong("info.seats.roles must be texts; got " + json::Excerpt(role));
    }
    game.roles.emplace_back(json::View(role.get_string()));
  }
  return {};
}

Result<void> ReadOptions(const json::Value& info, GameInfo& game) {
  game.options_schema = json::Object{{"type", "object"}, {"additionalProperties", false}};
  const json::Value* options = json::Find(info, "options");
  if (options == nullptr) return {};
  if (!options->is_object()) {
    return Wrong(
        "info.options must be an object of JSON Schemas, each with a default: {size: {type: \"integer\", "
        "minimum: 3, maximum: 9, default: 3}}; got " +
        json::Excerpt(*options));
  }
  for (const auto& option : options->get_object()) {
    const std::string name(json::KeyOf(option));
    const auto compiled = schema::Schema::Compile(option.value());
    if (!compiled) return Wrong("info.options." + name + " must be a JSON Schema: " + compiled.error().message);
    const json::Value* fallback = json::Find(option.value(), "default");
    if (fallback == nullptr || !(*compiled)->IsValid(*fallback)) {
      return Wrong("info.options." + name + " needs a default that it accepts");
    }
  }
  game.options_schema.get_object()["properties"] = *options;
  // Together, an $id may be there twice, and a $ref mean something else.
  if (const auto all = schema::Schema::Compile(game.options_schema); !all) {
    return Wrong("info.options: " + all.error().message);
  }
  return {};
}

// `listed`: how many values all members have so far. A schema of a few bytes names thousands.
Result<DataMember> ReadMember(const std::string& path, std::string_view name, const json::Value& given,
                              std::size_t& listed) {
  if (!given.is_array() && !given.is_object()) {
    return Wrong(path + " must list every value that it can ever have, or be a JSON Schema; got " +
                 json::Excerpt(given));
  }
  DataMember member{std::string(name), SchemaOf(given), ValuesOf(given), {}, {}};
  if (const auto compiled = schema::Schema::Compile(member.schema); !compiled) {
    return Wrong(path + " must be a JSON Schema: " + compiled.error().message);
  }
  if (member.values.size() > kMostListed) {
    return Wrong(path + " has more than " + std::to_string(kMostListed) + " values");
  }
  listed += member.values.size();
  if (listed > kMostListedAll) {
    return Wrong("the members of info.actions have at most " + std::to_string(kMostListedAll) +
                 " values together; got " + std::to_string(listed) + " with those of " + path);
  }
  for (std::size_t i = 0; i < member.values.size(); ++i) {
    std::string text = json::Write(member.values[i]);
    member.bytes.push_back(text.size());
    if (!member.places.emplace(std::move(text), i).second) {
      return Wrong(path + " has the value " + json::Excerpt(member.values[i]) + " twice");
    }
  }
  return member;
}

Result<CatalogEntry> ReadAction(const json::Value& given, std::size_t& listed) {
  CatalogEntry entry{std::string(json::TextOf(given, "name")), std::string(json::TextOf(given, "description")), {}, {}};
  const std::string path = "info.actions." + entry.name;
  if (entry.name.empty() || entry.name.size() > 64 || entry.description.empty()) {
    return Wrong(path + " needs a name of 1 to 64 bytes and a description");
  }
  const json::Value* data = json::Find(given, "data");
  if (data == nullptr) return entry;
  if (!data->is_object()) {
    return Wrong(path + ".data must be an object: {column: [0, 1, 2]}; got " + json::Excerpt(*data));
  }
  if (json::Find(*data, "properties") != nullptr && json::TextOf(*data, "type") == "object") {
    return Wrong(
        path + ".data must have a member for each value, with its own list or JSON Schema: {column: [0, 1, 2]}; got " +
        "a JSON Schema of them all");
  }
  for (const auto& each : data->get_object()) {
    const std::string name(json::KeyOf(each));
    Result<DataMember> member = ReadMember(path + ".data." + name, name, each.value(), listed);
    if (!member) return Fail(member.error());
    entry.members.push_back(*std::move(member));
  }
  return entry;
}

Result<void> ReadActions(const json::Value& info, ScriptInfo& read) {
  const json::Value* actions = json::Find(info, "actions");
  if (actions == nullptr || !actions->is_array() || actions->get_array().empty() ||
      actions->get_array().size() > kMostActions) {
    return Wrong("info.actions must have 1 to " + std::to_string(kMostActions) + " actions");
  }
  std::uint64_t next = 0;
  std::size_t listed = 0;
  for (const json::Value& given : actions->get_array()) {
    Result<CatalogEntry> entry = ReadAction(given, listed);
    if (!entry) return Fail(entry.error());
    std::uint64_t count = 1;
    std::vector<std::pair<std::string, json::Value>> members;
    for (const DataMember& member : entry->members) {
      count = member.values.empty() ? kMostNumbers : std::min(kMostNumbers, count * member.values.size());
      members.emplace_back(member.name, member.schema);
    }
    if (next + count < kMostNumbers) {
      entry->first_move = static_cast<Move>(next);
      next += count;
    }
    read.game.max_moves += std::min<std::uint64_t>(count, kMostListed);
    read.game.moves_complete = read.game.moves_complete && entry->complete();
    read.game.actions.push_back({.name = entry->name,
                                 .description = entry->description,
                                 .schema = members.empty() ? json::Value() : DataSchema(members)});
    read.catalog.push_back(*std::move(entry));
  }
  return {};
}

}  // namespace

bool CatalogEntry::complete() const {
  return std::ranges::none_of(members, [](const DataMember& member) { return member.values.empty(); });
}

const CatalogEntry* ScriptInfo::Find(std::string_view action) const {
  const auto found = std::ranges::find(catalog, action, &CatalogEntry::name);
  return found == catalog.end() ? nullptr : &*found;
}

Result<ScriptInfo> ReadInfo(const Script& script) {
  const json::Value& info = script.info();
  ScriptInfo read;
  GameInfo& game = read.game;
  Result<std::string> id = ReadText(info, "id", 40);
  if (!id) return Fail(id.error());
  if (id->find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-") != std::string::npos) {
    return Wrong("info.id must be made of a to z, 0 to 9 and -; got \"" + *id + "\"");
  }
  game.id = *std::move(id);
  for (const auto& [name, most, text] : {std::tuple{"title", 80, &game.title},
                                         {"description", 400, &game.description},
                                         {"rules", 20'000, &game.rules}}) {
    Result<std::string> given = ReadText(info, name, static_cast<std::size_t>(most));
    if (!given) return Fail(given.error());
    *text = *std::move(given);
  }
  if (json::Find(info, "guide") != nullptr) {
    Result<std::string> guide = ReadText(info, "guide", 20'000);
    if (!guide) return Fail(guide.error());
    game.guide = *std::move(guide);
  }
  for (Result<void> part : {ReadSeats(info, game), ReadOptions(info, game), ReadActions(info, read)}) {
    if (!part) return Fail(part.error());
  }
  game.max_moves = std::min<std::size_t>(game.max_moves, kMostListed);
  game.rules_version = VersionOf(script.files(), HarnessText());
  const json::Value* hides = json::Find(info, "hides");
  game.hides = script.Has("redeal") || (hides != nullptr && *hides == json::Value(true));
  if (game.hides && !script.Has("redeal")) {
    return Wrong(
        "a game that hides something exports redeal(state, seat, random): a state that the seat cannot tell "
        "from this one");
  }
  game.draws = true;
  return read;
}

std::vector<json::Value> ValuesOf(const json::Value& given) {
  const json::Value* list = given.is_array() ? &given : json::Find(given, "enum");
  if (list != nullptr && list->is_array()) return {list->get_array().begin(), list->get_array().end()};
  if (const json::Value* only = json::Find(given, "const")) return {*only};
  const std::string_view type = json::TextOf(given, "type");
  if (type == "boolean") return {false, true};
  const json::Value* low = json::Find(given, "minimum");
  const json::Value* high = json::Find(given, "maximum");
  if (type != "integer" || low == nullptr || high == nullptr) return {};
  const auto min = IntegerOf(*low);
  const auto max = IntegerOf(*high);
  std::vector<json::Value> values;
  if (!min || !max || *min > *max) return {};
  if (static_cast<std::uint64_t>(*max) - static_cast<std::uint64_t>(*min) > kMostListed) return {};
  for (std::int64_t value = *min; value <= *max; ++value) values.emplace_back(value);
  return values;
}

std::vector<json::Value> LegalValuesOf(const json::Value& given) {
  std::vector<json::Value> values = ValuesOf(given);
  const json::Value* examples = values.empty() ? json::Find(given, "examples") : nullptr;
  if (examples == nullptr || !examples->is_array()) return values;
  return {examples->get_array().begin(), examples->get_array().end()};
}

json::Value SchemaOf(const json::Value& given) {
  if (!given.is_array()) return given;
  return json::Object{{"enum", given}};
}

json::Value DataSchema(const std::vector<std::pair<std::string, json::Value>>& members) {
  json::Object properties;
  json::Array required;
  for (const auto& [name, schema] : members) {
    properties[name] = schema;
    required.emplace_back(name);
  }
  return json::Object{{"type", "object"},
                      {"properties", std::move(properties)},
                      {"required", std::move(required)},
                      {"additionalProperties", false}};
}

std::optional<Move> NumberOf(const CatalogEntry& entry, const json::Value& data) {
  std::uint64_t number = 0;
  for (const DataMember& member : entry.members) {
    const json::Value* value = json::Find(data, member.name);
    if (value == nullptr) return std::nullopt;
    if (member.values.empty()) continue;
    const auto place = member.places.find(json::Write(*value));
    if (place == member.places.end()) return std::nullopt;
    number = number * member.values.size() + place->second;
  }
  if (data.is_object() && data.get_object().size() != entry.members.size()) return std::nullopt;
  if (entry.first_move) return static_cast<Move>(*entry.first_move + number);
  return kFirstDigest | DigestOf(entry.name + json::Write(data));
}

PlayedChoice ChoiceOf(const ScriptInfo& info, Move number) {
  const CatalogEntry* entry = nullptr;
  for (const CatalogEntry& each : info.catalog) {
    if (each.first_move && *each.first_move <= number) entry = &each;
  }
  OPENSEAT_CHECK(entry != nullptr, "the number is one of the catalog");
  std::size_t stride = 1;
  for (const DataMember& member : entry->members) stride *= member.values.size();
  json::Object data;
  number -= *entry->first_move;
  for (const DataMember& member : entry->members) {
    stride /= member.values.size();
    data[member.name] = member.values[number / stride % member.values.size()];
  }
  return {entry->name, std::move(data)};
}

std::uint32_t DigestOf(std::string_view text) {
  std::uint32_t digest = 2166136261u;
  for (const char c : text) digest = (digest ^ static_cast<unsigned char>(c)) * 16777619u;
  return digest;
}

int VersionOf(const std::vector<ScriptFile>& files, std::string_view harness) {
  std::string all(kEngineVersion);
  all += harness;
  for (const ScriptFile& file : files) {
    all += '\0' + file.name + '\0' + std::to_string(file.text.size()) + '\0' + file.text;
  }
  const std::string digest = Sha256Hex(all);
  return static_cast<int>(std::stoul(digest.substr(0, 8), nullptr, 16) >> 1) | 1;
}

}  // namespace openseat::games

// What a script says of its game: its info, checked, and the numbers of its moves.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "core/game.h"
#include "games/script/script.h"

namespace openseat::games {

// A member of an action's data, as info.actions describes it.
struct DataMember {
  std::string name;
  json::Value schema;
  // Every value that can ever be legal; empty: the data is free, such as a text.
  std::vector<json::Value> values;
  std::map<std::string, std::size_t> places;  // of each value, by its JSON
  std::vector<std::size_t> bytes;             // of each value's JSON
};

struct CatalogEntry {
  std::string name;
  std::string description;
  std::vector<DataMember> members;
  // The moves of the action are first_move, first_move + 1 …, in the order of the members' values; nullopt: too many to
  // be counted, or free.
  std::optional<Move> first_move;

  bool complete() const;
};

struct ScriptInfo {
  GameInfo game;
  std::vector<CatalogEntry> catalog;  // in the order of game.actions

  const CatalogEntry* Find(std::string_view action) const;
};

// Errors: kInvalid with a sentence that starts with the member's name ("info.seats").
Result<ScriptInfo> ReadInfo(const Script& script);

// The values that a member's schema, or list of values, names: enum, const, boolean, or the integers between minimum
// and maximum; empty: it is free.
std::vector<json::Value> ValuesOf(const json::Value& given);
// Those that are legal now, as `actions` gives them: ValuesOf, or the examples of what is free.
std::vector<json::Value> LegalValuesOf(const json::Value& given);
// As a schema: a list becomes an enum.
json::Value SchemaOf(const json::Value& given);
// An object with exactly these members.
json::Value DataSchema(const std::vector<std::pair<std::string, json::Value>>& members);

// The data's number, the same in every state; nullopt if the catalog has no such data. A number from 2^31 on is a
// digest, which two choices may share.
std::optional<Move> NumberOf(const CatalogEntry& entry, const json::Value& data);
// The choice with this number. REQUIRES one that counts: from an entry's first_move on.
PlayedChoice ChoiceOf(const ScriptInfo& info, Move number);

// FNV-1a.
std::uint32_t DigestOf(std::string_view text);

// The version of a script's rules: a digest of its files and of the harness, from 1 on.
int VersionOf(const std::vector<ScriptFile>& files, std::string_view harness);

}  // namespace openseat::games

// FieldReader: the members of one JSON document, read with the tolerance that docs/protocols/neuro.md describes. Every
// deviation becomes an Issue. Used only by decode_client.cc.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "protocols/neuro/messages.h"

namespace openseat::neuro {

// A member to look for.
struct Slot {
  std::string_view name;
  const json::Value** value;    // set to the member; unchanged if it is missing
  std::string_view meant = {};  // if `name` is a misspelling: the correct name
};

class FieldReader {
 public:
  // `issues` outlives the reader and gets at most `max_issues`.
  FieldReader(std::vector<Issue>& issues, std::size_t max_issues) : issues_(issues), max_issues_(max_issues) {}

  void Add(Diagnostic diagnostic, std::string path, std::string detail);
  // Adds the issues that occur once per document: unknown members, and how many issues were too many. Call it last.
  void Finish();

  // Puts the members of `object` into their slots and remembers the names of those without a slot. A correct name wins
  // over a misspelling. `prefix` is the part before the members' names in paths: "data.".
  void Take(const json::Object& object, std::span<const Slot> slots, std::string_view prefix);

  enum class Need { kRequired, kOptional };
  // Reads a text into `out`; a value of another type as its JSON text. False, and `out` is as it was: absent or null
  // (reported as missing if required).
  bool Text(const json::Value* value, std::string_view path, Need need, std::string& out);
  // A boolean; 0, 1, "true" and "false" count too. nullopt for anything else.
  std::optional<bool> Flag(const json::Value& value, std::string_view path);
  // The same for a member with a default, which is used if the member is absent (reported as missing if required), null
  // or unreadable.
  bool FlagOr(const json::Value* value, std::string_view path, Need need, bool fallback);
  // Names of actions, each once, in order. Absent or null: an empty list (reported as missing); a single name: a list
  // of it. `action_names: null` is what an SDK makes of an empty list, so null is a kNullField here.
  std::vector<std::string> Names(const json::Value* value, std::string_view path);
  // How many of the list's items are read: at most kMaxItems; more than that is reported.
  std::size_t Read(const json::Array& list, std::string_view path);
  // Per list: each costs the table something.
  static constexpr std::size_t kMaxItems = 2'000;

  // A required member that is absent (or null, if `value` is not nullptr); `taken` names the value used instead.
  void AddMissing(const json::Value* value, std::string_view path, std::string_view taken);
  void AddNull(std::string_view path);

 private:
  static constexpr std::size_t kMaxUnknown = 8;

  std::vector<Issue>& issues_;
  std::size_t max_issues_;
  std::size_t dropped_ = 0;
  std::vector<std::string> unknown_;  // paths, at most kMaxUnknown
  std::size_t more_unknown_ = 0;
};

std::string Backticked(std::string_view name);
// MustBe("data.state", "a string", value): "`data.state` must be a string; got integer".
std::string MustBe(std::string_view path, std::string_view expected, const json::Value& got);

}  // namespace openseat::neuro

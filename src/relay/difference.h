// Difference: how a game's message differs from the recorded one. Compared as JSON: the order of members, how a number
// is written, and the order of a list of actions do not count. A string that is JSON by itself (a force's state) is
// compared the same way. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"

namespace openseat::relay {

// "context": these messages are not compared; "actions/force:data.state": nor is that member.
struct IgnoreRule {
  std::string command;
  std::string path;  // "": the whole message
};
// Errors: kInvalid.
Result<IgnoreRule> ParseIgnoreRule(std::string_view text);

struct Change {
  std::string path;      // "data.actions[0].schema"; "" for the whole
  std::string expected;  // as JSON, shortened; "" if it is new
  std::string found;     // likewise; "" if it is missing
  bool operator==(const Change&) const = default;
};

struct Comparison {
  bool same_bytes = false;
  std::vector<Change> changes;  // the first few; empty: the same
};

Comparison Compare(std::string_view expected, std::string_view found, const std::vector<IgnoreRule>& ignored);

// "actions/force"; "" if the message has none.
std::string CommandOf(std::string_view message);
// What tells messages of one command apart: the id of a result, else "".
std::string SlotOf(std::string_view message);
bool IsIgnored(std::string_view command, const std::vector<IgnoreRule>& ignored);

}  // namespace openseat::relay

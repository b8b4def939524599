// The script: which actions the checker sends, in order, and with what data. Also the other small files that a
// run may use.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"

namespace openseat::checker {

// What the game must answer. kAccepted is not reported as an error unless the script says it.
enum class Expectation : std::uint8_t { kNone, kAccepted, kRefused, kAny };

struct ScriptEntry {
  std::string action;
  std::optional<json::Value> data{};  // nullopt: any that matches
  Expectation expect = Expectation::kNone;
};

// {"action": data, …}, in the file's order. Where `data` is {"expect": "accepted"|"refused"|"any", "data"?}, it is an
// expectation. kParse or kInvalid with a sentence, also for a duplicate name.
Result<std::vector<ScriptEntry>> ParseScript(std::string_view text);

// The keywords that an action's schema must not use.
struct DeniedKeywords {
  std::vector<std::string> names;
  bool neuro = false;  // also those that neuro-api.md advises against

  bool Contains(std::string_view keyword) const;
};
// A JSON array of strings. kParse or kInvalid with a sentence.
Result<DeniedKeywords> ParseDeniedKeywords(std::string_view text);

}  // namespace openseat::checker

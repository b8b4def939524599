// The lines that a bot reads and writes: one JSON object each (docs/bots.md). Pure; any thread.
#pragma once

#include <string>
#include <string_view>

#include "base/json.h"
#include "base/result.h"
#include "core/decision.h"
#include "core/seat.h"

namespace openseat {

inline constexpr std::size_t kMaxBotLine = 64u << 10;  // that a bot writes

// {"type": "start", …} and {"type": "choose", …}, without the line break.
std::string StartLine(const Seat& seat);
std::string ChooseLine(const Decision& decision);
// What a bot answers: {"choice": ID} or only the id, or {"action": NAME, "data": …}. Errors: kParse, with a sentence.
Result<Choice> ReadBotLine(std::string_view line, const Decision& decision);

}  // namespace openseat

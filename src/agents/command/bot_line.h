// The lines that a bot reads and writes: one JSON object each (docs/bots.md). Pure; any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "core/decision.h"
#include "core/seat.h"

namespace openseat {

inline constexpr std::size_t kMaxBotLine = 64u << 10;  // that a bot writes

// {"type": "start", …} and {"type": "choose", …}, without the line break.
std::string StartLine(const Seat& seat);
std::string ChooseLine(const Decision& decision);
// Cuts what a bot writes into lines, without their ends and without empty ones. What it does depends on the bytes
// alone, not on how they arrive.
class BotLines {
 public:
  // Adds bytes, and puts the lines that are whole into `lines`. false: the one after them is longer than kMaxBotLine;
  // from then on nothing is added.
  bool Add(std::string_view bytes, std::vector<std::string>& lines);

 private:
  std::string rest_;
  bool too_long_ = false;
};

// What a bot answers: {"choice": ID} or only the id, or {"action": NAME, "data": …}. Errors: kParse, with a sentence.
Result<Choice> ReadBotLine(std::string_view line, const Decision& decision);

}  // namespace openseat

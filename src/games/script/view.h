// What a script says about the look of a table (docs/writing_games.md#a-board), checked as a stranger's, and kept for
// the next who ask.
#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <string>

#include "base/json.h"
#include "base/lazy.h"
#include "base/result.h"
#include "core/game.h"
#include "games/script/script_info.h"

namespace openseat::games {

inline constexpr std::size_t kMostViewBytes = 64u << 10;  // of JSON

// Errors: kInvalid or kTooLarge, with the place of the first mistake: "view.parts[2].cells: expected …; got …".
Result<void> CheckView(const ScriptInfo& info, const json::Value& view, std::size_t seats);

// The views of one state as JSON, each made when it is first asked for. Any thread.
class ScriptViews {
 public:
  // `viewers`: how many different views there are.
  explicit ScriptViews(std::size_t viewers) : kept_(viewers) {}

  // Calls `make` at most once for each view. REQUIRES viewer < viewers.
  const Result<std::string>& Of(std::size_t viewer, const std::function<Result<std::string>()>& make);

 private:
  std::deque<Lazy<Result<std::string>>> kept_;
};

}  // namespace openseat::games

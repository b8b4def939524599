// A table's journal as lines for people.
#pragma once

#include <cstdint>
#include <string>

#include "base/json.h"
#include "core/journal.h"

namespace openseat::app {

// One event as one line: "21:33:30.123  game ▸ seat   force "Your turn" of move, pass". Long texts are cut at
// `max_text` bytes (0: never).
std::string EventLine(const StoredEvent& event, std::size_t max_text);

// One step of a replay (match/replay.h) as one or two lines: what happened, and what the viewer saw then.
std::string StepLines(const json::Object& step, std::size_t max_text);

// Prints a replay as a report where the states keep the game's own log ("log", the latest lines, and "log-count"): what
// the viewer read in it, turn by turn. Other games are printed step by step.
class ReportWriter {
 public:
  explicit ReportWriter(std::size_t max_text) : max_text_(max_text) {}

  // The lines of this step, without a line break at the end; "" if it has nothing to say.
  std::string Lines(const json::Object& step);

 private:
  const std::size_t max_text_;
  std::uint64_t told_ = 0;  // lines of the log
};

}  // namespace openseat::app

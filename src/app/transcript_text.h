// A table's journal as lines for people.
#pragma once

#include <string>

#include "base/json.h"
#include "core/journal.h"

namespace openseat::app {

// One event as one line: "21:33:30.123  game ▸ seat   force "Your turn" of move, pass". Long texts are cut at
// `max_text` bytes (0: never).
std::string EventLine(const StoredEvent& event, std::size_t max_text);

// One step of a replay (match/replay.h) as one or two lines: what happened, and what the viewer saw then.
std::string StepLines(const json::Object& step, std::size_t max_text);

}  // namespace openseat::app

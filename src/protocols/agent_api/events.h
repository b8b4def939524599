// The nine events of the Agent API's document, derived from changes in what a seat sees. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "core/action.h"
#include "protocols/agent_api/look.h"

namespace openseat::agent_api {

struct AgentEvent {
  std::string_view name;  // "game-started" …
  json::Object payload;   // with "gameid"
};

// What the events so far have reported.
struct EventMemory {
  bool begun = false;
  bool ended = false;
  bool asked = false;
  std::uint64_t decision = 0;      // the last decision that was reported
  std::uint64_t turn_started = 0;  // the last turn of its own
  std::uint64_t lines = 0;         // of the game's log, or of what the seat was told
  std::string mark;                // of the position

  // The actions whose names were last made a mark, so that the same ones need not be read again. Not written.
  std::vector<ActionPtr> marked{};
  std::string mark_of_them{};
};

// As text, for a later process. Unreadable text becomes an empty memory.
std::string WriteMemory(const EventMemory& memory);
EventMemory ReadMemory(std::string_view text);

// Whether the event asks for an answer.
bool AsksForAnswer(std::string_view event);

// The events between what `memory` tells of and `look`, in their order; `memory` then tells of `look`.
std::vector<AgentEvent> Advance(EventMemory& memory, const SeatView& look);

// "Agenda" is "Agenda points" in events.
std::string ReasonInEvents(std::string_view reason);

}  // namespace openseat::agent_api

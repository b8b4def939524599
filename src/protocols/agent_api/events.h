// The nine events of the Agent API's document, derived from how what a seat sees has changed. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "protocols/agent_api/look.h"

namespace openseat::agent_api {

struct AgentEvent {
  std::string_view name;  // "game-started" …
  json::Object payload;   // with "gameid"
};

// What the events so far have told.
struct EventMemory {
  bool begun = false;
  bool ended = false;
  bool asked = false;
  std::uint64_t decision = 0;      // the last one that was told
  std::uint64_t turn_started = 0;  // the last turn of its own
  std::uint64_t lines = 0;         // of the game's log, or of what the seat was told
  std::string mark;                // of the position
};

// As text, for the process that goes on. What cannot be read is a memory of nothing.
std::string WriteMemory(const EventMemory& memory);
EventMemory ReadMemory(std::string_view text);

// Whether the event asks for an answer.
bool AsksForAnswer(std::string_view event);

// The events between what `memory` tells of and `look`, in their order; `memory` then tells of `look`.
std::vector<AgentEvent> Advance(EventMemory& memory, const SeatLook& look);

// "Agenda" is "Agenda points" in events.
std::string ReasonInEvents(std::string_view reason);

}  // namespace openseat::agent_api

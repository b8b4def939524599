// Netrunner as the Agent API's document shows it: every answer of its read endpoints, from what the seat sees. Pure.
// docs/protocols/agent_api.md lists the members.
//
// All REQUIRE look.IsNetrunner() and look.observation.
#pragma once

#include <optional>

#include "base/json.h"
#include "protocols/agent_api/look.h"

namespace openseat::agent_api::netrunner {

json::Object State(const SeatLook& look);
// {"prompt": {…} or null, "side"}.
json::Object Prompt(const SeatLook& look);
json::Object Actions(const SeatLook& look);
json::Object Board(const SeatLook& look);
json::Object Scored(const SeatLook& look);
json::Object Run(const SeatLook& look);
// {"cards": [codes, sorted]}: of the seat's own side. The deck's are sorted too, so that its order stays unknown.
json::Object Hand(const SeatLook& look);
json::Object Deck(const SeatLook& look);
json::Object Discard(const SeatLook& look);
json::Object Decklist(const SeatLook& look);
json::Object Log(const SeatLook& look);

// What the seat may do now, by the kind of the moment: the "available-actions" of answers and events.
json::Object AvailableActions(const SeatLook& look);
// The prompt that the seat has to answer, or null; also where it only waits.
json::Value PromptValue(const SeatLook& look);
// What the action `choice` calls the option of this number; nothing where it is none that can be chosen.
std::optional<json::Value> OptionText(const SeatLook& look, const json::Value& idx);
// Whether the seat is asked something that is answered by a choice or a select.
bool HasPrompt(const SeatLook& look);

}  // namespace openseat::agent_api::netrunner

// Netrunner in the form of the Agent API's document: every answer of its read endpoints, from what the seat sees. Pure.
// docs/protocols/agent_api.md lists the members.
//
// All REQUIRE IsNetrunner(look), and a match that has started.
#pragma once

#include <optional>

#include "base/json.h"
#include "protocols/agent_api/look.h"

namespace openseat::agent_api::netrunner {

json::Object State(const SeatView& look);
// {"prompt": {…} or null, "side"}.
json::Object Prompt(const SeatView& look);
json::Object Actions(const SeatView& look);
json::Object Board(const SeatView& look);
json::Object Scored(const SeatView& look);
json::Object Run(const SeatView& look);
// {"cards": [codes, sorted]}: of the seat's own side. The deck's are sorted too, so that its order stays unknown.
json::Object Hand(const SeatView& look);
json::Object Deck(const SeatView& look);
json::Object Discard(const SeatView& look);
json::Object Decklist(const SeatView& look);
json::Object Log(const SeatView& look);

// What the seat may do now, by the kind of the moment: the "available-actions" of answers and events.
json::Object AvailableActions(const SeatView& look);
// The prompt that the seat has to answer, or null; also where it only waits.
json::Value PromptValue(const SeatView& look);
// The text of the option with this number in the action `choice`; nullopt if it cannot be chosen.
std::optional<json::Value> OptionText(const SeatView& look, const json::Value& idx);
// Whether the seat is asked something that is answered by a choice or a select.
bool HasPrompt(const SeatView& look);

}  // namespace openseat::agent_api::netrunner

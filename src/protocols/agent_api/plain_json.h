// Any game in the form of the Agent API: hosted games without a form of their own, and tables whose rules run
// elsewhere. The members are those that the document gives for Netrunner, as far as they make sense. Pure.
#pragma once

#include "base/json.h"
#include "protocols/agent_api/look.h"

namespace openseat::agent_api::plain {

json::Object State(const SeatView& look);
json::Object Prompt(const SeatView& look);   // {"prompt": {…} or null, "side"}
json::Object Actions(const SeatView& look);  // {"actions", "side"}
json::Object Log(const SeatView& look);

json::Object AvailableActions(const SeatView& look);
// The same for an event that asks for nothing: without actions of more than 64 KiB.
json::Object AvailableActionsInShort(const SeatView& look);
json::Value PromptValue(const SeatView& look);

}  // namespace openseat::agent_api::plain

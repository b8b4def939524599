// Any game as the Agent API shows it: hosted ones without a form of their own, and tables whose rules are elsewhere.
// The members are those that the document gives for Netrunner, as far as they mean something. Pure.
#pragma once

#include "base/json.h"
#include "protocols/agent_api/look.h"

namespace openseat::agent_api::plain {

json::Object State(const SeatLook& look);
json::Object Prompt(const SeatLook& look);   // {"prompt": {…} or null, "side"}
json::Object Actions(const SeatLook& look);  // {"actions", "side"}
json::Object Log(const SeatLook& look);

json::Object AvailableActions(const SeatLook& look);
json::Value PromptValue(const SeatLook& look);

}  // namespace openseat::agent_api::plain

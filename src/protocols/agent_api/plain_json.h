// Any game in the form of the Agent API: hosted games without a form of their own, and tables whose rules run
// elsewhere. The members are those that the document gives for Netrunner, as far as they make sense. Pure.
#pragma once

#include <cstdint>

#include "base/json.h"
#include "protocols/agent_api/look.h"

namespace openseat::agent_api::plain {

json::Object State(const SeatView& look);
json::Object Prompt(const SeatView& look);   // {"prompt": {…} or null, "side"}
json::Object Actions(const SeatView& look);  // {"actions", "side"}
json::Object Log(const SeatView& look);

// kNames: without what the actions mean and take, which may be large.
enum class ActionDetail : std::uint8_t { kNames, kAll };
json::Object AvailableActions(const SeatView& look, ActionDetail detail = ActionDetail::kAll);
json::Value PromptValue(const SeatView& look);

}  // namespace openseat::agent_api::plain

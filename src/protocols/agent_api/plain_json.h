// Any game in the form of the Agent API: hosted games without a form of their own, and tables whose rules run
// elsewhere. The members are those that the document gives for Netrunner, as far as they make sense. Pure.
#pragma once

#include <cstddef>
#include <string_view>

#include "base/json.h"
#include "protocols/agent_api/look.h"

namespace openseat::agent_api::plain {

// Actions of a game elsewhere that are longer than this as JSON are told by Actions only.
inline constexpr std::size_t kShort = 64u << 10;

json::Object State(const SeatView& look);
json::Object Prompt(const SeatView& look);   // {"prompt": {…} or null, "side"}
json::Object Actions(const SeatView& look);  // {"actions", "side"}: all of them
json::Object Log(const SeatView& look);

// Whether one of the four, "state", "prompt", "actions" or "log", is longer than kShort because of what a game
// elsewhere has sent. Costs little, however long it is.
bool IsLong(std::string_view what, const SeatView& look);

json::Object AvailableActions(const SeatView& look);
// About how long that is as JSON; 0 where the rules are here. What is beyond `most` is not looked at; the result is
// larger than `most` then.
std::size_t AvailableBytes(const SeatView& look, std::size_t most);
// The same actions if they are no longer than `most`; else what tells where they are. `asks`: whether it is told to
// have an answer.
json::Object AvailableActionsWithin(const SeatView& look, std::size_t most, bool asks);
json::Value PromptValue(const SeatView& look);

}  // namespace openseat::agent_api::plain

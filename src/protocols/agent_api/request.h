// What agents send: the bodies of /game/action, /game/choice and /game/select, parsed into choices of the seat. Pure;
// accepts any text.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/json.h"
#include "base/result.h"
#include "core/decision.h"
#include "protocols/agent_api/look.h"

namespace openseat::agent_api {

// What a request asks for.
struct Wanted {
  std::string command;  // unchanged: answers repeat it
  Choice choice;
};

// {"command", "args"?, "eid"?}. Errors, all of the request itself (400): kParse, kTooLarge, kInvalid with the member as
// path. Whether the game takes it is the seat's to say.
Result<Wanted> ReadAction(const SeatView& look, std::string_view body);
// {"choice": text, {"uuid"}, or a number; "eid"?}. REQUIRES IsNetrunner(look).
Result<Wanted> ReadChoice(const SeatView& look, std::string_view body);
// {"card": {"cid"}; "eid"?}. REQUIRES IsNetrunner(look).
Result<Wanted> ReadSelect(const SeatView& look, std::string_view body);

// The decision that a request names, whatever else it says; nullopt if it names none, or is not a JSON object.
std::optional<DecisionId> EidOf(std::string_view body);

// That the decision which a request means is not the seat's present one.
Error EidIsOver(const SeatView& look);

}  // namespace openseat::agent_api

// What agents send: the bodies of /game/action, /game/choice and /game/select, read into choices of the seat. Pure, and
// total over any text.
#pragma once

#include <string>
#include <string_view>

#include "base/json.h"
#include "base/result.h"
#include "core/decision.h"
#include "protocols/agent_api/look.h"

namespace openseat::agent_api {

// What a request asks for.
struct Wanted {
  std::string command;  // as it came: answers repeat it
  Choice choice;
};

// {"command", "args"?}. Errors, all of the request itself (400): kParse, kTooLarge, kInvalid with the member as path.
// Whether the game takes it is the seat's to say.
Result<Wanted> ReadAction(const SeatLook& look, std::string_view body);
// {"choice": text, {"uuid"}, or a number; "eid"?}. REQUIRES look.IsNetrunner().
Result<Wanted> ReadChoice(const SeatLook& look, std::string_view body);
// {"card": {"cid"}; "eid"?}. REQUIRES look.IsNetrunner().
Result<Wanted> ReadSelect(const SeatLook& look, std::string_view body);

}  // namespace openseat::agent_api

// The endpoints' answers about one seat, and the actions at it, for a caller that was admitted to it by this protocol
// or another. On the table's scheduler.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "agents/external/external_agent.h"
#include "base/budget.h"
#include "base/json.h"
#include "core/table.h"

namespace openseat::agent_api {

// In the form of docs/protocols/agent_api.md: 200 with the answer, or another status and {"message", …}.
struct SeatAnswer {
  int status = 200;
  json::Object body;
};
using Answered = std::function<void(const SeatAnswer& answer)>;

// One of "state", "prompt", "actions", "log", "board" … REQUIRES agent.seat() to be of `table`, which has begun.
SeatAnswer ReadSeat(std::string_view what, Table& table, const ExternalAgent& agent);
// The same, but what is long is written on another thread, once for all who ask for it (agent.reads()). `answered` runs
// once: now, or later. `payer`: who asks; null: nobody pays. `again` runs instead of it, later, if the seat is to be
// looked at again; whether it may still be read has to be checked then.
struct WrittenAnswer {
  int status = 200;
  std::shared_ptr<const std::string> body;  // JSON
};
void ReadSeatFor(const std::shared_ptr<Payer>& payer, std::string_view what, Table& table, ExternalAgent& agent,
                 std::function<void(const WrittenAnswer& answer)> answered, std::function<void()> again);
// "action", "choice" or "select". `answered` runs once, immediately or later, when the effect is durable. `key`: what
// the caller names this request, so that it acts once; "" if it has no name. REQUIRES the same.
void ActAtSeat(std::string_view what, Table& table, ExternalAgent& agent, std::string_view body, std::string_view key,
               const Answered& answered);

}  // namespace openseat::agent_api

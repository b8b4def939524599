// Seat tokens: "<table>.<seat>.<secret>". A token says where its seat is, so no list of tokens is kept. The holder of a
// token plays that seat; the journal stores only its hash.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "agents/external/external_agent.h"
#include "base/result.h"
#include "core/table.h"

namespace openseat {

struct SeatToken {
  TableId table;
  SeatIndex seat = 0;
  std::string secret;

  std::string Text() const;
};

// kInvalid if it does not have that form.
Result<SeatToken> ParseSeatToken(std::string_view text);

// The Agent API's name for a table: a UUID, always the same for the same table.
std::string GameIdOf(const TableId& table);

// The secrets of a new seat: one for its token and one for its API key; both allow the same.
struct SeatSecrets {
  std::string token;
  std::string key;
};
// Makes the secrets and puts their hashes into the options of the seat's agent.
SeatSecrets MintSeat(json::Object& agent_options);

// Who plays the seat from outside; null where nobody does, or there is no such seat.
ExternalAgent* ExternalAt(Table& table, SeatIndex seat);

// Runs `found` on the table's scheduler with the agent whose seat the token names, or `missing` there or on `from`,
// with kInvalid (no token), kNotFound (no such table is live), kDenied (not that seat's token), kClosed (nobody from
// outside plays the seat any more) or kBusy (the agent is yet to be seated). Of a table that is not public a token that
// is not right is answered as if there was no such table.
void WithSeat(TableDirectory& directory, Scheduler& from, std::string_view token,
              std::function<void(Table&, ExternalAgent&)> found, const std::function<void(Error)>& missing);

}  // namespace openseat

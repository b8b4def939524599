// Seat tokens: "<table>.<seat>.<secret>", which say by themselves where the seat is, so that no list of them is kept.
// Whoever holds one plays that seat; the journal has only its hash.
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

// kInvalid for what has not that shape.
Result<SeatToken> ParseSeatToken(std::string_view text);

// What the Agent API calls a table: a UUID, always the same.
std::string GameIdOf(const TableId& table);

// Whether agents of this kind are played from outside, so that their seats have tokens: "external", "webhook".
bool IsPlayedFromOutside(std::string_view agent_kind);

// The secrets of a new seat: one for its token and one for its API key, the same in power.
struct SeatSecrets {
  std::string token;
  std::string key;
};
// Makes them and puts their hashes into the options of the seat's agent.
SeatSecrets MintSeat(json::Object& agent_options);

// Runs `found` on the table's scheduler with the agent whose seat the token names, or `missing` there or on `from`,
// with kInvalid (no token), kNotFound (no such table is live), kDenied (not that seat's token), kClosed (nobody from
// outside plays the seat any more) or kBusy (the agent is yet to be seated). Of a table that is not public a token that
// is not right is answered as if there was no such table.
void WithSeat(TableDirectory& directory, Scheduler& from, std::string_view token,
              std::function<void(Table&, ExternalAgent&)> found, const std::function<void(Error)>& missing);

}  // namespace openseat

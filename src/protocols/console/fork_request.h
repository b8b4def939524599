// What a request says about the point at which a match goes on with another one, and the match that is made of it.
#pragma once

#include <cstdint>
#include <optional>

#include "base/json.h"
#include "base/result.h"
#include "core/journal.h"
#include "match/match.h"
#include "protocols/console/transcript.h"

namespace openseat::console {

// One of the two.
struct ForkQuery {
  std::optional<Seq> event{};               // after this event
  std::optional<std::uint64_t> decision{};  // where this question was asked, from 0
};
// {"event"} or {"decision"}; not what a fork has from its parent. Errors: kInvalid with the member.
Result<ForkQuery> ForkQueryOf(const json::Object& body);
// ForkAfter (match/past.h) for a table of the journal. Errors: its own; kTooLarge for a record that is too long to be
// folded for a request; kUnsupported for a table that is no hosted match. Reads the journal.
Result<MatchSpec> ReadFork(Journal& journal, const FindGame& find_game, const TableId& id, const ForkQuery& query);

}  // namespace openseat::console

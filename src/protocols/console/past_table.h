// What the console shows of a table from its record alone: a table that is over, or findings of the past.
#pragma once

#include <functional>
#include <optional>
#include <string_view>

#include "base/json.h"
#include "base/result.h"
#include "core/journal.h"

namespace openseat::console {

// {"id", "status": "recorded", "opened", "events", "game"?, "kind"?, "protocol"?}.
json::Object RecordedTable(const TableRecord& record);

// What to do about a diagnostic with this key; "" for a key that is not known here. Any thread.
using AdviceOf = std::function<std::string_view(std::string_view key)>;

// {"diagnostics": […], "next"?: the number of an event}: what was found after the event with the number `since`;
// without it, in the last run of the game, as far as it is in the last kMaxScannedEvents events. With `since`, at most
// that many are read: if there are more, `next` is the `since` of the rest. Errors: the journal's. Reads the journal.
inline constexpr std::size_t kMaxScannedEvents = 200'000;
Result<json::Object> RecordedDiagnostics(Journal& journal, const AdviceOf& advice, const TableRecord& table,
                                         std::optional<Seq> since);

}  // namespace openseat::console

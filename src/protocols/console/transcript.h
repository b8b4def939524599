// The transcript of a table, as the API answers it: live, finished, or a game of a run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "base/json.h"
#include "base/result.h"
#include "core/game.h"
#include "core/journal.h"
#include "net/http.h"

namespace openseat::console {

// The part of a transcript that a request asks for.
struct TranscriptQuery {
  std::string viewer;  // "": the table's default
  Seq after = 0;
  std::size_t limit = 0;
};
// Errors: kInvalid with the parameter.
Result<TranscriptQuery> TranscriptQueryOf(const net::HttpRequest& request);

// nullptr for a game that is not offered here.
using FindGame = std::function<const Game*(std::string_view id)>;

// JSON: {"table", "viewer", "events", "next"?}. It ends after `limit` events, or with the event that makes it longer
// than kTranscriptBytes; "next" is then what to ask for as `after`. Errors: the journal's; kUnsupported if what each
// seat saw cannot be known here; kInvalid for a viewer that the match does not have. Reads the journal.
inline constexpr std::size_t kTranscriptBytes = std::size_t{8} << 20;
Result<std::string> ReadTranscript(Journal& journal, const FindGame& find_game, const TableId& id,
                                   const TranscriptQuery& query);
// The same of a live table of which nothing is recorded: it has no events. `hosted`: its rules are here.
Result<std::string> TranscriptWithoutRecord(const TableId& id, bool hosted, const TranscriptQuery& query);

}  // namespace openseat::console

#include "protocols/console/transcript.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/text.h"
#include "match/replay.h"
#include "net/json_request.h"
#include "protocols/console/event_json.h"

namespace openseat::console {
namespace {

constexpr std::size_t kMaxEvents = 10'000;
constexpr std::size_t kDefaultEvents = 1'000;

std::string ViewerOf(const TranscriptQuery& query, bool hosted) {
  return !query.viewer.empty() ? query.viewer : std::string(hosted ? kSpectatorViewer : kWholeRecord);
}

Error OnlyTheWholeRecord() {
  return {
      ErrorCode::kUnsupported,
      "the rules of this table's game run elsewhere, so what each seat saw is unknown; only viewer=all can be shown",
      "viewer"};
}

json::Object TranscriptOf(const TableId& id, const std::string& viewer, json::Array events) {
  return {{"table", id.str()}, {"viewer", viewer}, {"events", std::move(events)}};
}

}  // namespace

Result<TranscriptQuery> TranscriptQueryOf(const net::HttpRequest& request) {
  const Result<std::uint64_t> after = net::NumberQuery(request, "after", 0);
  const Result<std::uint64_t> limit = net::NumberQuery(request, "limit", kDefaultEvents);
  if (!after || !limit) return Fail(after ? limit.error() : after.error());
  const std::string* viewer = request.Query("viewer");
  return TranscriptQuery{.viewer = viewer == nullptr ? std::string() : *viewer,
                         .after = *after,
                         .limit = static_cast<std::size_t>(std::min<std::uint64_t>(*limit, kMaxEvents))};
}

Result<json::Object> ReadTranscript(Journal& journal, const FindGame& find_game, const TableId& id,
                                    const TranscriptQuery& query) {
  const Result<std::vector<StoredEvent>> first = journal.Read(id, 0, 1);
  if (!first) return Fail(first.error());
  const std::optional<std::string> hosted = first->empty() ? std::nullopt : HostedGameOf(first->front().event.payload);
  const std::string viewer = ViewerOf(query, hosted.has_value());
  json::Array list;
  if (viewer == kWholeRecord) {
    const Result<std::vector<StoredEvent>> events = journal.Read(id, query.after, query.limit);
    if (!events) return Fail(events.error());
    for (const StoredEvent& event : *events) list.push_back(EventToJson(event));
  } else {
    if (!hosted) return Fail(OnlyTheWholeRecord());
    const Game* game = find_game(*hosted);
    if (game == nullptr)
      return Fail(ErrorCode::kUnsupported,
                  "the game " + Quote(*hosted) + " is not offered here; viewer=all can be shown");
    Result<Replay> replay = Replay::Open(journal, *game, id, viewer);
    if (!replay) return Fail(std::move(replay).error());
    if (query.limit > 0) {
      const Result<void> done = replay->Run(query.after, [&](json::Object step) {
        list.push_back(std::move(step));
        return list.size() < query.limit;
      });
      if (!done) return Fail(done.error());
    }
  }
  return TranscriptOf(id, viewer, std::move(list));
}

Result<json::Object> TranscriptWithoutRecord(const TableId& id, bool hosted, const TranscriptQuery& query) {
  const std::string viewer = ViewerOf(query, hosted);
  if (!hosted && viewer != kWholeRecord) return Fail(OnlyTheWholeRecord());
  return TranscriptOf(id, viewer, {});
}

}  // namespace openseat::console

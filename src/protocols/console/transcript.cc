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
constexpr std::size_t kEventsAtOnce = 1'000;  // read from the journal

std::string ViewerOf(const TranscriptQuery& query, bool hosted) {
  return !query.viewer.empty() ? query.viewer : std::string(hosted ? kSpectatorViewer : kWholeRecord);
}

Error OnlyTheWholeRecord() {
  return {
      ErrorCode::kUnsupported,
      "the rules of this table's game run elsewhere, so what each seat saw is unknown; only viewer=all can be shown",
      "viewer"};
}

// The answer as it grows: as one JSON value it would take several times the memory.
class Page {
 public:
  Page(const TableId& id, const std::string& viewer, std::size_t limit) : limit_(limit) {
    text_ = json::Write(json::Object{{"table", id.str()}, {"viewer", viewer}});
    text_.back() = ',';
    text_ += R"("events":[)";
  }

  // REQUIRES that it is not full.
  void Add(const json::Object& event) {
    if (++events_ > 1) text_ += ',';
    text_ += json::Write(event);
    last_ = json::Find(event, "seq")->to_number<Seq>();
  }
  bool full() const { return room() == 0 || text_.size() > kTranscriptBytes; }
  // For so many events.
  std::size_t room() const { return limit_ - events_; }

  std::string Text(bool more) && {
    text_ += ']';
    if (more) text_ += R"(,"next":)" + std::to_string(last_);
    text_ += '}';
    return std::move(text_);
  }

 private:
  const std::size_t limit_;
  std::string text_;
  std::size_t events_ = 0;
  Seq last_ = 0;
};

// Adds the whole record after `after`; whether there is more.
Result<bool> AddRecord(Journal& journal, const TableId& id, Seq after, Page& page) {
  for (;;) {
    const std::size_t most = page.full() ? 1 : std::min(page.room(), kEventsAtOnce);
    const Result<std::vector<StoredEvent>> events = journal.Read(id, after, most);
    if (!events) return Fail(events.error());
    if (events->empty()) return false;
    for (const StoredEvent& event : *events) {
      if (page.full()) return true;
      page.Add(EventToJson(event));
    }
    after = events->back().seq;
  }
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

Result<std::string> ReadTranscript(Journal& journal, const FindGame& find_game, const TableId& id,
                                   const TranscriptQuery& query) {
  const Result<std::vector<StoredEvent>> first = journal.Read(id, 0, 1);
  if (!first) return Fail(first.error());
  const std::optional<std::string> hosted = first->empty() ? std::nullopt : HostedGameOf(first->front().event.payload);
  const std::string viewer = ViewerOf(query, hosted.has_value());
  Page page(id, viewer, query.limit);
  if (viewer == kWholeRecord) {
    const Result<bool> more = page.full() ? false : AddRecord(journal, id, query.after, page);
    if (!more) return Fail(more.error());
    return std::move(page).Text(*more);
  }
  if (!hosted) return Fail(OnlyTheWholeRecord());
  const Game* game = find_game(*hosted);
  if (game == nullptr) {
    return Fail(ErrorCode::kUnsupported,
                "the game " + Quote(*hosted) + " is not offered here; viewer=all can be shown");
  }
  Result<Replay> replay = Replay::Open(journal, *game, id, viewer);
  if (!replay) return Fail(std::move(replay).error());
  bool more = false;
  if (!page.full()) {
    const Result<void> done = replay->Run(query.after, [&](const json::Object& step) {
      more = page.full();
      if (!more) page.Add(step);
      return !more;
    });
    if (!done) return Fail(done.error());
  }
  return std::move(page).Text(more);
}

Result<std::string> TranscriptWithoutRecord(const TableId& id, bool hosted, const TranscriptQuery& query) {
  const std::string viewer = ViewerOf(query, hosted);
  if (!hosted && viewer != kWholeRecord) return Fail(OnlyTheWholeRecord());
  return Page(id, viewer, query.limit).Text(false);
}

}  // namespace openseat::console

#include "relay/recording.h"

#include <optional>
#include <utility>

#include "base/json.h"

namespace openseat::relay {
namespace {

constexpr std::size_t kPageSize = 1000;
constexpr std::size_t kMaxBytes = std::size_t{1} << 30;  // as much as a table of this machine may record

Result<void> ReadOpened(const StoredEvent& event, const TableId& table, Recording& recording) {
  const Result<json::Value> opened = json::Parse(event.event.payload);
  if (!opened || json::TextOf(*opened, "kind") != "remote") {
    return Fail(ErrorCode::kInvalid,
                table.str() + " is not the table of a game that connected, so there is nothing to send to one");
  }
  recording.game = json::TextOf(*opened, "game");
  return {};
}

std::optional<Cue::Kind> KindOf(const Event& event) {
  switch (event.kind) {
    case EventKind::kReceived:
      return Cue::Kind::kFromGame;
    case EventKind::kSent:
      return Cue::Kind::kToGame;
    case EventKind::kGap:
      return Cue::Kind::kGap;
    case EventKind::kLink: {
      const Result<json::Value> link = json::Parse(event.payload);
      if (!link) return std::nullopt;
      return json::TextOf(*link, "state") == "connected" ? Cue::Kind::kConnected : Cue::Kind::kDisconnected;
    }
    default:
      return std::nullopt;
  }
}

}  // namespace

Result<Recording> ReadRecording(Journal& journal, const TableId& table) {
  Recording recording;
  std::size_t bytes = 0;
  Seq after = 0;
  for (;;) {
    Result<std::vector<StoredEvent>> events = journal.Read(table, after, kPageSize);
    if (!events) return Fail(std::move(events).error());
    if (events->empty()) break;
    if (after == 0) {
      if (Result<void> read = ReadOpened(events->front(), table, recording); !read)
        return Fail(std::move(read).error());
    }
    after = events->back().seq;
    for (StoredEvent& event : *events) {
      const std::optional<Cue::Kind> kind = KindOf(event.event);
      if (!kind) continue;
      recording.from_game += *kind == Cue::Kind::kFromGame ? 1 : 0;
      recording.to_game += *kind == Cue::Kind::kToGame ? 1 : 0;
      const bool message = *kind == Cue::Kind::kFromGame || *kind == Cue::Kind::kToGame || *kind == Cue::Kind::kGap;
      bytes += event.event.payload.size();
      if (bytes > kMaxBytes) {
        return Fail(ErrorCode::kInvalid, table.str() + " has more than 1 GiB of messages, which is too much to replay");
      }
      recording.cues.push_back(
          {*kind, event.seq, event.event.time, message ? std::move(event.event.payload) : std::string()});
    }
  }
  return recording;
}

}  // namespace openseat::relay

// LiveSession: one connection to /api/v1/live. One thread: its shard's.
//
// It holds at most a bounded number of events, and puts at most about kMaxUnsent bytes into the connection's outbox.
// A message has less than 1 MiB: events, and tables (Table::ListedInfo), are sent in pieces.
// Events that a slow page does not read are left out; as soon as it reads again, the page is told what it missed
// ({"type": "gap"}), so that it can fetch that over REST.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/waiting.h"
#include "base/worker.h"
#include "core/table.h"
#include "net/websocket.h"
#include "protocols/console/live_feed.h"

namespace openseat::console {

class LiveSession : public std::enable_shared_from_this<LiveSession> {
 public:
  LiveSession(LiveFeed& feed, TableDirectory& directory, Worker& reader)
      : feed_(feed), directory_(directory), reader_(reader) {}

  void OnOpen(std::shared_ptr<net::WebSocket> socket);
  void OnText(std::string_view message);
  void OnClosed();

  static constexpr std::size_t kMaxUnsent = std::size_t{1} << 20;
  static constexpr std::size_t kResumeUnsent = std::size_t{64} << 10;      // a page that lagged has caught up
  static constexpr std::size_t kMaxSubscriptions = 64;                     // if no budget counts them
  static constexpr std::size_t kMaxHistory = 1000;                         // events that are sent at once for `after`
  static constexpr WaitingLimits kHeld{.items = 4096, .bytes = 1u << 20};  // that come while those are read
  static constexpr std::size_t kMaxReads = 64;                             // read from the journal at once
  static constexpr std::size_t kMaxPayload = std::size_t{64} << 10;        // a longer one is left to REST
  static constexpr std::size_t kEventsPerMessage = 100;
  static constexpr std::size_t kMaxDirty = 10'000;
  static constexpr std::size_t kMaxTables = 1'000;  // that a page gets unasked
  static constexpr std::size_t kTablesAtOnce = 16;  // that are shown in one turn, and listed in one message
  static constexpr Duration kTick = std::chrono::milliseconds(250);
  static constexpr int kTicksPerRoundUp = 20;  // how often all tables are compared with those that the page knows

 private:
  struct Subscription {
    LiveFeed::WatchId watch = 0;
    std::uint64_t serial = 0;               // distinguishes it from an earlier one of the same table
    std::optional<std::uint64_t> kinds;     // bits by EventKind; nullopt: all
    bool whole = false;                     // the events themselves; else only notices that there are some
    bool reading = true;                    // the journal is being read
    WaitingQueue<StoredEvent> held{kHeld};  // came in the meantime
    std::optional<Seq> told;                // the last one that the page knows
    Seq newest = 0;                         // that is known here
    Lease place;                            // counted in the budget of the follower
  };

  // The list of all tables, while it is being sent.
  struct Listing {
    std::uint64_t serial;            // distinguishes it from an earlier one
    std::optional<TableMark> after;  // the last one of those that were sent
    std::size_t sent;                // tables
  };

  void Subscribe(const json::Object& message);
  void Unsubscribe(const TableId& table);
  void WatchTables(bool on);
  // From the journal: the requested history, or the error.
  void OnHistory(const TableId& table, std::uint64_t serial, bool hosted, bool whole_asked, bool has_more,
                 Result<std::vector<StoredEvent>> history);
  void OnBatch(const LiveFeed::BatchPtr& batch);
  // Sends the new ones of these, preceded by a gap if some are missing.
  void Forward(const TableId& table, Subscription& subscription, const std::vector<StoredEvent>& events);
  void SendGap(const TableId& table, Subscription& subscription, Seq next);
  void Tick();
  // Reports lagging and changed subscriptions, if the page keeps up.
  void CatchUp();
  void RoundUp();
  // Those that have changed, some at a time; goes on in OnFound, and at the next tick where the page lags.
  void SendDirtyTables();
  // nullopt: there is no such table any more.
  void OnFound(const TableId& id, std::optional<json::Object> info);
  // Begins the list; ListSome gathers its next piece, if the page keeps up.
  void SendAllTables();
  void ListSome();
  void SendListed(std::vector<json::Object> some, std::optional<TableMark> next);

  bool Lags() const;
  bool Send(const json::Value& message);
  void SendError(const Error& error, std::string_view op, const std::string& table = {});

  LiveFeed& feed_;
  TableDirectory& directory_;
  Worker& reader_;
  std::shared_ptr<net::WebSocket> socket_;
  Scheduler* scheduler_ = nullptr;
  std::map<TableId, Subscription> subscriptions_;
  std::uint64_t last_serial_ = 0;
  std::size_t reads_ = 0;  // in progress
  std::optional<LiveFeed::WatchId> tables_watch_;
  std::optional<Listing> listing_;
  bool gathering_ = false;        // a piece of a list
  std::set<TableId> known_;       // tables that the page was told about
  std::set<TableId> dirty_;       // those in which something changed since
  std::set<TableId> sending_;     // those that are being sent
  std::set<TableId> looked_for_;  // and have left sending_
  int ticks_ = 0;
  ScopedTimer timer_;
};

}  // namespace openseat::console

// JournalWriter: the writing half of the SQLite journal: turns a batch of appends into one transaction. Internal to
// this module. One thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/loop_bill.h"
#include "base/result.h"
#include "core/journal.h"
#include "store/journal_codec.h"
#include "store/journal_room.h"
#include "store/sqlite.h"

namespace openseat::store {

// One pending call of Journal::Append.
struct AppendRequest {
  TableId table;
  Seq expected = 0;
  std::vector<Event> events;
  Scheduler* scheduler = nullptr;
  Billed<Journal::AppendDone> done;
  std::size_t bytes = 0;  // approximate memory use
  AppendTerms terms{};
  bool refused = false;  // there was no room for it in memory; it has no events
};

// What every journal refuses: kInvalid for a table's name, kTooLarge for an event.
Result<void> CheckAppend(const AppendRequest& request);
// AppendRequest::bytes of these.
std::size_t MemoryOf(const TableId& table, const std::vector<Event>& events);

// The file's contents as of the last commit.
struct JournalTotals {
  std::uint64_t last_chunk = 0;  // the highest id that a chunk ever had
  std::uint64_t open_tables = 0;
  std::uint64_t closed_tables = 0;
  std::uint64_t file_bytes = 0;
  std::uint64_t free_bytes = 0;  // unused part of those
};

class JournalWriter {
 public:
  // REQUIRES a database from OpenJournalForWriting; `path` is its location.
  static Result<std::unique_ptr<JournalWriter>> Create(Database database, std::string path, JournalRoom room);

  // Commits as many of `requests` as fit in one transaction, and writes one outcome each to `results`. An
  // I/O failure leaves the file unchanged, gives kIo to every request, and is returned.
  Result<void> Commit(std::span<const AppendRequest> requests, std::vector<Result<Seq>>& results);

  // Removes a closed table; CollectGarbage returns its space. Returns how many events it had. kNotFound, or
  // kConflict while it is open.
  Result<std::size_t> Forget(const TableId& table);
  // The same for every closed table whose latest event is older than `oldest`. Returns the number of tables.
  Result<std::size_t> ForgetOlder(Time oldest);
  // Deletes a slice of removed tables in its own transaction, or returns a slice of free space to the file
  // system. Returns whether there may be more. Not synced: appends wait for it, and it can be done again.
  Result<bool> CollectGarbage();
  // Moves the write-ahead log into the database, so the file gets as small as possible. `alone`: nobody
  // else has it open; a file that cannot shrink is then converted to one that can.
  Result<void> Shrink(bool alone);
  // Writes something that changes nothing: tests whether the journal is writable.
  Result<void> Probe();

  const JournalTotals& totals() const { return totals_; }
  // Number of appends refused because the file or the disk had no room but the reserve.
  std::uint64_t refused() const { return refused_; }

 private:
  // Cached data of a table between batches; the file has it too.
  struct Head {
    std::uint64_t key = 0;  // 0: the table is not in the file yet
    std::uint64_t first_chunk = 0;
    std::uint64_t last_chunk = 0;
    std::uint64_t chunks = 0;
    Seq last_seq = 0;
    Time last_time = Time::min();  // the latest of all its events
    bool closed = false;
    std::size_t group = kNoGroup;
  };
  static constexpr std::size_t kNoGroup = static_cast<std::size_t>(-1);

  // What a batch adds to one table.
  struct Group {
    const TableId* table;
    Head* head;
    Seq first_seq;  // of the first chunk
    Time opened;    // of the first event
    bool closed;
    bool was_closed;
    std::vector<ChunkBuilder> chunks;
  };

  JournalWriter(Database database, std::string path, JournalRoom room)
      : database_(std::move(database)), path_(std::move(path)), room_(room) {}

  Result<Head*> FindHead(const TableId& table);
  Result<Seq> Take(const AppendRequest& request);
  Result<void> WriteGroups();
  Result<void> WriteGroup(Group& group);
  Result<void> CountTables();
  // Measures the file and the free disk space.
  Result<void> Measure();
  JournalUse Use() const;
  // Counts these bytes if there is room for them; otherwise says why not.
  Result<void> TakeRoom(std::uint64_t bytes, const AppendTerms& terms);
  Result<bool> GiveBack();
  // Whether the next commits are synced before they return. If not, a power cut may undo them until one that is.
  Result<void> Sync(bool synced);
  // Runs `body` between BEGIN and COMMIT; a failure rolls everything back.
  template <typename Body>
  Result<void> Transact(Body body, bool synced = true);

  Database database_;
  const std::string path_;
  const JournalRoom room_;
  bool shrinks_ = false;
  bool synced_ = true;
  Statement begin_;
  Statement commit_;
  Statement find_table_;
  Statement insert_table_;
  Statement update_table_;
  Statement set_closed_;
  Statement insert_chunk_;
  Statement insert_mark_;
  Statement keep_highest_;
  Statement forget_;
  Statement forget_older_;
  Statement find_garbage_;
  Statement find_chunk_;
  Statement delete_chunk_;
  Statement shorten_table_;
  Statement delete_marks_;
  Statement delete_table_;
  Statement page_count_;
  Statement free_pages_;

  std::unordered_map<TableId, Head> heads_;
  std::vector<Group> groups_;
  JournalTotals totals_;
  std::uint64_t page_bytes_ = 0;
  std::uint64_t written_ = 0;    // bytes since the last measurement
  std::uint64_t disk_free_ = 0;  // at the last measurement
  std::uint64_t disk_size_ = 0;
  Instant measured_;
  std::uint64_t refused_ = 0;
};

}  // namespace openseat::store

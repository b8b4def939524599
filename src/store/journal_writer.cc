#include "store/journal_writer.h"

#include <sys/statvfs.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "base/check.h"
#include "base/clock.h"
#include "base/text.h"
#include "store/journal_file.h"
#include "store/journal_format.h"

namespace openseat::store {
namespace {

// Heads are a cache; above this number, the cache is cleared.
constexpr std::size_t kMaxHeads = 65536;
// One slice of garbage: short enough not to delay a waiting commit noticeably. Freeing a page costs as much as writing
// one.
constexpr int kGarbageChunks = 128;
constexpr std::uint64_t kGarbageBytes = std::uint64_t{1} << 20;
constexpr const char* kGiveBackASlice = "PRAGMA incremental_vacuum(64)";
// Bytes written before the file is measured again.
constexpr std::uint64_t kMeasureBytes = std::uint64_t{1} << 20;
// How soon it is measured again while there is no room.
constexpr Duration kMeasureEvery = std::chrono::seconds(1);
// PRAGMA auto_vacuum of a file that can shrink.
constexpr std::int64_t kIncrementalVacuum = 2;

// The memory of a queued event besides its payload.
constexpr std::size_t kEventMemory = sizeof(Event) + 32;

Instant SteadyNow() {
  return SystemClock().Monotonic();
}

Error WriteError(const Error& error) {
  return {ErrorCode::kIo, "the journal cannot be written now: " + error.message, {}};
}

}  // namespace

Result<void> CheckAppend(const AppendRequest& request) {
  const std::size_t name = request.table.str().size();
  if (name == 0 || name > kMaxTableIdBytes) {
    return Fail(ErrorCode::kInvalid, "a table's name must have 1 to " + std::to_string(kMaxTableIdBytes) +
                                         " bytes; got " + std::to_string(name));
  }
  for (const Event& event : request.events) {
    if (event.payload.size() > kMaxPayloadBytes) {
      return Fail(ErrorCode::kTooLarge, "an event of " + std::to_string(event.payload.size()) +
                                            " bytes is over the journal's limit of " +
                                            std::to_string(kMaxPayloadBytes));
    }
  }
  return {};
}

std::size_t MemoryOf(const TableId& table, const std::vector<Event>& events) {
  std::size_t bytes = sizeof(AppendRequest) + table.str().size();
  for (const Event& event : events) bytes += kEventMemory + event.payload.size();
  return bytes;
}

Result<std::unique_ptr<JournalWriter>> JournalWriter::Create(Database database, std::string path, JournalRoom room) {
  std::unique_ptr<JournalWriter> out(new JournalWriter(std::move(database), std::move(path), room));
  const std::pair<Statement*, const char*> statements[] = {
      {&out->begin_, "BEGIN IMMEDIATE"},
      {&out->commit_, "COMMIT"},
      {&out->find_table_,
       "SELECT key, first_chunk, last_chunk, chunks, last_seq, closed, last_time FROM tables WHERE id = ?1"},
      {&out->insert_table_,
       "INSERT INTO tables(id, opened, first_chunk, last_chunk, chunks, last_seq, last_time, closed) "
       "VALUES(?1, ?2, 0, 0, 0, 0, 0, 0)"},
      {&out->update_table_,
       "UPDATE tables SET first_chunk = ?2, last_chunk = ?3, chunks = ?4, last_seq = ?5, last_time = ?6 WHERE key = "
       "?1"},
      {&out->set_closed_, "UPDATE tables SET closed = ?2 WHERE key = ?1"},
      {&out->insert_chunk_,
       "INSERT INTO chunks(id, table_key, prev, first_seq, count, data) VALUES(?6, ?1, ?2, ?3, ?4, ?5)"},
      {&out->insert_mark_, "INSERT INTO marks(table_key, last_seq, chunk) VALUES(?1, ?2, ?3)"},
      {&out->keep_highest_,
       "INSERT INTO marks(table_key, last_seq, chunk) VALUES(0, 0, (SELECT coalesce(max(id), 0) FROM chunks)) "
       "ON CONFLICT(table_key, last_seq) DO UPDATE SET chunk = max(chunk, excluded.chunk)"},
      {&out->forget_, "UPDATE tables SET id = NULL WHERE key = ?1"},
      {&out->forget_older_, "UPDATE tables SET id = NULL WHERE id IS NOT NULL AND closed = 1 AND last_time < ?1"},
      {&out->find_garbage_, "SELECT key, last_chunk FROM tables WHERE id IS NULL LIMIT 1"},
      {&out->find_chunk_, "SELECT table_key, prev, length(data) FROM chunks WHERE id = ?1"},
      {&out->delete_chunk_, "DELETE FROM chunks WHERE id = ?1"},
      {&out->shorten_table_, "UPDATE tables SET last_chunk = ?2 WHERE key = ?1"},
      {&out->delete_marks_, "DELETE FROM marks WHERE table_key = ?1"},
      {&out->delete_table_, "DELETE FROM tables WHERE key = ?1"},
      {&out->page_count_, "PRAGMA page_count"},
      {&out->free_pages_, "PRAGMA freelist_count"}};
  for (const auto& [statement, sql] : statements) {
    Result<Statement> prepared = out->database_.Prepare(sql);
    if (!prepared) return Fail(prepared.error());
    *statement = std::move(*prepared);
  }
  const Result<std::uint64_t> highest = HighestChunk(out->database_);
  if (!highest) return Fail(highest.error());
  out->totals_.last_chunk = *highest;
  const Result<std::int64_t> page = out->database_.QueryInt("PRAGMA page_size");
  if (!page) return Fail(page.error());
  out->page_bytes_ = static_cast<std::uint64_t>(*page);
  const Result<std::int64_t> vacuum = out->database_.QueryInt("PRAGMA auto_vacuum");
  if (!vacuum) return Fail(vacuum.error());
  out->shrinks_ = *vacuum == kIncrementalVacuum;
  if (Result<void> counted = out->CountTables(); !counted) return Fail(counted.error());
  if (Result<void> measured = out->Measure(); !measured) return Fail(measured.error());
  return out;
}

Result<void> JournalWriter::CountTables() {
  const Result<std::int64_t> all = database_.QueryInt("SELECT count(*) FROM tables WHERE id IS NOT NULL");
  if (!all) return Fail(all.error());
  const Result<std::int64_t> open = database_.QueryInt("SELECT count(*) FROM tables WHERE closed = 0");
  if (!open) return Fail(open.error());
  totals_.open_tables = static_cast<std::uint64_t>(*open);
  totals_.closed_tables = static_cast<std::uint64_t>(*all - *open);
  return {};
}

Result<void> JournalWriter::Measure() {
  std::uint64_t pages[2] = {};
  Statement* const statements[2] = {&page_count_, &free_pages_};
  for (int i = 0; i < 2; ++i) {
    const ScopedReset reset(*statements[i]);
    const Result<bool> row = statements[i]->Step();
    if (!row) return Fail(WriteError(row.error()));
    pages[i] = statements[i]->Unsigned(0);
  }
  totals_.file_bytes = pages[0] * page_bytes_;
  totals_.free_bytes = pages[1] * page_bytes_;
  written_ = 0;
  measured_ = SteadyNow();
  struct statvfs disk;
  disk_free_ = disk_size_ = std::numeric_limits<std::uint64_t>::max();
  if (statvfs(path_.c_str(), &disk) == 0) {
    disk_free_ = std::uint64_t{disk.f_bavail} * disk.f_frsize;
    disk_size_ = std::uint64_t{disk.f_blocks} * disk.f_frsize;
  }
  return {};
}

JournalUse JournalWriter::Use() const {
  JournalUse use;
  use.used = totals_.file_bytes - totals_.free_bytes + written_;
  use.left = disk_free_ - std::min(disk_free_, written_);
  use.size = disk_size_;
  return use;
}

Result<void> JournalWriter::TakeRoom(std::uint64_t bytes, const AppendTerms& terms) {
  Result<void> room = CheckRoom(room_, Use(), bytes, terms);
  if (!room && SteadyNow() - measured_ >= kMeasureEvery) {
    if (Result<void> measured = Measure(); !measured) return measured;
    room = CheckRoom(room_, Use(), bytes, terms);
  }
  if (room) written_ += bytes;
  return room;
}

Result<void> JournalWriter::Probe() {
  if (Result<void> measured = Measure(); !measured) return measured;
  if (Result<void> room = CheckRoom(room_, Use(), 0, {}); !room) return room;
  return Transact([this] { return keep_highest_.Run(); });
}

Result<void> JournalWriter::Sync(bool synced) {
  if (synced == synced_) return {};
  Result<void> set = database_.Execute(synced ? "PRAGMA synchronous = FULL" : "PRAGMA synchronous = NORMAL");
  if (set) synced_ = synced;
  return set;
}

template <typename Body>
Result<void> JournalWriter::Transact(Body body, bool synced) {
  Result<void> done = Sync(synced);
  if (done) done = begin_.Run();
  if (done) done = body();
  if (done) done = commit_.Run();
  if (done) return {};
  // Some failures have already rolled back.
  if (database_.in_transaction()) static_cast<void>(database_.Execute("ROLLBACK").has_value());
  return Fail(WriteError(done.error()));
}

Result<JournalWriter::Head*> JournalWriter::FindHead(const TableId& table) {
  if (const auto found = heads_.find(table); found != heads_.end()) return &found->second;
  Head head;
  {
    const ScopedReset reset(find_table_);
    find_table_.BindText(1, table.str());
    const Result<bool> row = find_table_.Step();
    if (!row) return Fail(WriteError(row.error()));
    if (*row) {
      head.key = find_table_.Unsigned(0);
      head.first_chunk = find_table_.Unsigned(1);
      head.last_chunk = find_table_.Unsigned(2);
      head.chunks = find_table_.Unsigned(3);
      head.last_seq = find_table_.Unsigned(4);
      head.closed = find_table_.Int(5) != 0;
      head.last_time = Time(Duration(find_table_.Int(6)));
    }
  }
  return &heads_.emplace(table, head).first->second;
}

// Adds the request's events to its table's group, or returns why not.
Result<Seq> JournalWriter::Take(const AppendRequest& request) {
  if (request.refused) return Fail(ErrorCode::kIo, "the disk is too slow for the events to record");
  if (Result<void> checked = CheckAppend(request); !checked) return Fail(checked.error());
  const std::string& id = request.table.str();
  const Result<Head*> found = FindHead(request.table);
  if (!found) return Fail(found.error());
  Head& head = **found;
  if (head.last_seq != request.expected) {
    return Fail(ErrorCode::kConflict, "table " + Quote(id) + " has " + std::to_string(head.last_seq) + " events, not " +
                                          std::to_string(request.expected));
  }
  if (request.events.empty()) return head.last_seq;
  if (head.last_seq == 0 && request.events.front().kind != EventKind::kOpened) {
    return Fail(ErrorCode::kInvalid, "the first event of table " + Quote(id) + " must be its opening");
  }

  std::uint64_t bytes = 0;
  for (const Event& event : request.events) bytes += event.payload.size();
  if (Result<void> room = TakeRoom(bytes, request.terms); !room) {
    if (request.terms.expendable || request.terms.of_stranger) ++refused_;
    return Fail(room.error());
  }

  if (head.group == kNoGroup) {
    head.group = groups_.size();
    groups_.push_back({&request.table, &head, head.last_seq + 1, request.events.front().time, false, head.closed, {}});
    groups_.back().chunks.emplace_back();
  }
  Group& group = groups_[head.group];
  for (const Event& event : request.events) {
    if (group.chunks.back().bytes() >= kChunkTargetBytes) group.chunks.emplace_back();
    group.chunks.back().Add(event);
    // A clock that was set back does not make a table older.
    head.last_time = std::max(head.last_time, event.time);
  }
  group.closed = request.events.back().kind == EventKind::kClosed;
  head.closed = group.closed;
  head.last_seq += request.events.size();
  return head.last_seq;
}

Result<void> JournalWriter::WriteGroup(Group& group) {
  Head& head = *group.head;
  if (head.key == 0) {
    insert_table_.BindText(1, group.table->str());
    insert_table_.Bind(2, group.opened.time_since_epoch().count());
    if (Result<void> inserted = insert_table_.Run(); !inserted) return inserted;
    head.key = static_cast<std::uint64_t>(database_.last_insert_id());
  }
  Seq seq = group.first_seq;
  for (ChunkBuilder& chunk : group.chunks) {
    insert_chunk_.Bind(1, head.key);
    insert_chunk_.Bind(2, head.last_chunk);
    insert_chunk_.Bind(3, seq);
    insert_chunk_.Bind(4, chunk.count());
    insert_chunk_.BindBlob(5, chunk.Finish(head.key, seq));
    insert_chunk_.Bind(6, ++totals_.last_chunk);
    if (Result<void> inserted = insert_chunk_.Run(); !inserted) return inserted;
    head.last_chunk = totals_.last_chunk;
    if (head.chunks++ == 0) head.first_chunk = head.last_chunk;
    seq += chunk.count();
    if (head.chunks % kChunksPerMark == 0) {
      insert_mark_.Bind(1, head.key);
      insert_mark_.Bind(2, seq - 1);
      insert_mark_.Bind(3, head.last_chunk);
      if (Result<void> inserted = insert_mark_.Run(); !inserted) return inserted;
    }
  }
  OPENSEAT_CHECK(seq == head.last_seq + 1, "a group's chunks hold all events that its head counted");
  update_table_.Bind(1, head.key);
  update_table_.Bind(2, head.first_chunk);
  update_table_.Bind(3, head.last_chunk);
  update_table_.Bind(4, head.chunks);
  update_table_.Bind(5, head.last_seq);
  update_table_.Bind(6, head.last_time.time_since_epoch().count());
  if (Result<void> updated = update_table_.Run(); !updated) return updated;
  if (group.closed == group.was_closed) return {};
  // Not in the update above: each commit of each table would change the index of open tables.
  set_closed_.Bind(1, head.key);
  set_closed_.Bind(2, std::int64_t{group.closed});
  return set_closed_.Run();
}

Result<void> JournalWriter::WriteGroups() {
  const std::uint64_t last_chunk = totals_.last_chunk;
  Result<void> written = Transact([this]() -> Result<void> {
    for (Group& group : groups_) {
      if (Result<void> done = WriteGroup(group); !done) return done;
    }
    return {};
  });
  if (!written) {
    totals_.last_chunk = last_chunk;
    return written;
  }
  for (const Group& group : groups_) {
    if (group.first_seq == 1) ++totals_.open_tables;
    if (group.closed == group.was_closed) continue;
    // Usually it closes; nothing prevents a writer from continuing after that.
    std::uint64_t& from = group.closed ? totals_.open_tables : totals_.closed_tables;
    std::uint64_t& to = group.closed ? totals_.closed_tables : totals_.open_tables;
    --from;
    ++to;
  }
  return written;
}

Result<void> JournalWriter::Commit(std::span<const AppendRequest> requests, std::vector<Result<Seq>>& results) {
  results.clear();
  for (const AppendRequest& request : requests) results.push_back(Take(request));
  Result<void> written;
  if (!groups_.empty()) written = WriteGroups();
  for (const Group& group : groups_) {
    group.head->group = kNoGroup;
    // It is not what is in the file, or hardly needed again: the next request would load it.
    if (!written || group.closed) heads_.erase(*group.table);
  }
  groups_.clear();
  if (!written) {
    // A request without events may have been told a number that was never used.
    for (Result<Seq>& result : results) {
      if (result) result = Fail(written.error());
    }
  }
  if (heads_.size() > kMaxHeads) heads_.clear();
  if (!written || written_ >= kMeasureBytes) static_cast<void>(Measure().has_value());
  if (!written) return written;
  // A recording without room is not a failure of the journal; a match without room is.
  for (std::size_t i = 0; i < results.size(); ++i) {
    const bool failed = !results[i] && results[i].error().code == ErrorCode::kIo;
    if (failed && !requests[i].terms.expendable) return Fail(results[i].error());
  }
  return {};
}

Result<std::size_t> JournalWriter::Forget(const TableId& table) {
  std::uint64_t key = 0;
  std::size_t events = 0;
  {
    const ScopedReset reset(find_table_);
    find_table_.BindText(1, table.str());
    const Result<bool> row = find_table_.Step();
    if (!row) return Fail(WriteError(row.error()));
    if (!*row) return Fail(ErrorCode::kNotFound, "there is no table " + Quote(table.str()));
    if (find_table_.Int(5) == 0) {
      return Fail(ErrorCode::kConflict,
                  "table " + Quote(table.str()) + " is still open; close it before you delete it");
    }
    key = find_table_.Unsigned(0);
    events = find_table_.Unsigned(4);
  }
  const Result<void> done = Transact([this, key] {
    forget_.Bind(1, key);
    return forget_.Run();
  });
  if (!done) return Fail(done.error());
  heads_.erase(table);
  --totals_.closed_tables;
  return events;
}

Result<std::size_t> JournalWriter::ForgetOlder(Time oldest) {
  std::size_t tables = 0;
  const Result<void> done = Transact([this, oldest, &tables] {
    forget_older_.Bind(1, oldest.time_since_epoch().count());
    Result<void> run = forget_older_.Run();
    tables = database_.changes();
    return run;
  });
  if (!done) return Fail(done.error());
  heads_.clear();
  // `openseat journal prune` may have deleted some, too.
  if (Result<void> counted = CountTables(); !counted) return Fail(WriteError(counted.error()));
  return tables;
}

Result<bool> JournalWriter::CollectGarbage() {
  std::uint64_t key = 0;
  std::uint64_t chunk = 0;
  {
    const ScopedReset reset(find_garbage_);
    const Result<bool> row = find_garbage_.Step();
    if (!row) return Fail(WriteError(row.error()));
    if (!*row) return GiveBack();
    key = find_garbage_.Unsigned(0);
    chunk = find_garbage_.Unsigned(1);
  }
  const Result<void> done = Transact(
      [this, key, chunk]() -> Result<void> {
        if (Result<void> kept = keep_highest_.Run(); !kept) return kept;
        std::uint64_t next = chunk;
        std::uint64_t bytes = 0;
        for (int i = 0; i < kGarbageChunks && bytes < kGarbageBytes && next != 0; ++i) {
          std::uint64_t prev = 0;
          {
            const ScopedReset reset(find_chunk_);
            find_chunk_.Bind(1, next);
            const Result<bool> row = find_chunk_.Step();
            if (!row) return Fail(row.error());
            // A broken chain ends here: anything after the break no longer belongs to a table.
            if (*row && find_chunk_.Unsigned(0) == key) {
              prev = find_chunk_.Unsigned(1);
              bytes += find_chunk_.Unsigned(2);
            } else {
              next = 0;
            }
          }
          if (next == 0) break;
          delete_chunk_.Bind(1, next);
          if (Result<void> deleted = delete_chunk_.Run(); !deleted) return deleted;
          next = prev;
        }
        if (next != 0) {
          shorten_table_.Bind(1, key);
          shorten_table_.Bind(2, next);
          return shorten_table_.Run();
        }
        delete_marks_.Bind(1, key);
        if (Result<void> deleted = delete_marks_.Run(); !deleted) return deleted;
        delete_table_.Bind(1, key);
        return delete_table_.Run();
      },
      false);
  if (!done) return Fail(done.error());
  return true;
}

Result<bool> JournalWriter::GiveBack() {
  if (Result<void> measured = Measure(); !measured) return Fail(measured.error());
  if (!shrinks_ || totals_.free_bytes == 0) return false;
  if (Result<void> set = Sync(false); !set) return Fail(WriteError(set.error()));
  if (Result<void> given = database_.Execute(kGiveBackASlice); !given) return Fail(WriteError(given.error()));
  return true;
}

Result<void> JournalWriter::Shrink(bool alone) {
  if (alone && !shrinks_) {
    if (Result<void> made = database_.Execute("PRAGMA auto_vacuum = INCREMENTAL; VACUUM"); !made) {
      return Fail(WriteError(made.error()));
    }
    shrinks_ = true;
  }
  const char* empty = alone ? "PRAGMA wal_checkpoint(TRUNCATE)" : "PRAGMA wal_checkpoint(PASSIVE)";
  if (Result<void> emptied = database_.Execute(empty); !emptied) return Fail(WriteError(emptied.error()));
  return Measure();
}

}  // namespace openseat::store

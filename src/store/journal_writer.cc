#include "store/journal_writer.h"

#include <utility>

#include "base/check.h"
#include "store/journal_format.h"

namespace openseat::store {
namespace {

// Heads are a cache; beyond this many the cache starts anew.
constexpr std::size_t kMaxHeads = 65536;
// One slice of garbage: short enough that a commit waiting behind it does not notice.
constexpr int kGarbageChunks = 128;

Error WriteError(const Error& error) {
  return {ErrorCode::kIo, "cannot write the journal: " + error.message, {}};
}

}  // namespace

Result<std::unique_ptr<JournalWriter>> JournalWriter::Create(Database database) {
  std::unique_ptr<JournalWriter> out(new JournalWriter(std::move(database)));
  const std::pair<Statement*, const char*> statements[] = {
      {&out->begin_, "BEGIN IMMEDIATE"},
      {&out->commit_, "COMMIT"},
      {&out->find_table_, "SELECT key, first_chunk, last_chunk, chunks, last_seq, closed FROM tables WHERE id = ?1"},
      {&out->insert_table_,
       "INSERT INTO tables(id, opened, first_chunk, last_chunk, chunks, last_seq, last_time, closed) "
       "VALUES(?1, ?2, 0, 0, 0, 0, 0, 0)"},
      {&out->update_table_,
       "UPDATE tables SET first_chunk = ?2, last_chunk = ?3, chunks = ?4, last_seq = ?5, last_time = ?6, closed = ?7 "
       "WHERE key = ?1"},
      {&out->insert_chunk_, "INSERT INTO chunks(table_key, prev, first_seq, count, data) VALUES(?1, ?2, ?3, ?4, ?5)"},
      {&out->insert_mark_, "INSERT INTO marks(table_key, last_seq, chunk) VALUES(?1, ?2, ?3)"},
      {&out->forget_, "UPDATE tables SET id = NULL WHERE key = ?1"},
      {&out->forget_older_, "UPDATE tables SET id = NULL WHERE id IS NOT NULL AND last_time < ?1"},
      {&out->find_garbage_, "SELECT key, last_chunk FROM tables WHERE id IS NULL LIMIT 1"},
      {&out->find_chunk_, "SELECT table_key, prev FROM chunks WHERE id = ?1"},
      {&out->delete_chunk_, "DELETE FROM chunks WHERE id = ?1"},
      {&out->shorten_table_, "UPDATE tables SET last_chunk = ?2 WHERE key = ?1"},
      {&out->delete_marks_, "DELETE FROM marks WHERE table_key = ?1"},
      {&out->delete_table_, "DELETE FROM tables WHERE key = ?1"}};
  for (const auto& [statement, sql] : statements) {
    Result<Statement> prepared = out->database_.Prepare(sql);
    if (!prepared) return Fail(prepared.error());
    *statement = std::move(*prepared);
  }
  return out;
}

template <typename Body>
Result<void> JournalWriter::Transact(Body body) {
  Result<void> done = begin_.Run();
  if (done) done = body();
  if (done) done = commit_.Run();
  if (done) return {};
  // Some failures have rolled back already.
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
    }
  }
  return &heads_.emplace(table, head).first->second;
}

// Adds the request's events to its table's group, or says why not.
Result<Seq> JournalWriter::Take(const AppendRequest& request) {
  const std::string& id = request.table.str();
  if (id.empty() || id.size() > kMaxTableIdBytes) {
    return Fail(ErrorCode::kInvalid, "a table's name should have 1 to " + std::to_string(kMaxTableIdBytes) +
                                         " bytes, this one has " + std::to_string(id.size()));
  }
  for (const Event& event : request.events) {
    if (event.payload.size() > kMaxPayloadBytes) {
      return Fail(ErrorCode::kTooLarge, "an event of " + std::to_string(event.payload.size()) +
                                            " bytes is over the journal's limit of " +
                                            std::to_string(kMaxPayloadBytes));
    }
  }
  const Result<Head*> found = FindHead(request.table);
  if (!found) return Fail(found.error());
  Head& head = **found;
  if (head.last_seq != request.expected) {
    return Fail(ErrorCode::kConflict, "table \"" + id + "\" has " + std::to_string(head.last_seq) + " events, not " +
                                          std::to_string(request.expected));
  }
  if (request.events.empty()) return head.last_seq;
  if (head.last_seq == 0 && request.events.front().kind != EventKind::kOpened) {
    return Fail(ErrorCode::kInvalid, "the first event of table \"" + id + "\" should be that it was opened");
  }

  if (head.group == kNoGroup) {
    head.group = groups_.size();
    groups_.push_back({&request.table, &head, head.last_seq + 1, request.events.front().time, {}, false, {}});
    groups_.back().chunks.emplace_back();
  }
  Group& group = groups_[head.group];
  for (const Event& event : request.events) {
    if (group.chunks.back().bytes() >= kChunkTargetBytes) group.chunks.emplace_back();
    group.chunks.back().Add(event);
  }
  group.last_time = request.events.back().time;
  group.closed = request.events.back().kind == EventKind::kClosed;
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
    if (Result<void> inserted = insert_chunk_.Run(); !inserted) return inserted;
    head.last_chunk = static_cast<std::uint64_t>(database_.last_insert_id());
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
  update_table_.Bind(6, group.last_time.time_since_epoch().count());
  update_table_.Bind(7, std::int64_t{group.closed});
  return update_table_.Run();
}

Result<void> JournalWriter::WriteGroups() {
  return Transact([this]() -> Result<void> {
    for (Group& group : groups_) {
      if (Result<void> written = WriteGroup(group); !written) return written;
    }
    return {};
  });
}

Result<void> JournalWriter::Commit(std::span<const AppendRequest> requests, std::vector<Result<Seq>>& results) {
  results.clear();
  for (const AppendRequest& request : requests) results.push_back(Take(request));
  Result<void> written;
  if (!groups_.empty()) written = WriteGroups();
  for (const Group& group : groups_) {
    group.head->group = kNoGroup;
    // What the head says is not in the file: the next request loads it again.
    if (!written) heads_.erase(*group.table);
  }
  groups_.clear();
  if (!written) {
    // A request without events may have been told a number that never came to be.
    for (Result<Seq>& result : results) {
      if (result) result = Fail(written.error());
    }
  }
  if (heads_.size() > kMaxHeads) heads_.clear();
  for (const Result<Seq>& result : results) {
    if (!result && result.error().code == ErrorCode::kIo) return Fail(result.error());
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
    if (!*row) return Fail(ErrorCode::kNotFound, "no table \"" + table.str() + "\"");
    if (find_table_.Int(5) == 0) {
      return Fail(ErrorCode::kConflict, "table \"" + table.str() + "\" is still open: close it before it is forgotten");
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
  return tables;
}

Result<bool> JournalWriter::CollectGarbage() {
  std::uint64_t key = 0;
  std::uint64_t chunk = 0;
  {
    const ScopedReset reset(find_garbage_);
    const Result<bool> row = find_garbage_.Step();
    if (!row) return Fail(WriteError(row.error()));
    if (!*row) return false;
    key = find_garbage_.Unsigned(0);
    chunk = find_garbage_.Unsigned(1);
  }
  const Result<void> done = Transact([this, key, chunk]() -> Result<void> {
    std::uint64_t next = chunk;
    for (int i = 0; i < kGarbageChunks && next != 0; ++i) {
      std::uint64_t prev = 0;
      {
        const ScopedReset reset(find_chunk_);
        find_chunk_.Bind(1, next);
        const Result<bool> row = find_chunk_.Step();
        if (!row) return Fail(row.error());
        // A chain that is broken ends here: what may lie behind the break belongs to nobody any more.
        if (*row && find_chunk_.Unsigned(0) == key) {
          prev = find_chunk_.Unsigned(1);
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
  });
  if (!done) return Fail(done.error());
  return true;
}

}  // namespace openseat::store

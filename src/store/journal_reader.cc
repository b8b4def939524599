#include "store/journal_reader.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <limits>
#include <utility>

#include "base/log.h"
#include "base/text.h"
#include "store/journal_codec.h"
#include "store/journal_file.h"
#include "store/sqlite.h"

namespace openseat::store {
namespace {

// More simultaneous readers are rare; their connections are opened and closed.
constexpr std::size_t kIdleConnections = 4;

tl::unexpected<Error> ReadFailure(const Error& error) {
  return Fail(error.code, "cannot read the journal: " + error.message, error.path);
}

}  // namespace

// One SQLite connection with its statements. One call at a time.
class JournalReader::Connection {
 public:
  static Result<std::unique_ptr<Connection>> Open(const std::string& path) {
    Result<Database> database = OpenJournalForReading(path);
    if (!database) return Fail(database.error());
    auto out = std::make_unique<Connection>();
    out->database_ = std::move(*database);
    const std::pair<Statement*, const char*> statements[] = {
        {&out->begin_, "BEGIN"},
        {&out->end_, "COMMIT"},
        {&out->find_table_, "SELECT key, last_chunk, last_seq FROM tables WHERE id = ?1"},
        {&out->find_mark_, "SELECT chunk FROM marks WHERE table_key = ?1 AND last_seq >= ?2 ORDER BY last_seq LIMIT 1"},
        {&out->find_chunk_, "SELECT table_key, prev, first_seq, count FROM chunks WHERE id = ?1"},
        {&out->load_chunk_, "SELECT data FROM chunks WHERE id = ?1"},
        {&out->list_,
         "SELECT t.id, t.opened, t.last_seq, t.closed, t.key, c.table_key, c.first_seq, c.count, c.data FROM tables t "
         "LEFT JOIN chunks c ON c.id = t.first_chunk WHERE t.id IS NOT NULL AND t.key < ?2 ORDER BY t.key DESC LIMIT "
         "?1"},
        {&out->list_open_,
         "SELECT t.id, t.opened, t.last_seq, t.closed, t.key, c.table_key, c.first_seq, c.count, c.data FROM tables t "
         "LEFT JOIN chunks c ON c.id = t.first_chunk WHERE t.id IS NOT NULL AND t.closed = 0 AND t.key > ?2 ORDER BY "
         "t.key LIMIT ?1"},
        {&out->find_record_,
         "SELECT t.id, t.opened, t.last_seq, t.closed, t.key, c.table_key, c.first_seq, c.count, c.data FROM tables t "
         "LEFT JOIN chunks c ON c.id = t.first_chunk WHERE t.id = ?1"}};
    for (const auto& [statement, sql] : statements) {
      Result<Statement> prepared = out->database_.Prepare(sql);
      if (!prepared) return ReadFailure(prepared.error());
      *statement = std::move(*prepared);
    }
    return out;
  }

  Result<std::vector<StoredEvent>> Read(const TableId& table, Seq after, std::size_t limit) {
    // One snapshot for all statements: the writer may append or delete in the meantime.
    if (Result<void> begun = begin_.Run(); !begun) return ReadFailure(begun.error());
    Result<std::vector<StoredEvent>> events = ReadSnapshot(table, after, limit);
    if (Result<void> ended = end_.Run(); !ended) return ReadFailure(ended.error());
    return events;
  }

  Result<std::vector<TableRecord>> Tables(std::size_t limit, std::uint64_t before) {
    return List(list_, limit, before);
  }
  Result<std::vector<TableRecord>> OpenTables(std::size_t limit, std::uint64_t after) {
    return List(list_open_, limit, after);
  }

  Result<TableRecord> Find(const TableId& table) {
    const ScopedReset reset(find_record_);
    find_record_.BindText(1, table.str());
    const Result<bool> row = find_record_.Step();
    if (!row) return ReadFailure(row.error());
    if (!*row) return Fail(ErrorCode::kNotFound, "there is no table " + Quote(table.str()));
    return RecordOf(find_record_);
  }

 private:
  // At most `limit` tables on one side of this number.
  static Result<std::vector<TableRecord>> List(Statement& list, std::size_t limit, std::uint64_t number) {
    std::vector<TableRecord> tables;
    const ScopedReset reset(list);
    list.Bind(1, static_cast<std::int64_t>(std::min<std::size_t>(limit, std::numeric_limits<std::int64_t>::max())));
    list.Bind(2, static_cast<std::int64_t>(std::min(number, Journal::kNewest)));
    for (;;) {
      const Result<bool> row = list.Step();
      if (!row) return ReadFailure(row.error());
      if (!*row) return tables;
      tables.push_back(RecordOf(list));
    }
  }

  static TableRecord RecordOf(Statement& row) {
    TableRecord table;
    table.id = TableId(std::string(row.Bytes(0)));
    table.opened = Time(Duration(row.Int(1)));
    table.last_seq = row.Unsigned(2);
    table.closed = row.Int(3) != 0;
    table.number = row.Unsigned(4);
    Result<std::vector<Event>> events = Fail(ErrorCode::kParse, "its first chunk is missing");
    if (row.Unsigned(5) == row.Unsigned(4) && row.Unsigned(6) == 1) {
      events = DecodeChunk({row.Unsigned(4), row.Unsigned(6), row.Unsigned(7)}, row.Bytes(8));
    }
    // One damaged table must not hide all others.
    if (events) {
      table.opened_payload = std::move(events->front().payload);
    } else {
      log::Warn("journal: table {} cannot be read: {}", table.id.str(), events.error().message);
    }
    return table;
  }

  struct Chunk {
    std::uint64_t id;
    std::uint64_t prev;
    ChunkPlace place;
    Seq last_seq() const { return place.first_seq + place.count - 1; }
  };

  Result<std::vector<StoredEvent>> ReadSnapshot(const TableId& table, Seq after, std::size_t limit) {
    std::uint64_t key = 0;
    std::uint64_t chunk = 0;
    Seq head = 0;
    {
      const ScopedReset reset(find_table_);
      find_table_.BindText(1, table.str());
      const Result<bool> row = find_table_.Step();
      if (!row) return ReadFailure(row.error());
      if (!*row) return Fail(ErrorCode::kNotFound, "there is no table " + Quote(table.str()));
      key = find_table_.Unsigned(0);
      chunk = find_table_.Unsigned(1);
      head = find_table_.Unsigned(2);
    }
    if (after >= head || limit == 0) return std::vector<StoredEvent>();
    const Seq last = limit >= head - after ? head : after + limit;

    const auto damaged = [&table](const std::string& what) {
      return Fail(ErrorCode::kParse, "the journal of table " + Quote(table.str()) + " is damaged: " + what);
    };
    if (last < head) {
      // The nearest chunk after the requested one that can be found without walking the chain.
      const ScopedReset reset(find_mark_);
      find_mark_.Bind(1, key);
      find_mark_.Bind(2, last);
      const Result<bool> row = find_mark_.Step();
      if (!row) return ReadFailure(row.error());
      if (*row) chunk = find_mark_.Unsigned(0);
    }

    // Walks back along the chain, collecting the requested chunks, newest first.
    std::vector<Chunk> wanted;
    Seq next_first = 0;  // first number of the last chunk walked; 0: none yet
    for (;;) {
      Chunk found{chunk, 0, {}};
      {
        const ScopedReset reset(find_chunk_);
        find_chunk_.Bind(1, chunk);
        const Result<bool> row = find_chunk_.Step();
        if (!row) return ReadFailure(row.error());
        if (!*row || find_chunk_.Unsigned(0) != key) return damaged("chunk " + std::to_string(chunk) + " is missing");
        found.prev = find_chunk_.Unsigned(1);
        found.place = {key, find_chunk_.Unsigned(2), find_chunk_.Unsigned(3)};
      }
      const ChunkPlace& place = found.place;
      const bool fits = place.first_seq > 0 && place.count > 0 && place.first_seq <= head &&
                        place.count <= head - place.first_seq + 1 &&
                        (next_first == 0 ? found.last_seq() >= last : found.last_seq() + 1 == next_first);
      if (!fits) return damaged("chunk " + std::to_string(chunk) + " is in the wrong place");
      next_first = place.first_seq;
      if (place.first_seq <= last) wanted.push_back(found);
      if (place.first_seq <= after + 1) break;
      chunk = found.prev;
    }

    EventPage page(limit);
    for (auto it = wanted.rbegin(); it != wanted.rend() && !page.full(); ++it) {
      const ScopedReset reset(load_chunk_);
      load_chunk_.Bind(1, it->id);
      const Result<bool> row = load_chunk_.Step();
      if (!row) return ReadFailure(row.error());
      if (!*row) return damaged("chunk " + std::to_string(it->id) + " is missing");
      Result<std::vector<Event>> events = DecodeChunk(it->place, load_chunk_.Bytes(0));
      if (!events) {
        return Fail(events.error().code, "the journal of table " + Quote(table.str()) + " is damaged: chunk " +
                                             std::to_string(it->id) + ": " + events.error().message);
      }
      Seq seq = it->place.first_seq;
      for (Event& event : *events) {
        if (seq > after && !page.Add({seq, std::move(event)})) break;
        ++seq;
      }
    }
    return page.Take();
  }

  Database database_;
  Statement begin_;
  Statement end_;
  Statement find_table_;
  Statement find_mark_;
  Statement find_chunk_;
  Statement load_chunk_;
  Statement list_;
  Statement list_open_;
  Statement find_record_;
};

// A pooled connection for the duration of one call.
class JournalReader::Lease {
 public:
  static Result<Lease> Take(JournalReader& reader) {
    {
      const std::lock_guard lock(reader.mutex_);
      if (!reader.idle_.empty()) {
        Lease out(reader, std::move(reader.idle_.back()));
        reader.idle_.pop_back();
        return out;
      }
    }
    Result<std::unique_ptr<Connection>> connection = Connection::Open(reader.path_);
    if (!connection) return Fail(connection.error());
    return Lease(reader, std::move(*connection));
  }
  Lease(Lease&&) = default;
  ~Lease() {
    if (connection_ == nullptr) return;
    const std::lock_guard lock(reader_->mutex_);
    if (reader_->idle_.size() < kIdleConnections) reader_->idle_.push_back(std::move(connection_));
  }
  Connection* operator->() { return connection_.get(); }

 private:
  Lease(JournalReader& reader, std::unique_ptr<Connection> connection)
      : reader_(&reader), connection_(std::move(connection)) {}
  JournalReader* reader_;
  std::unique_ptr<Connection> connection_;
};

JournalReader::JournalReader(std::string path) : path_(std::move(path)) {}
JournalReader::~JournalReader() = default;

Result<std::unique_ptr<JournalReader>> JournalReader::Open(const std::string& path) {
  std::unique_ptr<JournalReader> out(new JournalReader(path));
  // Opens the first connection at once, so a file that is not a journal is detected here.
  const Result<Lease> lease = Lease::Take(*out);
  if (!lease) return Fail(lease.error());
  return out;
}

Result<std::vector<StoredEvent>> JournalReader::Read(const TableId& table, Seq after, std::size_t limit) {
  Result<Lease> lease = Lease::Take(*this);
  if (!lease) return Fail(lease.error());
  return (*lease)->Read(table, after, limit);
}

Result<std::vector<TableRecord>> JournalReader::Tables(std::size_t limit, std::uint64_t before) {
  Result<Lease> lease = Lease::Take(*this);
  if (!lease) return Fail(lease.error());
  return (*lease)->Tables(limit, before);
}

Result<std::vector<TableRecord>> JournalReader::OpenTables(std::size_t limit, std::uint64_t after) {
  Result<Lease> lease = Lease::Take(*this);
  if (!lease) return Fail(lease.error());
  return (*lease)->OpenTables(limit, after);
}

Result<TableRecord> JournalReader::Find(const TableId& table) {
  Result<Lease> lease = Lease::Take(*this);
  if (!lease) return Fail(lease.error());
  return (*lease)->Find(table);
}

}  // namespace openseat::store

// JournalWriter: the writing half of the SQLite journal: turns a batch of appends into one transaction. For the files
// of this module only. One thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "core/journal.h"
#include "store/journal_codec.h"
#include "store/sqlite.h"

namespace openseat::store {

// One call of Journal::Append, on its way.
struct AppendRequest {
  TableId table;
  Seq expected = 0;
  std::vector<Event> events;
  Scheduler* scheduler = nullptr;
  Journal::AppendDone done;
  std::size_t bytes = 0;  // roughly what it takes in memory
};

class JournalWriter {
 public:
  // REQUIRES a database from OpenJournalForWriting.
  static Result<std::unique_ptr<JournalWriter>> Create(Database database);

  // Commits all of `requests` that may be in one transaction, and says in `results`, one each, what became of them. An
  // I/O failure leaves the file as it was, gives kIo to every request, and is returned.
  Result<void> Commit(std::span<const AppendRequest> requests, std::vector<Result<Seq>>& results);

  // Makes a closed table unknown; CollectGarbage gives its space back. Returns how many events it had. kNotFound, or
  // kConflict while it is open.
  Result<std::size_t> Forget(const TableId& table);
  // The same for every table, open or not, whose last event is older than `oldest`. Returns how many tables.
  Result<std::size_t> ForgetOlder(Time oldest);
  // Deletes a slice of what was forgotten, in a transaction of its own. Returns whether there may be more.
  Result<bool> CollectGarbage();

 private:
  // What is kept of a table between batches; the file has it too.
  struct Head {
    std::uint64_t key = 0;  // 0: the file does not have the table yet
    std::uint64_t first_chunk = 0;
    std::uint64_t last_chunk = 0;
    std::uint64_t chunks = 0;
    Seq last_seq = 0;
    std::size_t group = kNoGroup;
  };
  static constexpr std::size_t kNoGroup = static_cast<std::size_t>(-1);

  // What a batch adds to one table.
  struct Group {
    const TableId* table;
    Head* head;
    Seq first_seq;  // of the first chunk
    Time opened;    // of the first event
    Time last_time;
    bool closed;
    std::vector<ChunkBuilder> chunks;
  };

  explicit JournalWriter(Database database) : database_(std::move(database)) {}

  Result<Head*> FindHead(const TableId& table);
  Result<Seq> Take(const AppendRequest& request);
  Result<void> WriteGroups();
  Result<void> WriteGroup(Group& group);
  // Runs `body` between BEGIN and COMMIT; on any failure nothing of it stays.
  template <typename Body>
  Result<void> Transact(Body body);

  Database database_;
  Statement begin_;
  Statement commit_;
  Statement find_table_;
  Statement insert_table_;
  Statement update_table_;
  Statement insert_chunk_;
  Statement insert_mark_;
  Statement forget_;
  Statement forget_older_;
  Statement find_garbage_;
  Statement find_chunk_;
  Statement delete_chunk_;
  Statement shorten_table_;
  Statement delete_marks_;
  Statement delete_table_;

  std::unordered_map<TableId, Head> heads_;
  std::vector<Group> groups_;
};

}  // namespace openseat::store

// NatsShard: one shard of the journal on NATS: its stream, who writes it, and what is on the way. docs/cluster.md.
// Internal to this module.
//
// Any thread. It has no threads: the journal calls Pump and Heal.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "core/journal.h"
#include "store/fenced_log.h"
#include "store/journal_codec.h"
#include "store/journal_writer.h"
#include "store/nats_format.h"
#include "store/nats_index.h"
#include "store/nats_link.h"
#include "store/nats_room.h"

namespace openseat::store {

// What the shards of a journal share.
struct NatsShardsWorld {
  // How long an answer may take.
  Duration answer_timeout;
  std::string node;
  NatsRoom* room = nullptr;
  std::size_t closed_tables = 0;                   // that each shard's index has
  std::mutex reading_apart;                        // one table at a time, of all shards: consumers cost NATS much
  std::atomic<std::uint64_t> last_table_time = 0;  // the highest number of a table, without the shard's bits
  // Another node's claim to this shard counts. Called by any thread, under the shard's lock.
  std::function<void(std::size_t shard)> lost;
  // Answers were posted that held this many bytes of the backlog, and of appends that were refused before.
  std::function<void(std::size_t bytes, std::size_t refused_bytes)> settled;
  // This shard needs Pump soon, or Heal after a while.
  std::function<void(std::size_t shard)> wants_pump;
  std::function<void(std::size_t shard, Duration after)> wants_heal;
};

class NatsShard {
 public:
  // `link` and `world` outlive it.
  NatsShard(NatsLink& link, NatsShardsWorld& world, const NatsShardNames& names, std::size_t index);

  // Makes the stream and its first message, unless they exist, and reads all headers. Call once, first.
  Result<void> Open();
  // Starts to claim the shard, or to check that it is still ours: AwaitClaim.
  void Claim();
  // Gives it up: everything that is appended from now on is refused with kConflict. kBusy unless everything appended
  // before is settled.
  Result<void> Release();
  bool owns() const;
  // Waits until it is ours; kConflict if another node claimed it since, kTimeout after `most`.
  Result<void> AwaitClaim(Duration most);

  void Append(AppendRequest request);
  // Waits until everything appended before is settled; kTimeout after `most`.
  Result<void> Settle(Duration most);
  // I/O failures of appends since the last call, except expendable ones.
  std::optional<Error> TakeFailure();

  // Sends what can be sent, and notices answers that do not come.
  void Pump(Instant now);
  // Reads on while in doubt, and sends again.
  void Heal();
  // The answer to a message of this claim, as NatsLink::Answered.
  void OnAnswer(std::uint64_t claim, std::uint64_t attempt, std::uint64_t number, std::optional<std::uint64_t> position,
                Instant now);
  // Why nothing is written now, though it is ours.
  Result<void> Writable() const;

  // Reads on, unless the shard is ours.
  Result<void> Refresh();
  // kNotFound. Reads the stream for a table that was closed long ago.
  Result<NatsIndex::Head> Find(const TableId& table);
  // The newest tables before this number, newest first. `wanted`: which; null: all.
  std::vector<std::pair<TableId, NatsIndex::Head>> Tables(
      std::size_t limit, std::uint64_t before, const std::function<bool(const TableId&)>& wanted = nullptr) const;
  // The oldest tables after this number that are not closed, oldest first.
  std::vector<std::pair<TableId, NatsIndex::Head>> OpenTables(std::size_t limit, std::uint64_t after) const;
  Result<std::vector<StoredEvent>> Read(const TableId& table, Seq after, std::size_t limit);
  const NatsShardNames& names() const { return names_; }
  // A majority has taken the stream's messages up to this position, as far as this node knows. Nodes tell each other.
  std::uint64_t end() const;
  void OnTold(std::uint64_t end);

  // Answers everything that waits with kClosed.
  void Abandon();

 private:
  struct Answer {
    AppendRequest request;
    Result<Seq> result;
  };
  // A message on the way. The number of the first one is the writer's confirmed().
  struct Flight {
    TableId table;  // empty: the claim
    std::string subject;
    NatsStamp stamp;
    std::shared_ptr<const std::string> chunk;
    std::size_t begin = 0;  // its part of the chunk
    std::size_t end = 0;
    std::uint64_t room = 0;       // bytes taken for its chunk; 0 unless it is the first part
    std::vector<Answer> answers;  // once it is confirmed
    Instant sent;
  };
  // A table with events on the way.
  struct Predicted {
    std::uint64_t number = 0;
    Seq last_seq = 0;
    std::size_t flights = 0;
  };
  struct Group {
    TableId table;
    std::uint64_t number = 0;
    Seq first_seq = 0;
    std::int64_t last_time = 0;
    bool closed = false;
    ChunkBuilder chunk;
    std::uint64_t room = 0;  // bytes taken for it
  };

  // All guarded by mutex_:
  void SendQueue(Instant now);
  Result<Seq> Take(const AppendRequest& request, std::vector<Group>& groups, Instant now);
  // Of a new table.
  std::uint64_t NewNumber();
  void Send(Group& group, Instant now);
  void SendFlight(const LogWriter::Send& send, Flight& flight, Instant now);
  // Removes the flights that the writer confirmed.
  void Confirm();
  void Recovered();  // it works again
  void Lose();
  // kTimeout: NATS has not confirmed this in time.
  Error Unconfirmed(const std::string& what) const;
  // The more often it failed, the later.
  void HealSoon();
  void Post(std::vector<Answer> answers);
  // Takes over one message of the stream.
  void OnMessage(const NatsMessage& message);

  // Reads the stream from where the reader is up to its last message. REQUIRES that no message is taken over elsewhere:
  // the writer is in doubt, or another node's. A writer does not go on from a stream that lacks messages: kIo.
  Result<void> ReadOn();
  // As Find and NatsIndex::Places. They use `apart`, if there is one; if they have to read the stream, they set it.
  Result<NatsIndex::Head> FindWith(const TableId& table, std::shared_ptr<const NatsIndex>& apart);
  Result<std::vector<std::uint64_t>> PlacesWith(const TableId& table, Seq after, std::size_t most,
                                                std::shared_ptr<const NatsIndex>& apart);
  // The index of this table alone, from its messages. kNotFound.
  Result<std::shared_ptr<const NatsIndex>> ReadApart(const TableId& table);
  // The stream ends at `last`, and a majority has taken more.
  Error Lacks(std::uint64_t last, std::uint64_t end);

  NatsLink& link_;
  NatsShardsWorld& world_;
  const NatsShardNames names_;
  const std::size_t index_;
  const std::size_t part_bytes_;

  std::mutex reading_;                  // held while reading on; before mutex_
  std::optional<Instant> lacks_since_;  // guarded by reading_
  mutable std::mutex mutex_;
  std::condition_variable settled_;
  LogReader reader_;            // without a writer
  std::uint64_t position_ = 0;  // without a writer
  std::uint64_t told_end_ = 0;
  std::optional<LogWriter> writer_;
  NatsIndex tables_;
  std::set<std::uint64_t> void_;  // positions of tables' messages that do not count: few
  std::deque<std::pair<TableId, std::shared_ptr<const NatsIndex>>> apart_;  // read last
  std::optional<Error> damage_;  // a message that this program does not understand
  std::deque<AppendRequest> queue_;
  std::deque<Flight> flights_;
  std::unordered_map<TableId, Predicted> predicted_;
  std::uint64_t appended_ = 0;
  std::uint64_t done_ = 0;
  int heals_ = 0;                   // since something was confirmed
  std::optional<Error> failure_;    // since the last TakeFailure
  std::optional<Error> unhealthy_;  // why healing does not work
};

}  // namespace openseat::store

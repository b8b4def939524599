// NatsJournal: the journal on NATS JetStream, for one or more nodes. docs/cluster.md describes the streams and the
// protocol.
//
// Tables are spread over the shards; a node appends only to shards that it owns, and reads all. One thread sends what
// has gathered, a few threads find out what became of messages whose answers do not come, and the client library's
// thread posts the answers. Every member may be called from any thread, but not from a scheduler that runs tasks
// inside Post.
#pragma once

#include <array>
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/metrics.h"
#include "base/result.h"
#include "base/time.h"
#include "core/journal.h"
#include "store/nats_format.h"
#include "store/nats_link.h"
#include "store/nats_room.h"
#include "store/nats_shard.h"

namespace openseat::store {

struct NatsJournalOptions {
  NatsLinkOptions link;
  std::string cluster = "openseat";  // distinguishes clusters on the same servers
  std::string node = "node";         // for people
  // Never changes in the life of a cluster. Tests have fewer. REQUIRES 1 to kNatsShards.
  std::size_t shards = kNatsShards;
  // After this, a message without an answer is looked for.
  Duration answer_timeout = std::chrono::seconds(2);
  // How long Read, Tables, OpenTables, Find and Flush wait for what was appended before; then they fail with kTimeout.
  Duration settle_timeout = std::chrono::seconds(5);
  // While this much waits to be written, appends are refused with kIo; recordings and strangers' matches already beyond
  // two thirds of it. Refusals that wait for their turn count apart: when all together exceeds four thirds of it,
  // everything is refused. Append never blocks.
  std::size_t backlog_bytes = std::size_t{96} << 20;
  JournalRoom room;  // of all nodes together
  // How many closed tables are listed, and kept in memory, about: those that were closed last. One takes about 400
  // bytes, and 16 for each of its messages if they are at most 64: all of them at most 143 MB. A table that was closed
  // before takes 4 bytes; it can be read, and its name stays taken.
  std::size_t closed_tables = 100'000;
  Metrics* metrics = nullptr;  // updated here; outlives the journal
};

class NatsJournal final : public Journal {
 public:
  // Connects, makes the streams unless they exist, and reads which tables there are. kInvalid for a name that cannot be
  // used; kIo; kUnsupported if a later version wrote there.
  static Result<std::unique_ptr<NatsJournal>> Open(NatsJournalOptions options);
  // Tries for settle_timeout to write what is waiting. REQUIRES that no call is in progress, and that the schedulers of
  // unanswered appends still exist; what could not be confirmed is never answered.
  ~NatsJournal() override;

  // Claims every shard, also those of other nodes. Returns when all are ours; kTimeout after settle_timeout: they may
  // become ours later.
  Result<void> ClaimAll();
  // --- One shard: docs/cluster.md says when ---

  std::size_t shards() const { return shards_.size(); }
  std::size_t ShardNumber(const TableId& table) const { return NatsShardOf(table, options_.shards); }
  // Those that are ours, as bits.
  std::uint64_t owned() const;
  // Claims it, also from another node. Blocks. kConflict if another node claimed it at the same time; kTimeout as
  // ClaimAll.
  Result<void> Claim(std::size_t shard);
  // Gives it up once everything appended before is settled: blocks. kTimeout after settle_timeout; it is still ours
  // then.
  Result<void> Release(std::size_t shard);
  // Waits until everything appended before is settled; kTimeout after settle_timeout.
  Result<void> Settle(std::size_t shard) { return shards_[shard]->Settle(options_.settle_timeout); }
  // From now on, Owns is true only for tables of these shards, given as bits, if they are ours: new tables get no other
  // names.
  void NameOnly(std::uint64_t shards) { named_ = shards; }
  // Finds out whether those that are ours still are: `lost` has told when it returns, after settle_timeout at most.
  void CheckClaims();
  // Its tables that are not closed, oldest first; one whose opening is damaged, or cannot be read now, is without it.
  Result<std::vector<TableRecord>> OpenTablesOf(std::size_t shard);
  // What nodes tell each other (NatsLink::Listen and Tell), and that another node took a shard from us: called by any
  // thread, which it may not block. Call it once, before the first claim.
  Result<void> ListenToNodes(NatsLink::Heard heard, std::function<void(std::size_t shard)> lost);
  Result<void> TellNodes(std::string_view text);
  void StopListening();
  // Where the shard's stream ends, as far as this node knows; nodes that listen tell each other.
  std::uint64_t End(std::size_t shard) const { return shards_[shard]->end(); }

  // An append waits as long as NATS does not confirm it. kConflict also if another node owns the shard. kIo if there is
  // no room for it. Otherwise as for SqliteJournal.
  void Append(const TableId& table, Seq expected, std::vector<Event> events, Scheduler& scheduler, AppendDone done,
              AppendTerms terms = {}) override;
  Result<std::vector<StoredEvent>> Read(const TableId& table, Seq after, std::size_t limit) override;
  Result<std::vector<TableRecord>> Tables(std::size_t limit, std::uint64_t before = kNewest) override {
    return TablesOf(~std::uint64_t{0}, limit, before);
  }
  Result<std::vector<TableRecord>> OpenTables(std::size_t limit, std::uint64_t after) override;
  // As Tables, but only those of these shards, given as bits, that are wanted (null: all of them): nothing is read of
  // others. `wanted` may not call the journal.
  Result<std::vector<TableRecord>> TablesOf(std::uint64_t shards, std::size_t limit, std::uint64_t before,
                                            const std::function<bool(const TableId&)>& wanted = nullptr);
  Result<TableRecord> Find(const TableId& table) override;
  Result<void> Flush() override;
  bool Owns(const TableId& table) const override {
    return ((named_ >> ShardNumber(table)) & 1) != 0 && ShardOf(table).owns();
  }

  // Whether the shards that are ours can be written, or why not. Notices within seconds also while nothing is written.
  Result<void> Writable() const;

 private:
  static constexpr std::size_t kHealers = 4;

  // Null if nobody counts.
  struct Counts {
    explicit Counts(Metrics* metrics);
    Counter* over_max = nullptr;
    Counter* over_backlog = nullptr;
    Gauge* bytes = nullptr;
  };

  explicit NatsJournal(NatsJournalOptions options);
  Result<void> Start();
  void SenderMain();
  void HealerMain();
  void OnAnswer(std::string_view token, const NatsLink::Answer& answer);
  void OnProbe(std::string_view shard, const NatsLink::Answer& answer);
  // Asks about the next stream.
  void Probe();
  void ProbeWhenDue(Instant now);
  // Says what there is, and asks what the account has left.
  void LookForRoom(Instant now);
  // Warns once whenever nothing bounds the journal.
  void WarnWithoutLimit();
  void TellEnds(Instant now);
  void OnShardNumbers(std::string_view subject, std::string_view text);
  NatsShard& ShardOf(const TableId& table) const { return *shards_[NatsShardOf(table, options_.shards)]; }
  // What its first message, as NatsLink::Get has it, says of a table. kIo if that, or a part of it, cannot be read now.
  Result<TableRecord> RecordOf(const TableId& id, const NatsIndex::Head& head, const NatsMessage& first);
  // Those of which the opening cannot be read now are without it.
  Result<std::vector<TableRecord>> Records(const std::vector<std::pair<TableId, NatsIndex::Head>>& tables);

  const NatsJournalOptions options_;
  const Counts counts_;
  NatsRoom room_;
  NatsShardsWorld world_;
  std::atomic<std::uint64_t> named_ = ~std::uint64_t{0};  // NameOnly
  std::function<void(std::size_t shard)> lost_;
  std::vector<std::unique_ptr<NatsShard>> shards_;
  std::unique_ptr<NatsLink> link_;  // first to go: its thread uses the shards

  mutable std::mutex mutex_;
  std::condition_variable work_;  // for the sender
  std::condition_variable sick_;  // for the healers
  std::set<std::size_t> ready_;
  std::map<std::size_t, Instant> ill_;  // shards to heal, and when
  std::set<std::size_t> healing_;
  std::size_t backlog_ = 0;            // bytes of appends that wait to be written
  std::size_t refusals_ = 0;           // bytes of those that wait to be refused
  std::optional<Instant> unanswered_;  // the first probe since the last answer
  bool stopping_ = false;
  // The sender's:
  Instant probe_at_;          // when the next one is due
  Instant tell_at_;           // when TellEnds is due
  Instant look_for_room_at_;  // when LookForRoom is due
  std::size_t probed_ = 0;    // the next one's shard
  bool full_ = false;         // the log says so
  int looks_ = 0;             // calls of LookForRoom, up to kLooks
  bool bounded_ = true;       // or the log has said that it is not
  std::uint64_t refused_counted_ = 0;

  std::thread sender_;
  std::array<std::thread, kHealers> healers_;
};

}  // namespace openseat::store

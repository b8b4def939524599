#include "net/memory_guard.h"

#include <mutex>
#include <string>
#include <utility>

#include "base/log.h"

namespace openseat::net {
namespace {

constexpr Duration kLookEvery = std::chrono::milliseconds(250);
// How many connections a shard cuts before it lets others have their turns: closing one takes up to 90 µs.
constexpr std::size_t kCutAtOnce = 200;
constexpr Duration kCutRest = std::chrono::milliseconds(10);

}  // namespace

// The shards' answers, and what they cut then.
struct MemoryGuard::Round {
  std::mutex mutex;
  std::vector<HeldMemory> held;  // guarded by mutex
  std::size_t shards_left = 0;   // guarded by mutex
  MemoryCuts cuts;               // not changed while the shards cut
};

MemoryGuard::MemoryGuard(Shards& shards, Budget& budget, Metrics& metrics, std::function<std::uint64_t()> resident,
                         std::function<void()> release)
    : shards_(shards),
      budget_(budget),
      release_(std::move(release)),
      resident_bytes_(metrics.AddGauge("openseat_memory_resident_bytes", "Resident memory of the process.")),
      unfinished_bytes_(
          metrics.AddGauge("openseat_memory_unfinished_bytes",
                           "Bytes of requests, messages and TLS handshakes that have begun and not ended.")),
      unread_bytes_(metrics.AddGauge("openseat_memory_unread_bytes", "Bytes sent that wait for a peer to read them.")),
      cut_(metrics.AddCounter("openseat_memory_cut_total",
                              "Connections cut for their memory, first of the address that holds most.")) {
  metrics.AddGauge("openseat_memory_max_bytes", "The memory (max_memory) beyond which the server refuses and cuts.")
      .Set(static_cast<std::int64_t>(budget.limits().max_memory));
  budget_.MeasureWith(std::move(resident));
  Look();
}

MemoryGuard::~MemoryGuard() {
  budget_.MeasureWith(nullptr);
}

void MemoryGuard::Look() {
  Shard& home = shards_.at(0);
  budget_.Measure();
  if (budget_.MemoryBeyond() > 0) {
    // What was cut before is free, and may still be resident.
    release_();
    budget_.Measure();
  }
  resident_bytes_.Set(static_cast<std::int64_t>(budget_.resident()));
  unfinished_bytes_.Set(
      static_cast<std::int64_t>(budget_.held(Holding::kUnfinishedBytes) + budget_.held(Holding::kHandshakeBytes)));
  unread_bytes_.Set(static_cast<std::int64_t>(budget_.unread()));
  if (budget_.MemoryBeyond() == 0) {
    warned_ = false;
  } else if (!asking_) {
    if (!std::exchange(warned_, true)) {
      log::Warn(
          "memory is beyond 15/16 of max_memory ({} bytes): strangers' connections, tables and bodies are refused",
          budget_.limits().max_memory);
    }
    AskShards();
  }
  timer_.Set(home, kLookEvery, [this] { Look(); });
}

void MemoryGuard::AskShards() {
  asking_ = true;
  const auto round = std::make_shared<Round>();
  round->shards_left = shards_.size();
  for (std::size_t i = 0; i < shards_.size(); ++i) {
    shards_.at(i).Post([this, round, i] {
      const std::lock_guard lock(round->mutex);
      for (const Server* server : servers_) server->AddHeld(i, round->held);
      if (--round->shards_left > 0) return;
      shards_.at(0).Post([this, round] { CutLargest(round); });
    });
  }
}

void MemoryGuard::CutLargest(const std::shared_ptr<Round>& round) {
  const std::lock_guard lock(round->mutex);
  round->cuts = ChooseCuts(round->held, budget_.MemoryBeyond(), budget_.MemoryBeyondAll());
  asking_ = !round->cuts.empty();  // if it is, no connection holds anything: the memory is elsewhere
  if (!asking_) return;
  round->shards_left = shards_.size();
  for (std::size_t i = 0; i < shards_.size(); ++i) {
    shards_.at(i).Post([this, round, i] { CutSome(round, i); });
  }
}

void MemoryGuard::CutSome(const std::shared_ptr<Round>& round, std::size_t shard) {
  const std::string reason = "the limit max_memory is reached, and this connection's address held among the most";
  std::size_t cut = 0;
  for (Server* server : servers_) cut += server->CutHolders(shard, round->cuts, kCutAtOnce - cut, reason);
  cut_.Add(cut);
  if (cut == kCutAtOnce && budget_.MemoryBeyond() > 0) {
    shards_.at(shard).After(kCutRest, [this, round, shard] { CutSome(round, shard); });
    return;
  }
  const std::lock_guard lock(round->mutex);
  if (--round->shards_left == 0) shards_.at(0).Post([this] { asking_ = false; });
}

}  // namespace openseat::net

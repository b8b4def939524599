#include "net/memory_guard.h"

#include <algorithm>
#include <functional>
#include <mutex>
#include <string>
#include <utility>

#include "base/log.h"

namespace openseat::net {
namespace {

constexpr Duration kLookEvery = std::chrono::milliseconds(250);

}  // namespace

// The shards' answers.
struct MemoryGuard::Round {
  std::mutex mutex;
  std::vector<std::size_t> held;  // guarded by mutex
  std::size_t shards_left = 0;    // guarded by mutex
};

MemoryGuard::MemoryGuard(Shards& shards, Budget& budget, Metrics& metrics, std::function<std::uint64_t()> resident,
                         std::function<void()> release)
    : shards_(shards),
      budget_(budget),
      release_(std::move(release)),
      resident_bytes_(metrics.AddGauge("openseat_memory_resident_bytes", "Resident memory of the process.")),
      unfinished_bytes_(metrics.AddGauge("openseat_memory_unfinished_bytes",
                                         "Bytes of requests and messages that have begun and not ended.")),
      unread_bytes_(metrics.AddGauge("openseat_memory_unread_bytes", "Bytes sent that wait for a peer to read them.")),
      cut_(metrics.AddCounter("openseat_memory_cut_total",
                              "Connections cut for their memory, the largest holders first.")) {
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
  unfinished_bytes_.Set(static_cast<std::int64_t>(budget_.held(Holding::kUnfinishedBytes)));
  unread_bytes_.Set(static_cast<std::int64_t>(budget_.unread()));
  if (budget_.MemoryBeyond() == 0) {
    warned_ = false;
  } else if (!asking_) {
    if (!std::exchange(warned_, true)) {
      log::Warn("memory is beyond max_memory ({} bytes): new connections, tables and bodies are refused",
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
      shards_.at(0).Post([this, round] {
        asking_ = false;
        CutLargest(round->held);
      });
    });
  }
}

// Those that hold the most, until the excess is covered.
void MemoryGuard::CutLargest(const std::vector<std::size_t>& held) {
  std::vector<std::size_t> sorted = held;
  std::ranges::sort(sorted, std::greater<>());
  const std::uint64_t wanted = budget_.MemoryBeyond();
  if (wanted == 0) return;
  std::uint64_t covered = 0;
  std::size_t least = 0;
  for (const std::size_t each : sorted) {
    least = each;
    covered += each;
    if (covered >= wanted) break;
  }
  if (least == 0) return;  // no connection holds anything: the memory is elsewhere
  const std::string reason = "the limit max_memory is reached, and this connection held among the most";
  for (std::size_t i = 0; i < shards_.size(); ++i) {
    shards_.at(i).Post([this, i, least, reason] {
      for (Server* server : servers_) cut_.Add(server->CutHolders(i, least, reason));
    });
  }
}

}  // namespace openseat::net

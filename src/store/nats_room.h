// NatsRoom: how much room the streams of a journal have at NATS: from their sizes, as NATS tells them now and then, and
// from what this node has written since. docs/cluster.md. Internal to this module.
//
// Any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "core/journal.h"
#include "store/journal_room.h"
#include "store/nats_link.h"

namespace openseat::store {

class NatsRoom {
 public:
  static constexpr std::uint64_t kNoLimit = NatsLink::kNoLimit;

  NatsRoom(const JournalRoom& room, std::size_t streams) : room_(room), streams_(streams) {}

  // Counts these bytes, which are about to be sent, or says why there is no room for them: kIo.
  Result<void> Take(std::uint64_t bytes, const AppendTerms& terms, Instant now);
  // Of bytes taken: the stream has them.
  void Stored(std::size_t stream, std::uint64_t bytes);
  // Of bytes taken: the stream will not get them from this node.
  void Drop(std::uint64_t bytes);
  // Why not even an append without terms has room.
  Result<void> Check(Instant now) const;

  // NATS is asked for the size of the stream, or for what the account has left; the answers.
  void AskedForStream(std::size_t stream);
  void OnStream(std::size_t stream, std::uint64_t bytes);
  // Another node knows that the stream has at least this many bytes. SizeOf is what this node knows.
  void OnTold(std::size_t stream, std::uint64_t bytes);
  std::uint64_t SizeOf(std::size_t stream) const;
  void AskedForAccount();
  // kNoLimit: the account has none.
  void OnAccount(std::uint64_t left);
  // Whether max_bytes or a limit of the account, as far as this node knows, bounds the journal.
  bool bounded() const;
  // It refused a message because it has no room.
  void OnFull(Instant now);
  // Whether it does so now.
  bool IsFull(Instant now) const;

  // Of all streams, with what is on the way.
  std::uint64_t used() const;
  // How many appends of recordings and of strangers' matches had no room.
  std::uint64_t refused() const;

 private:
  // A measured size, and what was stored since.
  struct Measured {
    void Add(std::uint64_t bytes) {
      since += bytes;
      since_asked += bytes;
    }
    void Set(std::uint64_t bytes) {
      size = bytes;
      since = since_asked;
    }

    std::uint64_t now() const { return size + since; }

    std::uint64_t size = 0;
    std::uint64_t since = 0;        // the request whose answer `size` is
    std::uint64_t since_asked = 0;  // the last request
  };

  // Guarded by mutex_:
  JournalUse Use() const;
  // Whether NATS had no room at some time in this period before `now`.
  bool WasFull(Instant now, Duration within) const;

  const JournalRoom room_;
  mutable std::mutex mutex_;
  std::vector<Measured> streams_;
  Measured left_{.size = kNoLimit};  // of the account
  std::size_t unanswered_ = 0;       // requests for that since the last answer, while NATS answered others
  bool heard_ = false;               // it told the size of a stream since the last of them
  std::uint64_t taken_ = 0;          // and neither stored nor dropped
  std::uint64_t refused_ = 0;
  std::optional<Instant> full_;  // when NATS last had no room
};

}  // namespace openseat::store

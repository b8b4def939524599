// Handshakes: what strangers' TLS handshakes may cost the other connections of one shard. Signing one takes about a
// millisecond and keeps the loop from everything else, so together they have a share of its time; those that wait for
// it take turns by address. If too many have begun and not ended, the oldest of the address that has most is cut, so
// nobody is kept out by those who only begin. Handshakes of this machine's programs are not entered: they never wait.
// Internal; one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <string>
#include <utility>

#include "base/rate_limit.h"
#include "base/scheduler.h"
#include "base/task.h"
#include "base/time.h"

namespace openseat::net {

class Handshakes {
  struct Entry;

 public:
  // More could not be served before most clients give up: at a millisecond each, it is seven seconds' share.
  static constexpr std::size_t kMost = 2'048;
  // Milliseconds of the loop's time: 30 % of it.
  static constexpr RateLimit kTime{.per_second = 300, .burst = 20};

  // `scheduler` outlives it. At most `most` are in progress.
  Handshakes(Scheduler& scheduler, std::size_t most) : scheduler_(scheduler), most_(most) {}
  Handshakes(const Handshakes&) = delete;
  Handshakes& operator=(const Handshakes&) = delete;

  // A handshake in progress; empty: none. It ends with this, which must not outlive the Handshakes.
  class Place {
   public:
    Place() = default;
    Place(Place&& other) noexcept : of_(std::exchange(other.of_, nullptr)), entry_(other.entry_) {}
    Place& operator=(Place&& other) noexcept {
      if (this != &other) {
        End();
        of_ = std::exchange(other.of_, nullptr);
        entry_ = other.entry_;
      }
      return *this;
    }
    ~Place() { End(); }

    // Whether it has to wait for its turn; then `turn` runs later, unless the handshake ends before. While it waits,
    // another call changes nothing.
    bool Waits(Task turn);
    // It has used so much of the loop's time.
    void Spend(Duration time);
    void End();
    explicit operator bool() const { return of_ != nullptr; }

   private:
    friend class Handshakes;
    Handshakes* of_ = nullptr;
    std::list<Entry>::iterator entry_;
  };

  // One more, of this address. `cut` has to end it; it is called at most once, within a later call of Begin.
  Place Begin(const std::string& address, Task cut);

  std::size_t size() const { return size_; }
  std::size_t waiting() const { return waiting_; }

 private:
  struct OfAddress {
    std::list<Entry> entries;  // the oldest first
    std::size_t waiting = 0;
  };
  using Addresses = std::map<std::string, OfAddress>;
  struct Entry {
    Addresses::iterator of;
    std::uint64_t number = 0;  // in the order of Begin
    Task cut;
    Task turn;  // if it waits
  };

  void CutOne();
  void NextTurns();
  // The next address in turn. REQUIRES that one waits.
  Addresses::iterator NextAddress();

  Scheduler& scheduler_;
  const std::size_t most_;
  Addresses addresses_;  // that have handshakes in progress
  std::string last_;     // address that had its turn
  std::size_t size_ = 0;
  std::size_t waiting_ = 0;
  std::uint64_t begun_ = 0;
  TokenBucket time_;
  ScopedTimer timer_;
};

}  // namespace openseat::net

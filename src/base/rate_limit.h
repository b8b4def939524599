// Rates: so many at once, and so many a second in the long run. TokenBucket counts one thing, RateLimiter one for each
// of many names (API keys, addresses). The time is passed in.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/time.h"

namespace openseat {

struct RateLimit {
  double per_second = 20;  // what flows back; 0: there is no limit. REQUIRES >= 0
  double burst = 40;       // what a rested bucket holds; REQUIRES >= 1

  bool operator==(const RateLimit&) const = default;
};

// One bucket, full at first. Any thread: one atomic, no lock. The limit is passed in, the same for each call.
class TokenBucket {
 public:
  TokenBucket() = default;
  TokenBucket(TokenBucket&& other) noexcept : empty_until_(other.empty_until_.load(std::memory_order_relaxed)) {}

  // Takes `tokens` (at most a whole burst is asked of it): zero, or how long to wait until that many are there. A
  // refused call takes nothing. `now` is never before that of an earlier call; where it is, nothing has flowed back.
  Duration Take(const RateLimit& limit, double tokens, Instant now);
  // The same without taking any.
  Duration Wait(const RateLimit& limit, double tokens, Instant now) const;
  // Whether it is full: as good as a new one.
  bool rested(Instant now) const;

 private:
  friend class RateLimiter;
  // Nanoseconds of the clock: when all that was taken has flowed back.
  std::atomic<std::int64_t> empty_until_{INT64_MIN / 2};
};

// Any thread. Memory is bounded: a bucket that is full again is forgotten when room is needed, since it is as good as a
// new one; where none is, the one that is nearest to full goes.
class RateLimiter {
 public:
  explicit RateLimiter(RateLimit limit, std::size_t max_names = 65536);

  // Takes one of `name`'s tokens: zero, or how long to wait until there is one. A refused call takes nothing. `now` is
  // never before that of an earlier call; where it is, it counts as that.
  Duration Take(std::string_view name, Instant now);
  // The same without taking one.
  Duration Wait(std::string_view name, Instant now) const;
  std::size_t names() const;
  const RateLimit& limit() const { return limit_; }

 private:
  struct Hash : std::hash<std::string_view> {
    using is_transparent = void;
  };

  void MakeRoom(Instant now);

  const RateLimit limit_;
  const std::size_t max_names_;
  mutable std::mutex mutex_;
  std::unordered_map<std::string, TokenBucket, Hash, std::equal_to<>> buckets_;
};

// What the header Retry-After says: whole seconds, at least 1.
std::string RetryAfterSeconds(Duration wait);

}  // namespace openseat

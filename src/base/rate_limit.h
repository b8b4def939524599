// Rate limits: a burst, and an average per second. TokenBucket counts one thing, RateLimiter one for each of many names
// (API keys, addresses). The time is passed in.
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
  double per_second = 20;  // refill per second; 0: there is no limit. REQUIRES >= 0
  double burst = 40;       // the capacity of a full bucket; REQUIRES >= 1

  bool operator==(const RateLimit&) const = default;
};

// One bucket, initially full. Any thread: one atomic, no lock. The limit is passed in, the same for each call.
class TokenBucket {
 public:
  TokenBucket() = default;
  TokenBucket(TokenBucket&& other) noexcept : empty_until_(other.empty_until_.load(std::memory_order_relaxed)) {}

  // Takes `tokens` (at most a whole burst): returns zero, or how long to wait until that many are available. A refused
  // call takes nothing. `now` should not be before that of an earlier call; if it is, nothing is refilled.
  Duration Take(const RateLimit& limit, double tokens, Instant now);
  // Takes them even if they are not there: the bucket then owes them, and at most what comes in a day.
  void Spend(const RateLimit& limit, double tokens, Instant now);
  // How long until `tokens` are available, without taking any.
  Duration Wait(const RateLimit& limit, double tokens, Instant now) const;
  // Whether it is full, and so equal to a new one.
  bool rested(Instant now) const;

 private:
  friend class RateLimiter;
  // Nanoseconds of the clock: when the bucket is full again.
  std::atomic<std::int64_t> empty_until_{INT64_MIN / 2};
};

// Any thread. Memory is bounded: when room is needed, a full bucket is forgotten, since it equals a new one; if no
// bucket is full, the one that is nearest to full goes.
class RateLimiter {
 public:
  explicit RateLimiter(RateLimit limit, std::size_t max_names = 65536);

  // Takes one of `name`'s tokens: returns zero, or how long to wait until there is one. A refused call takes nothing.
  // `now` should not be before that of an earlier call; if it is, the earlier time counts.
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

// The value of the Retry-After header: whole seconds, at least 1.
std::string RetryAfterSeconds(Duration wait);

}  // namespace openseat

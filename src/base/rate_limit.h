// RateLimiter: a token bucket for each of many names (API keys, addresses): so many calls at once, and so many a second
// in the long run. The time is passed in.
#pragma once

#include <cstddef>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/time.h"

namespace openseat {

struct RateLimit {
  double per_second = 20;  // what flows back; 0: there is no limit. REQUIRES >= 0
  double burst = 40;       // what a rested bucket holds; REQUIRES >= 1
};

// Any thread. Memory is bounded: a bucket that is full again is forgotten when room is needed, since it is as good as a
// new one; where none is, the one that is nearest to full goes.
class RateLimiter {
 public:
  explicit RateLimiter(RateLimit limit, std::size_t max_names = 65536);

  // Takes one of `name`'s tokens: zero, or how long to wait until there is one. A refused call takes nothing. `now` is
  // never before that of an earlier call; where it is, it counts as that.
  Duration Take(std::string_view name, Instant now);
  std::size_t names() const;

 private:
  struct Bucket {
    double tokens;
    Instant at;
  };
  struct Hash : std::hash<std::string_view> {
    using is_transparent = void;
  };

  double Filled(const Bucket& bucket, Instant now) const;
  void MakeRoom(Instant now);

  const RateLimit limit_;
  const std::size_t max_names_;
  mutable std::mutex mutex_;
  std::unordered_map<std::string, Bucket, Hash, std::equal_to<>> buckets_;
};

// What the header Retry-After says: whole seconds, at least 1.
std::string RetryAfterSeconds(Duration wait);

}  // namespace openseat

#include "base/rate_limit.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"

namespace openseat {

RateLimiter::RateLimiter(RateLimit limit, std::size_t max_names) : limit_(limit), max_names_(max_names) {
  OPENSEAT_CHECK(limit.per_second >= 0 && limit.burst >= 1 && max_names > 0, "a limit lets something through");
}

double RateLimiter::Filled(const Bucket& bucket, Instant now) const {
  const double seconds = std::chrono::duration<double>(std::max(now, bucket.at) - bucket.at).count();
  return std::min(limit_.burst, bucket.tokens + seconds * limit_.per_second);
}

Duration RateLimiter::Take(std::string_view name, Instant now) {
  if (limit_.per_second == 0) return Duration(0);
  const std::lock_guard lock(mutex_);
  auto found = buckets_.find(name);
  if (found == buckets_.end()) {
    if (buckets_.size() >= max_names_) MakeRoom(now);
    found = buckets_.emplace(std::string(name), Bucket{limit_.burst, now}).first;
  }
  Bucket& bucket = found->second;
  bucket.tokens = Filled(bucket, now);
  bucket.at = std::max(now, bucket.at);
  if (bucket.tokens >= 1) {
    bucket.tokens -= 1;
    return Duration(0);
  }
  const double micros = std::ceil((1 - bucket.tokens) / limit_.per_second * 1e6);
  // A microsecond more, so that rounding never refuses who waited as told.
  return Duration(static_cast<Duration::rep>(micros) + 1);
}

void RateLimiter::MakeRoom(Instant now) {
  std::erase_if(buckets_, [&](const auto& entry) { return Filled(entry.second, now) >= limit_.burst; });
  if (buckets_.size() < max_names_) return;
  buckets_.erase(std::ranges::max_element(buckets_, {}, [&](const auto& entry) { return Filled(entry.second, now); }));
}

std::size_t RateLimiter::names() const {
  const std::lock_guard lock(mutex_);
  return buckets_.size();
}

std::string RetryAfterSeconds(Duration wait) {
  const auto seconds = std::chrono::ceil<std::chrono::seconds>(wait).count();
  return std::to_string(std::max<std::chrono::seconds::rep>(seconds, 1));
}

}  // namespace openseat

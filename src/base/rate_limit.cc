#include "base/rate_limit.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"

namespace openseat {
namespace {

std::int64_t NanosOf(Instant instant) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(instant.time_since_epoch()).count();
}

constexpr std::int64_t kDay = 86'400'000'000'000;
// More than anything takes; two of them fit into an int64_t.
constexpr double kMostNanos = 4e18;

std::int64_t NanosFor(const RateLimit& limit, double tokens) {
  return static_cast<std::int64_t>(std::min(std::ceil(tokens / limit.per_second * 1e9), kMostNanos));
}

}  // namespace

Duration TokenBucket::Take(const RateLimit& limit, double tokens, Instant now) {
  if (limit.per_second == 0) return Duration(0);
  const std::int64_t at = NanosOf(now);
  const std::int64_t cost = NanosFor(limit, std::min(tokens, limit.burst));
  const std::int64_t full = NanosFor(limit, limit.burst);
  std::int64_t until = empty_until_.load(std::memory_order_relaxed);
  for (;;) {
    const std::int64_t next = std::max(until, at) + cost;
    if (next - at > full) {
      // Adds a microsecond, so that rounding never refuses a caller that waited as told.
      return Duration((next - at - full) / 1000 + 1);
    }
    if (empty_until_.compare_exchange_weak(until, next, std::memory_order_relaxed)) return Duration(0);
  }
}

void TokenBucket::Spend(const RateLimit& limit, double tokens, Instant now) {
  if (limit.per_second == 0) return;
  const std::int64_t at = NanosOf(now);
  const std::int64_t full = NanosFor(limit, limit.burst);
  const std::int64_t cost = std::min(NanosFor(limit, tokens), full + kDay);
  std::int64_t until = empty_until_.load(std::memory_order_relaxed);
  std::int64_t next = 0;
  do {
    next = std::min(std::max(until, at) + cost, at + full + kDay);
  } while (!empty_until_.compare_exchange_weak(until, next, std::memory_order_relaxed));
}

Duration TokenBucket::Wait(const RateLimit& limit, double tokens, Instant now) const {
  TokenBucket copy;
  copy.empty_until_.store(empty_until_.load(std::memory_order_relaxed), std::memory_order_relaxed);
  return copy.Take(limit, tokens, now);
}

bool TokenBucket::rested(Instant now) const {
  return empty_until_.load(std::memory_order_relaxed) <= NanosOf(now);
}

RateLimiter::RateLimiter(RateLimit limit, std::size_t max_names) : limit_(limit), max_names_(max_names) {
  OPENSEAT_CHECK(limit.per_second >= 0 && limit.burst >= 1 && max_names > 0, "a limit allows something");
}

Duration RateLimiter::Take(std::string_view name, Instant now) {
  if (limit_.per_second == 0) return Duration(0);
  const std::lock_guard lock(mutex_);
  auto found = buckets_.find(name);
  if (found == buckets_.end()) {
    if (buckets_.size() >= max_names_) MakeRoom(now);
    found = buckets_.emplace(std::string(name), TokenBucket()).first;
  }
  return found->second.Take(limit_, 1, now);
}

Duration RateLimiter::Wait(std::string_view name, Instant now) const {
  if (limit_.per_second == 0) return Duration(0);
  const std::lock_guard lock(mutex_);
  const auto found = buckets_.find(name);
  return found == buckets_.end() ? Duration(0) : found->second.Wait(limit_, 1, now);
}

void RateLimiter::MakeRoom(Instant now) {
  std::erase_if(buckets_, [&](const auto& entry) { return entry.second.rested(now); });
  if (buckets_.size() < max_names_) return;
  buckets_.erase(std::ranges::min_element(
      buckets_, {}, [](const auto& entry) { return entry.second.empty_until_.load(std::memory_order_relaxed); }));
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

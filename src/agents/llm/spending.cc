#include "agents/llm/spending.h"

#include <algorithm>
#include <cmath>

#include "base/json.h"

namespace openseat::llm {
namespace {

// An answer shorter than this is useless.
constexpr std::uint64_t kLeastAnswer = 16;

}  // namespace

Result<std::uint64_t> Spending::Allow(const Model& model, const Cap& cap, std::uint64_t input_tokens,
                                      std::uint64_t wanted) const {
  std::uint64_t allowed = wanted;
  if (cap.tokens > 0) {
    const std::uint64_t spent = tokens_ + input_tokens;
    if (spent + kLeastAnswer > cap.tokens) {
      return Fail(ErrorCode::kDenied,
                  "the cap of " + std::to_string(cap.tokens) + " tokens for " + std::string(cap.what) + " is reached");
    }
    allowed = std::min(allowed, cap.tokens - spent);
  }
  if (cap.cost > 0) {
    const double left = cap.cost - cost_ - model.Cost({.input = input_tokens});
    std::string named = "the cap of $";
    json::WriteNumber(cap.cost, named);
    if (left <= model.Cost({.output = kLeastAnswer})) {
      return Fail(ErrorCode::kDenied, named + " for " + std::string(cap.what) + " is reached");
    }
    if (model.output_price > 0) {
      allowed = std::min(allowed, static_cast<std::uint64_t>(std::min(1e15, left / model.output_price * 1e6)));
    }
  }
  return allowed;
}

void Spending::Add(const Model& model, const Usage& usage) {
  tokens_ += usage.tokens();
  cost_ += model.Cost(usage);
}

Result<std::uint64_t> DailySpending::Allow(const Model& model, std::uint64_t input_tokens, std::uint64_t wanted,
                                           Instant now) {
  const std::lock_guard lock(mutex_);
  BeginDay(now);
  return spending_.Allow(model, {model.daily_tokens, model.daily_cost, "a day"}, input_tokens, wanted);
}

void DailySpending::Add(const Model& model, const Usage& usage, Instant now) {
  const std::lock_guard lock(mutex_);
  BeginDay(now);
  spending_.Add(model, usage);
}

void DailySpending::BeginDay(Instant now) {
  if (began_ && now - *began_ < std::chrono::hours(24)) return;
  began_ = now;
  spending_ = Spending();
}

float ModelStats::Latency(double quantile) const {
  if (latencies.empty()) return 0;
  std::vector<float> sorted = latencies;
  const auto at = static_cast<std::size_t>(std::lround(quantile * static_cast<double>(sorted.size() - 1)));
  std::nth_element(sorted.begin(), sorted.begin() + static_cast<std::ptrdiff_t>(at), sorted.end());
  return sorted[at];
}

}  // namespace openseat::llm

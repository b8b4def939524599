#include "agents/llm/spending.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/json.h"

namespace openseat::llm {
namespace {

// An answer shorter than this is useless.
constexpr std::uint64_t kLeastAnswer = 16;
// No model that has a price writes faster.
constexpr double kMostPerSecond = 200;  // tokens

}  // namespace

Result<std::uint64_t> Spending::Allow(const Model& model, const Cap& cap, std::uint64_t input_tokens,
                                      std::uint64_t wanted) const {
  std::uint64_t allowed = wanted;
  const std::string reached =
      std::string(cap.what) + " is reached" + (aside_.tokens > 0 ? ", with the calls in progress" : "");
  if (cap.tokens > 0) {
    const std::uint64_t spent = spent_.tokens + aside_.tokens + input_tokens;
    if (spent + kLeastAnswer > cap.tokens) {
      return Fail(ErrorCode::kDenied, "the cap of " + std::to_string(cap.tokens) + " tokens for " + reached);
    }
    allowed = std::min(allowed, cap.tokens - spent);
  }
  if (cap.cost > 0) {
    const double left = cap.cost - spent_.cost - aside_.cost - model.Cost({.input = input_tokens});
    std::string named = "the cap of $";
    json::WriteNumber(cap.cost, named);
    if (left <= model.Cost({.output = kLeastAnswer})) {
      return Fail(ErrorCode::kDenied, named + " for " + reached);
    }
    if (model.output_price > 0) {
      allowed = std::min(allowed, static_cast<std::uint64_t>(std::min(1e15, left / model.output_price * 1e6)));
    }
  }
  return allowed;
}

void Spending::SetAside(const Model& model, const Usage& most) {
  aside_.tokens += most.tokens();
  aside_.cost += model.Cost(most);
}

void Spending::Settle(const Model& model, const Usage& most, const Usage& spent) {
  aside_.tokens -= most.tokens();
  aside_.cost -= model.Cost(most);
  spent_.tokens += spent.tokens();
  spent_.cost += model.Cost(spent);
}

Result<std::uint64_t> DailySpending::SetAside(const Model& model, std::uint64_t input_tokens, std::uint64_t wanted,
                                              Instant now) {
  const std::lock_guard lock(mutex_);
  BeginDay(now);
  const Result<std::uint64_t> allowed =
      spending_.Allow(model, {model.daily_tokens, model.daily_cost, "a day"}, input_tokens, wanted);
  if (allowed) spending_.SetAside(model, {.input = input_tokens, .output = *allowed});
  return allowed;
}

void DailySpending::Settle(const Model& model, const Usage& most, const Usage& spent, Instant now) {
  const std::lock_guard lock(mutex_);
  BeginDay(now);
  spending_.Settle(model, most, spent);
}

void DailySpending::BeginDay(Instant now) {
  if (began_ && now - *began_ < std::chrono::hours(24)) return;
  began_ = now;
  spending_.StartOver();
}

Result<std::uint64_t> Purse::SetAside(std::uint64_t input_tokens, std::uint64_t wanted) {
  Result<std::uint64_t> allowed =
      table_->Allow(model_, {model_.table_tokens, model_.table_cost, "this table"}, input_tokens, wanted);
  if (allowed) allowed = day_.SetAside(model_, input_tokens, *allowed, clock_.Monotonic());
  if (!allowed) return allowed;
  most_ = {.input = input_tokens, .output = *allowed};
  table_->SetAside(model_, most_);
  aside_ = true;
  return allowed;
}

bool Purse::SetAsideAgain() {
  const std::uint64_t wanted = most_.output;
  const Result<std::uint64_t> allowed = SetAside(most_.input, wanted);
  if (allowed && *allowed < wanted) Settle({});  // the request that is sent again asks for all of it
  return allowed && *allowed == wanted;
}

void Purse::Settle(const Usage& spent) {
  if (!std::exchange(aside_, false)) return;
  table_->Settle(model_, most_, spent);
  day_.Settle(model_, most_, spent, clock_.Monotonic());
}

void Purse::SettleUnanswered(Duration ago) {
  Usage spent = most_;
  // A provider notices that a stream is closed, and not that nobody waits for a whole answer.
  if (model_.stream) {
    const double written = std::chrono::duration<double>(ago).count() * kMostPerSecond;
    spent.output = std::min(spent.output, static_cast<std::uint64_t>(written));
  }
  stats_.Update([&](ModelStats& stats) { stats.unanswered += spent.tokens(); });
  Settle(spent);
}

float ModelStats::Latency(double quantile) const {
  if (latencies.empty()) return 0;
  std::vector<float> sorted = latencies;
  const auto at = static_cast<std::size_t>(std::lround(quantile * static_cast<double>(sorted.size() - 1)));
  std::nth_element(sorted.begin(), sorted.begin() + static_cast<std::ptrdiff_t>(at), sorted.end());
  return sorted[at];
}

}  // namespace openseat::llm

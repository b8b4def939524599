#include "agents/llm/spending.h"

#include <algorithm>
#include <cmath>

#include "base/json.h"

namespace openseat::llm {
namespace {

// An answer shorter than this is useless.
constexpr std::uint64_t kLeastAnswer = 16;

}  // namespace

Result<std::uint64_t> Spending::Allow(const Model& model, std::uint64_t input_tokens, std::uint64_t wanted) const {
  std::uint64_t allowed = wanted;
  if (model.table_tokens > 0) {
    const std::uint64_t spent = tokens_ + input_tokens;
    if (spent + kLeastAnswer > model.table_tokens) {
      return Fail(ErrorCode::kDenied,
                  "the cap of " + std::to_string(model.table_tokens) + " tokens for this table is reached");
    }
    allowed = std::min(allowed, model.table_tokens - spent);
  }
  if (model.table_cost > 0) {
    const double left = model.table_cost - cost_ - model.Cost({.input = input_tokens});
    std::string cap = "the cap of $";
    json::WriteNumber(model.table_cost, cap);
    if (left <= model.Cost({.output = kLeastAnswer}))
      return Fail(ErrorCode::kDenied, cap + " for this table is reached");
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

float ModelStats::Latency(double quantile) const {
  if (latencies.empty()) return 0;
  std::vector<float> sorted = latencies;
  const auto at = static_cast<std::size_t>(std::lround(quantile * static_cast<double>(sorted.size() - 1)));
  std::nth_element(sorted.begin(), sorted.begin() + static_cast<std::ptrdiff_t>(at), sorted.end());
  return sorted[at];
}

}  // namespace openseat::llm

// What models cost and how they perform: a table's spending, which has caps, and a model's statistics.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <string_view>
#include <vector>

#include "agents/llm/model.h"
#include "agents/llm/usage.h"
#include "base/result.h"
#include "base/time.h"

namespace openseat::llm {

struct Cap {
  std::uint64_t tokens = 0;  // 0: no cap
  double cost = 0;           // likewise; dollars
  std::string_view what;     // "this table"
};

// For one model at one table, all its seats together. Belongs to the table's thread.
class Spending {
 public:
  // How many of `wanted` tokens the next answer may have if the request has about `input_tokens`; kDenied if a cap is
  // reached.
  Result<std::uint64_t> Allow(const Model& model, const Cap& cap, std::uint64_t input_tokens,
                              std::uint64_t wanted) const;
  void Add(const Model& model, const Usage& usage);

  std::uint64_t tokens() const { return tokens_; }
  double cost() const { return cost_; }

 private:
  std::uint64_t tokens_ = 0;
  double cost_ = 0;
};

// For one model, all tables of the process together: what strangers who open table after table may cost. Calls in
// progress are not counted. Any thread.
class DailySpending {
 public:
  // As with a table's. A day begins with its first call, and is 24 hours long.
  Result<std::uint64_t> Allow(const Model& model, std::uint64_t input_tokens, std::uint64_t wanted, Instant now);
  void Add(const Model& model, const Usage& usage, Instant now);

 private:
  void BeginDay(Instant now);

  std::mutex mutex_;
  Spending spending_;
  std::optional<Instant> began_;
};

struct ModelStats {
  std::uint64_t calls = 0;     // answered requests
  std::uint64_t failures = 0;  // requests that were tried again or given up
  std::uint64_t answers = 0;   // texts that were checked
  std::uint64_t mended = 0;    // answers that had to be repaired
  std::uint64_t reasked = 0;   // answers that the model had to give again
  std::uint64_t illegal = 0;   // answers that no schema or rule allowed
  std::uint64_t cut_off = 0;   // answers that did not fit into the token limit
  std::uint64_t declined = 0;  // answers that were refusals
  std::uint64_t given_up = 0;  // decisions
  Usage usage;
  double cost = 0;
  std::vector<float> latencies;  // ms, of answered requests; the first 100,000

  // In [0, 1]; 0 without any.
  float Latency(double quantile) const;
};

// Statistics that several shards update.
class SharedStats {
 public:
  template <typename Change>
  void Update(Change change) {
    const std::lock_guard lock(mutex_);
    change(stats_);
  }
  // Returns what `look` makes of them.
  template <typename Look>
  auto Read(Look look) const {
    const std::lock_guard lock(mutex_);
    return look(stats_);
  }
  ModelStats Get() const {
    const std::lock_guard lock(mutex_);
    return stats_;
  }

 private:
  mutable std::mutex mutex_;
  ModelStats stats_;
};

}  // namespace openseat::llm

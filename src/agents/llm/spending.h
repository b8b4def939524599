// What models cost and how they perform: what a table and a day spend, which have caps, and a model's statistics.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string_view>
#include <vector>

#include "agents/llm/model.h"
#include "agents/llm/usage.h"
#include "base/clock.h"
#include "base/result.h"
#include "base/time.h"

namespace openseat::llm {

struct Cap {
  std::uint64_t tokens = 0;  // 0: no cap
  double cost = 0;           // likewise; dollars
  std::string_view what;     // "this table"
};

// For one model at one table, all its seats together: what was spent, and what is set aside for calls in progress.
// Belongs to the table's thread.
class Spending {
 public:
  // How many of `wanted` tokens the next answer may have if the request has at most `input_tokens`; kDenied if a cap is
  // reached.
  Result<std::uint64_t> Allow(const Model& model, const Cap& cap, std::uint64_t input_tokens,
                              std::uint64_t wanted) const;
  void SetAside(const Model& model, const Usage& most);
  // A call for which `most` was set aside is over.
  void Settle(const Model& model, const Usage& most, const Usage& spent);
  // Forgets what was spent, and not what is set aside.
  void StartOver() { spent_ = {}; }

 private:
  struct Sum {
    std::uint64_t tokens = 0;
    double cost = 0;
  };
  Sum spent_;
  Sum aside_;
};

// For one model, all tables of the process together: what strangers who open table after table may cost. Any thread.
class DailySpending {
 public:
  // As Spending::Allow; what it allows is set aside. A day begins with its first call, and is 24 hours long.
  Result<std::uint64_t> SetAside(const Model& model, std::uint64_t input_tokens, std::uint64_t wanted, Instant now);
  void Settle(const Model& model, const Usage& most, const Usage& spent, Instant now);

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
  std::uint64_t unanswered = 0;  // tokens, at most, of requests that were sent and brought no answer
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

// What the calls of one agent cost its table and the day. The most that a call may cost is set aside before it is made,
// so that calls in progress and calls that are canceled count. One call at a time; the table's thread.
class Purse {
 public:
  // All that is referred to outlives it.
  Purse(const Model& model, std::shared_ptr<Spending> table, DailySpending& day, SharedStats& stats, const Clock& clock)
      : model_(model), table_(std::move(table)), day_(day), stats_(stats), clock_(clock) {}
  ~Purse() { Settle({}); }
  Purse(const Purse&) = delete;
  Purse& operator=(const Purse&) = delete;

  // How many of `wanted` tokens the answer may have if the request has at most `input_tokens`; both are set aside.
  // kDenied if a cap is reached.
  Result<std::uint64_t> SetAside(std::uint64_t input_tokens, std::uint64_t wanted);
  // The same as last time, for another try. Whether the caps leave room for it.
  bool SetAsideAgain();

  // The call is over; what it did not spend is given back. Nothing happens if nothing is set aside.
  void Settle(const Usage& spent);
  // It was sent `ago`, and there will be no answer. The provider may charge for what it has read and written, so that
  // counts: all of the input that was set aside, and of the output what may have been written by then.
  void SettleUnanswered(Duration ago);

 private:
  const Model& model_;
  const std::shared_ptr<Spending> table_;
  DailySpending& day_;
  SharedStats& stats_;
  const Clock& clock_;
  Usage most_;          // of the last call
  bool aside_ = false;  // it is in progress
};

}  // namespace openseat::llm

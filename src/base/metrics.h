// Metrics: the process's counts, for /metrics. Counters, gauges and histograms are found by name once, at wiring, and
// then cost one relaxed atomic each. Text() writes them in the Prometheus text format.
//
// All calls from any thread. References stay valid as long as the Metrics.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace openseat {

// Only goes up.
class Counter {
 public:
  void Add(std::uint64_t n = 1) { value_.fetch_add(n, std::memory_order_relaxed); }
  std::uint64_t value() const { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::uint64_t> value_ = 0;
};

// Goes up and down.
class Gauge {
 public:
  void Set(std::int64_t value) { value_.store(value, std::memory_order_relaxed); }
  void Add(std::int64_t n) { value_.fetch_add(n, std::memory_order_relaxed); }
  std::int64_t value() const { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::int64_t> value_ = 0;
};

// Counts observations in buckets; the reader estimates quantiles.
class Histogram {
 public:
  // `bounds`: the inclusive upper bounds of the buckets, ascending; an unbounded one is added.
  explicit Histogram(std::vector<double> bounds);

  void Observe(double value);

  const std::vector<double>& bounds() const { return bounds_; }
  // The count of the bucket up to bounds()[i]; i == bounds().size() is the last. Not cumulative.
  std::uint64_t count(std::size_t bucket) const { return counts_[bucket].load(std::memory_order_relaxed); }
  double sum() const { return sum_.load(std::memory_order_relaxed); }

 private:
  const std::vector<double> bounds_;
  std::unique_ptr<std::atomic<std::uint64_t>[]> counts_;
  std::atomic<double> sum_ = 0;
};

class Metrics {
 public:
  using Labels = std::vector<std::pair<std::string, std::string>>;

  Metrics();
  ~Metrics();
  Metrics(const Metrics&) = delete;
  Metrics& operator=(const Metrics&) = delete;

  // The same name and labels give the same object. `help` is one sentence. REQUIRES a name of [a-zA-Z_:][a-zA-Z0-9_:]*
  // that no other kind of metric has; counters end in "_total", times are in seconds and end in "_seconds".
  Counter& AddCounter(const std::string& name, const std::string& help, const Labels& labels = {});
  Gauge& AddGauge(const std::string& name, const std::string& help, const Labels& labels = {});
  Histogram& AddHistogram(const std::string& name, const std::string& help, std::vector<double> bounds,
                          const Labels& labels = {});

  // A metric that other code counts: Text() calls `read`. `counter`: it only goes up, and its name ends in "_total".
  // REQUIRES that no other metric has that name and these labels, and that `read` can be called from any thread for as
  // long as Text() is.
  void AddReading(const std::string& name, const std::string& help, bool counter, std::function<double()> read,
                  const Labels& labels = {});

  std::string Text() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// 1 ms to 10 s: for times of requests and decisions.
std::vector<double> LatencyBounds();

}  // namespace openseat

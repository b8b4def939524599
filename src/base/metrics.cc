#include "base/metrics.h"

#include <prometheus/metric_family.h>
#include <prometheus/text_serializer.h>

#include <algorithm>
#include <limits>
#include <map>
#include <mutex>
#include <utility>
#include <variant>

#include "base/check.h"

namespace openseat {
namespace {

bool IsMetricName(const std::string& name) {
  return !name.empty() && (name[0] < '0' || name[0] > '9') && std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == ':';
  });
}

}  // namespace

Histogram::Histogram(std::vector<double> bounds)
    : bounds_(std::move(bounds)), counts_(std::make_unique<std::atomic<std::uint64_t>[]>(bounds_.size() + 1)) {
  OPENSEAT_CHECK(std::ranges::is_sorted(bounds_), "a histogram's bounds ascend");
}

void Histogram::Observe(double value) {
  const auto bucket = static_cast<std::size_t>(std::ranges::lower_bound(bounds_, value) - bounds_.begin());
  counts_[bucket].fetch_add(1, std::memory_order_relaxed);
  sum_.fetch_add(value, std::memory_order_relaxed);
}

struct Reading {
  Reading(bool only_goes_up, std::function<double()> asked) : counter(only_goes_up), read(std::move(asked)) {}
  bool counter;
  std::function<double()> read;
};

struct Metrics::Impl {
  using Metric = std::variant<std::unique_ptr<Counter>, std::unique_ptr<Gauge>, std::unique_ptr<Histogram>,
                              std::unique_ptr<Reading>>;
  struct Family {
    std::string help;
    std::map<Labels, Metric> metrics;
  };

  template <typename T, typename... Args>
  T& Find(const std::string& name, const std::string& help, Labels labels, Args&&... args) {
    OPENSEAT_CHECK(IsMetricName(name), "a metric's name has letters, digits, \"_\" and \":\"");
    std::ranges::sort(labels);
    const std::lock_guard lock(mutex);
    Family& family = families[name];
    if (family.help.empty()) family.help = help;
    auto at = family.metrics.find(labels);
    if (at == family.metrics.end()) {
      at = family.metrics.emplace(std::move(labels), std::make_unique<T>(std::forward<Args>(args)...)).first;
    }
    auto* metric = std::get_if<std::unique_ptr<T>>(&at->second);
    const bool one_kind = metric != nullptr && at->second.index() == family.metrics.begin()->second.index();
    OPENSEAT_CHECK(one_kind, "all metrics of one name are of one kind");
    return **metric;
  }

  mutable std::mutex mutex;
  std::map<std::string, Family> families;  // guarded by mutex
};

namespace {

void Fill(const Counter& counter, prometheus::MetricFamily& family, prometheus::ClientMetric& out) {
  family.type = prometheus::MetricType::Counter;
  out.counter.value = static_cast<double>(counter.value());
}

void Fill(const Gauge& gauge, prometheus::MetricFamily& family, prometheus::ClientMetric& out) {
  family.type = prometheus::MetricType::Gauge;
  out.gauge.value = static_cast<double>(gauge.value());
}

void Fill(const Reading& reading, prometheus::MetricFamily& family, prometheus::ClientMetric& out) {
  family.type = reading.counter ? prometheus::MetricType::Counter : prometheus::MetricType::Gauge;
  (reading.counter ? out.counter.value : out.gauge.value) = reading.read();
}

void Fill(const Histogram& histogram, prometheus::MetricFamily& family, prometheus::ClientMetric& out) {
  family.type = prometheus::MetricType::Histogram;
  std::uint64_t below = 0;
  for (std::size_t i = 0; i <= histogram.bounds().size(); ++i) {
    below += histogram.count(i);
    prometheus::ClientMetric::Bucket bucket;
    bucket.cumulative_count = below;
    bucket.upper_bound =
        i < histogram.bounds().size() ? histogram.bounds()[i] : std::numeric_limits<double>::infinity();
    out.histogram.bucket.push_back(bucket);
  }
  out.histogram.sample_count = below;
  out.histogram.sample_sum = histogram.sum();
}

}  // namespace

Metrics::Metrics() : impl_(std::make_unique<Impl>()) {}
Metrics::~Metrics() = default;

Counter& Metrics::AddCounter(const std::string& name, const std::string& help, const Labels& labels) {
  return impl_->Find<Counter>(name, help, labels);
}

Gauge& Metrics::AddGauge(const std::string& name, const std::string& help, const Labels& labels) {
  return impl_->Find<Gauge>(name, help, labels);
}

Histogram& Metrics::AddHistogram(const std::string& name, const std::string& help, std::vector<double> bounds,
                                 const Labels& labels) {
  return impl_->Find<Histogram>(name, help, labels, std::move(bounds));
}

void Metrics::AddReading(const std::string& name, const std::string& help, bool counter, std::function<double()> read,
                         const Labels& labels) {
  impl_->Find<Reading>(name, help, labels, counter, std::move(read));
}

std::string Metrics::Text() const {
  std::vector<prometheus::MetricFamily> families;
  {
    const std::lock_guard lock(impl_->mutex);
    for (const auto& [name, family] : impl_->families) {
      prometheus::MetricFamily& out = families.emplace_back();
      out.name = name;
      out.help = family.help;
      for (const auto& [labels, metric] : family.metrics) {
        prometheus::ClientMetric& each = out.metric.emplace_back();
        for (const auto& [label, value] : labels) each.label.push_back({label, value});
        std::visit([&](const auto& one) { Fill(*one, out, each); }, metric);
      }
    }
  }
  return prometheus::TextSerializer().Serialize(families);
}

std::vector<double> LatencyBounds() {
  return {0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10};
}

}  // namespace openseat

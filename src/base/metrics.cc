#include "base/metrics.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <mutex>
#include <utility>
#include <variant>

#include "base/check.h"
#include "base/text.h"

namespace openseat {
namespace {

bool IsMetricName(const std::string& name) {
  return !name.empty() && !IsDigit(name[0]) &&
         std::ranges::all_of(name, [](char c) { return IsAlphanumeric(c) || c == '_' || c == ':'; });
}

}  // namespace

Histogram::Histogram(std::vector<double> bounds)
    : bounds_(std::move(bounds)), counts_(std::make_unique<std::atomic<std::uint64_t>[]>(bounds_.size() + 1)) {
  OPENSEAT_CHECK(std::ranges::is_sorted(bounds_), "a histogram's bounds are ascending");
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

// Backslash and line break, and for a label's value the quote as well.
std::string Escaped(std::string_view text, bool quoted) {
  std::string out;
  for (const char c : text) {
    if (c == '\\' || (c == '"' && quoted)) out += '\\';
    out += c == '\n' ? std::string_view("\\n") : std::string_view(&c, 1);
  }
  return out;
}

// Writes the lines of one family: name{label="value",…} number.
struct Writer {
  template <typename Number>
  void Line(std::string_view suffix, std::string_view extra_label, Number number) const {
    std::string all = labels;
    if (!all.empty() && !extra_label.empty()) all += ',';
    all += extra_label;
    if (!all.empty()) all = "{" + all + "}";
    fmt::format_to(std::back_inserter(out), "{}{}{} {}\n", name, suffix, all, number);
  }

  void Write(const Counter& counter) const { Line("", "", counter.value()); }
  void Write(const Gauge& gauge) const { Line("", "", gauge.value()); }
  void Write(const Reading& reading) const { Line("", "", reading.read()); }
  void Write(const Histogram& histogram) const {
    std::uint64_t below = 0;
    for (std::size_t i = 0; i < histogram.bounds().size(); ++i) {
      below += histogram.count(i);
      Line("_bucket", fmt::format("le=\"{}\"", histogram.bounds()[i]), below);
    }
    below += histogram.count(histogram.bounds().size());
    Line("_bucket", "le=\"+Inf\"", below);
    Line("_sum", "", histogram.sum());
    Line("_count", "", below);
  }

  std::string& out;
  const std::string& name;
  std::string labels;
};

std::string_view TypeOf(const Counter& /*metric*/) {
  return "counter";
}
std::string_view TypeOf(const Gauge& /*metric*/) {
  return "gauge";
}
std::string_view TypeOf(const Histogram& /*metric*/) {
  return "histogram";
}
std::string_view TypeOf(const Reading& metric) {
  return metric.counter ? "counter" : "gauge";
}

std::string LabelList(const Metrics::Labels& labels) {
  std::string out;
  for (const auto& [label, value] : labels) {
    fmt::format_to(std::back_inserter(out), "{}{}=\"{}\"", out.empty() ? "" : ",", label, Escaped(value, true));
  }
  return out;
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
  std::string out;
  const std::lock_guard lock(impl_->mutex);
  for (const auto& [name, family] : impl_->families) {
    const std::string_view type =
        std::visit([](const auto& metric) { return TypeOf(*metric); }, family.metrics.begin()->second);
    fmt::format_to(std::back_inserter(out), "# HELP {} {}\n# TYPE {} {}\n", name, Escaped(family.help, false), name,
                   type);
    for (const auto& [labels, metric] : family.metrics) {
      const Writer writer{out, name, LabelList(labels)};
      std::visit([&](const auto& one) { writer.Write(*one); }, metric);
    }
  }
  return out;
}

std::vector<double> LatencyBounds() {
  return {0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10};
}

}  // namespace openseat

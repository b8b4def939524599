// NeuroMetrics: what the tables of remote games count for /metrics. Any thread.
#pragma once

#include <array>
#include <cstddef>

#include "base/metrics.h"
#include "core/decision.h"

namespace openseat::neuro {

struct NeuroMetrics {
  explicit NeuroMetrics(Metrics& metrics);

  Gauge& connected;
  Counter& runs;
  Counter& forces;
  Counter& retries;
  Counter& given_up;
  Counter& answers;   // actions that answer a force
  Counter& unforced;  // other actions
  Histogram& result_seconds;
  std::array<Counter*, 4> results;      // by Verdict::Kind
  std::array<Counter*, 3> diagnostics;  // by Severity
};

}  // namespace openseat::neuro

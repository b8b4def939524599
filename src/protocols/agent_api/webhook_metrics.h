// Counts of what webhooks deliver, for /metrics.
#pragma once

#include <memory>

#include "base/metrics.h"

namespace openseat::agent_api {

// Any thread.
struct WebhookMetrics {
  explicit WebhookMetrics(Metrics& metrics);

  Counter& delivered;
  Counter& given_up;
  Counter& retries;
  Gauge& waiting;
};

// One in a gauge for as long as it exists; nothing if it is empty.
struct TakeFromGauge {
  void operator()(Gauge* gauge) const { gauge->Add(-1); }
};
using OneInGauge = std::unique_ptr<Gauge, TakeFromGauge>;
OneInGauge AddToGauge(Gauge& gauge);

}  // namespace openseat::agent_api

// The counters of this module. Internal.
#pragma once

#include <array>

#include "base/metrics.h"

namespace openseat::net {

struct NetMetrics {
  explicit NetMetrics(Metrics& metrics);

  Counter& accepted;
  Counter& refused;  // over a limit on connections
  Gauge& open;
  std::array<Counter*, 5> responses;  // by status class, 1xx first
  Gauge& websockets;
  Counter& messages_in;
  Counter& messages_out;
  Counter& bytes_in;
  Counter& bytes_out;
  Counter& slow_readers;
  Counter& tls_excess;
};

}  // namespace openseat::net

// What a node of a cluster counts about its registry: docs/metrics.md.
#pragma once

#include "base/metrics.h"
#include "base/result.h"

namespace openseat::store {

struct RegistryCounts {
  // `metrics` outlives it.
  explicit RegistryCounts(Metrics& metrics);

  // The counter of calls that failed with this code.
  Counter& Refused(ErrorCode code) const;

  Counter& messages;
  Counter& writes;
  Counter& timeouts;
  Counter& busy;
  Counter& too_large;
  Counter& stopped;
  Gauge& current;
  Gauge& waiting;
  Gauge& unsaved_bytes;
  Gauge& snapshot_bytes;
  Gauge& snapshot_time;
};

}  // namespace openseat::store

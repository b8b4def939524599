#include "store/registry_counts.h"

namespace openseat::store {
namespace {

Counter& AddRefused(Metrics& metrics, const char* why) {
  return metrics.AddCounter("openseat_registry_refused_total",
                            "Calls of the registry that waited for its stream and failed.", {{"why", why}});
}

}  // namespace

RegistryCounts::RegistryCounts(Metrics& metrics)
    : messages(metrics.AddCounter("openseat_registry_messages_total",
                                  "Messages of the registry's stream that were applied, of all nodes.")),
      writes(
          metrics.AddCounter("openseat_registry_writes_total", "Writes of this node that the registry's stream has.")),
      timeouts(AddRefused(metrics, "timeout")),
      busy(AddRefused(metrics, "busy")),
      too_large(AddRefused(metrics, "too-large")),
      stopped(AddRefused(metrics, "stopped")),
      current(metrics.AddGauge("openseat_registry_current_timestamp_seconds",
                               "When this node last had everything in the registry's stream; since 1970.")),
      waiting(metrics.AddGauge("openseat_registry_waiting", "Calls of the registry that wait for its stream.")),
      unsaved_bytes(metrics.AddGauge("openseat_registry_unsaved_bytes",
                                     "Bytes in the registry's stream since its latest snapshot, about.")),
      snapshot_bytes(
          metrics.AddGauge("openseat_registry_snapshot_bytes", "Size of the registry's latest snapshot; 0: none.")),
      snapshot_time(metrics.AddGauge("openseat_registry_snapshot_timestamp_seconds",
                                     "When the registry's latest snapshot was written; since 1970.")) {}

Counter& RegistryCounts::Refused(ErrorCode code) const {
  switch (code) {
    case ErrorCode::kTimeout:
      return timeouts;
    case ErrorCode::kBusy:
      return busy;
    case ErrorCode::kTooLarge:
      return too_large;
    default:
      return stopped;
  }
}

}  // namespace openseat::store

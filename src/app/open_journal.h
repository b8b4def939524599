// The journal and the registry that the settings ask for: SQLite in the data directory, or NATS JetStream
// (docs/cluster.md).
#pragma once

#include <functional>
#include <memory>

#include "app/cluster_node.h"
#include "app/config.h"
#include "base/clock.h"
#include "base/metrics.h"
#include "base/result.h"
#include "core/journal.h"
#include "core/registry.h"

namespace openseat::app {

struct OpenedJournal {
  std::unique_ptr<Journal> journal;
  std::unique_ptr<ClusterNode> node;  // null without a cluster
  // Whether it can be written now, or why not. Any thread.
  std::function<Result<void>()> writable;
};

// In a cluster, waits for NATS for half a minute, and has joined the other nodes. REQUIRES that the data directory
// exists; `metrics` outlives the journal.
Result<OpenedJournal> OpenJournal(const Config& config, Metrics& metrics);

struct OpenedRegistry {
  std::unique_ptr<Registry> registry;
  // As above; always, for a file.
  std::function<Result<void>()> writable;
};

// In a cluster, waits for NATS as above. `clock` and `metrics` outlive the registry.
Result<OpenedRegistry> OpenRegistry(const Config& config, const Clock& clock, Metrics& metrics);

}  // namespace openseat::app

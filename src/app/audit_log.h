// The audit log: who did, or tried, what matters to whoever runs the server, and from where; never a secret. One JSON
// object a line in `audit.log` in the data directory:
//   {"time": ISO 8601, "event": "wrong-secret"|"admin", "what", "from": address, "who"?}
// docs/configuration.md describes it. At kMaxAuditBytes a new file is begun, and kAuditFiles are kept.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/metrics.h"
#include "base/result.h"
#include "base/worker.h"

namespace openseat::app {

inline constexpr std::string_view kAuditFileName = "audit.log";
inline constexpr std::size_t kMaxAuditBytes = 8u << 20;
inline constexpr int kAuditFiles = 4;  // audit.log, and audit.log.1 to .3, the oldest

struct AuditEntry {
  std::string event;  // "wrong-secret", "admin"
  std::string what;   // "admin token", "POST /api/v1/matches"
  std::string from;   // an address, "command line" …
  std::string who;    // "admin token", "this machine", a user; "" where that is not known
};

// Appends one line and begins a new file where it is time. Blocks. For one line now and then, of any process that has
// the data directory. kIo.
Result<void> AppendAudit(const std::string& data_dir, const AuditEntry& entry, Time now,
                         std::size_t max_bytes = kMaxAuditBytes);

// "/api/v1/tables/a-b.INVITE/control" without what stands behind a point in a segment: it may be a secret.
std::string WithoutSecrets(std::string_view path);

// Writes on a thread of its own. Any thread; what cannot be written, or comes faster than that, is counted
// (openseat_audit_lost_total) and the log says so.
class AuditLog {
 public:
  explicit AuditLog(std::string data_dir, std::size_t max_bytes = kMaxAuditBytes)
      : data_dir_(std::move(data_dir)), max_bytes_(max_bytes) {}

  // Counts from now on. `metrics` outlives this. Before other threads write.
  void CountIn(Metrics& metrics);
  void Write(AuditEntry entry);

 private:
  void Lose(const std::string& why);

  const std::string data_dir_;
  const std::size_t max_bytes_;
  const SystemClock clock_;
  Counter* written_ = nullptr;
  Counter* lost_ = nullptr;
  std::atomic<std::size_t> waiting_ = 0;
  std::atomic<bool> complained_ = false;  // about what was lost, since a line was written
  Worker worker_;
};

}  // namespace openseat::app

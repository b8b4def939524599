// The audit log: who did, or tried to do, what matters to the operator, and from where; never a secret. One JSON object
// a line in `audit.log` in the data directory:
//   {"time": ISO 8601, "event": "wrong-secret"|"admin"|"player", "what", "from": address, "who"?}
// docs/configuration.md describes it. When a file reaches kMaxAuditBytes, a new one is started; kAuditFiles are kept.
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
  std::string event;  // "wrong-secret", "admin", "player"
  std::string what;   // "admin token", "POST /api/v1/matches"
  std::string from;   // an address, "command line" …
  std::string who;    // "admin token", "this machine", a user; "" if unknown
};

// Appends one line and starts a new file when it is time. Blocks. For an occasional line from any process that owns the
// data directory. Errors: kIo.
Result<void> AppendAudit(const std::string& data_dir, const AuditEntry& entry, Time now,
                         std::size_t max_bytes = kMaxAuditBytes);

// "/api/v1/tables/a-b.INVITE/control" without the part of a segment after a period: it may be a secret.
std::string WithoutSecrets(std::string_view path);

// Writes on a thread of its own. Any thread. Lines that cannot be written, or come too fast, are counted
// (openseat_audit_lost_total), and the log says so.
class AuditLog {
 public:
  explicit AuditLog(std::string data_dir, std::size_t max_bytes = kMaxAuditBytes)
      : data_dir_(std::move(data_dir)), max_bytes_(max_bytes) {}

  // Counts from now on. `metrics` outlives this. Call before other threads write.
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

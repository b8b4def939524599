// The audit log: who did, or tried to do, what matters to the operator, and from where; never a secret. One JSON object
// a line in `audit.log` in the data directory:
//   {"time": ISO 8601, "event": "wrong-secret"|"admin"|"player"|"left-out", "what", "from": address, "who"?}
// docs/configuration.md describes it. When a file reaches kMaxAuditBytes, a new one is started; kAuditFiles are kept.
// What strangers and players can cause is limited (AuditSieve), so that they do not push out the administrator's lines.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/line_sieve.h"
#include "base/metrics.h"
#include "base/result.h"
#include "base/worker.h"

namespace openseat::app {

inline constexpr std::string_view kAuditFileName = "audit.log";
inline constexpr std::size_t kMaxAuditBytes = 8u << 20;
inline constexpr int kAuditFiles = 4;  // audit.log, and audit.log.1 to .3, the oldest

struct AuditEntry {
  std::string event;  // "wrong-secret", "admin", "player", "left-out"
  std::string what;   // "admin token", "POST /api/v1/matches", "MCP create_match tictactoe"
  std::string from;   // an address, "command line", "standard input", "signal"
  std::string who;    // "admin token", "this machine", a user; "" if unknown
};

// The file that is written, open from its first line on: until it is full (a new one needs a descriptor), a process
// without free descriptors still writes.
// If somebody moved or deleted it, the next line is in a new one. Blocks. One thread at a time; several processes may
// write.
class AuditFile {
 public:
  explicit AuditFile(const std::string& data_dir, std::size_t max_bytes = kMaxAuditBytes);
  ~AuditFile();
  AuditFile(const AuditFile&) = delete;
  AuditFile& operator=(const AuditFile&) = delete;

  // Appends one line and starts a new file when it is time. Errors: kIo.
  Result<void> Append(const AuditEntry& entry, Time now);

 private:
  // Makes descriptor_ the file at path_. Returns an errno, or 0.
  int Open(std::size_t more_bytes);

  const std::string path_;
  const std::size_t max_bytes_;
  int descriptor_ = -1;
};

// For an occasional line from any process that owns the data directory: AuditFile::Append.
Result<void> AppendAudit(const std::string& data_dir, const AuditEntry& entry, Time now,
                         std::size_t max_bytes = kMaxAuditBytes);

// What this user did with a command or a flag: "openseat key create k-…".
AuditEntry CommandEntry(std::string what);
// Appends it.
Result<void> AuditCommand(const std::string& data_dir, const std::string& what);

// "/api/v1/tables/a-b.INVITE/control" without the part of a segment after a period: it may be a secret.
std::string WithoutSecrets(std::string_view path);

// Which entries are written: all of the event "admin", and of the others what these rates allow. One thread at a time.
class AuditSieve {
 public:
  // At the longest lines, the files last for more than two days.
  static constexpr LineSieve::Rates kRates{.of_address = {.per_second = 0.1, .burst = 100},  // for each event
                                           .of_all = {.per_second = 0.2, .burst = 2000},
                                           .tell_every = std::chrono::minutes(1)};

  // Whether to write it. If not, it counts as left out.
  bool Take(const AuditEntry& entry, Instant now);
  // The entry that says how many were left out since the last such entry; nullopt if none was, or the last such entry
  // is less than a minute old.
  std::optional<AuditEntry> TellLeftOut(Instant now);

 private:
  LineSieve sieve_{kRates};
};

// Writes on a thread of its own. Any thread. Lines that cannot be written, or come too fast, are counted
// (openseat_audit_lost_total), and the log says so.
class AuditLog {
 public:
  explicit AuditLog(const std::string& data_dir, std::size_t max_bytes = kMaxAuditBytes) : file_(data_dir, max_bytes) {}

  ~AuditLog();

  // Counts from now on. `metrics` outlives this. Call before other threads write.
  void CountIn(Metrics& metrics);
  void Write(AuditEntry entry);

 private:
  void Post(AuditEntry entry);
  void Lose(const std::string& why);

  AuditFile file_;  // used by the worker
  const SystemClock clock_;
  Counter* written_ = nullptr;
  Counter* lost_ = nullptr;
  Counter* left_out_ = nullptr;
  std::mutex mutex_;  // guards sieve_
  AuditSieve sieve_;
  std::atomic<std::size_t> waiting_ = 0;
  std::atomic<bool> complained_ = false;  // about what was lost, since a line was written
  Worker worker_;
};

}  // namespace openseat::app

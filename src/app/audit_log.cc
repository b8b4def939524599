#include "app/audit_log.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

#include "base/file.h"
#include "base/json.h"
#include "base/log.h"
#include "base/text.h"
#include "base/time.h"

namespace openseat::app {
namespace {

constexpr std::size_t kMaxWaiting = 10'000;
constexpr std::size_t kMaxText = 500;

std::string LineOf(const AuditEntry& entry, Time now) {
  json::Object line{{"time", FormatIso8601(now)},
                    {"event", entry.event},
                    {"what", Ellipsize(entry.what, kMaxText)},
                    {"from", Ellipsize(entry.from, kMaxText)}};
  if (!entry.who.empty()) line["who"] = Ellipsize(entry.who, kMaxText);
  return json::Write(line) + "\n";
}

// audit.log.2 becomes audit.log.3, and so on.
void Rotate(const std::string& path) {
  const auto name = [&](int number) { return number == 0 ? path : path + "." + std::to_string(number); };
  for (int number = kAuditFiles - 1; number > 0; --number) {
    // Some may not exist yet.
    (void)std::rename(name(number - 1).c_str(), name(number).c_str());
  }
}

}  // namespace

AuditFile::AuditFile(const std::string& data_dir, std::size_t max_bytes)
    : path_(data_dir + "/" + std::string(kAuditFileName)), max_bytes_(max_bytes) {}

AuditFile::~AuditFile() {
  if (descriptor_ >= 0) close(descriptor_);
}

int AuditFile::Open(std::size_t more_bytes) {
  struct stat there{};
  struct stat ours{};
  if (lstat(path_.c_str(), &there) == 0) {
    if (static_cast<std::size_t>(there.st_size) + more_bytes > max_bytes_) {
      Rotate(path_);
    } else if (descriptor_ >= 0 && fstat(descriptor_, &ours) == 0 && ours.st_dev == there.st_dev &&
               ours.st_ino == there.st_ino) {
      return 0;
    }
  }
  if (descriptor_ >= 0) close(std::exchange(descriptor_, -1));
  descriptor_ = open(path_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600);
  return descriptor_ < 0 ? errno : 0;
}

Result<void> AuditFile::Append(const AuditEntry& entry, Time now) {
  const std::string line = LineOf(entry, now);
  int error = Open(line.size());
  if (error == 0) error = WriteAll(descriptor_, line);
  if (error != 0) return Fail(ErrorCode::kIo, "cannot write to " + path_ + ": " + std::strerror(error), path_);
  return {};
}

Result<void> AppendAudit(const std::string& data_dir, const AuditEntry& entry, Time now, std::size_t max_bytes) {
  return AuditFile(data_dir, max_bytes).Append(entry, now);
}

AuditEntry CommandEntry(std::string what) {
  return {.event = "admin", .what = std::move(what), .from = "command line", .who = "user " + std::to_string(getuid())};
}

Result<void> AuditCommand(const std::string& data_dir, const std::string& what) {
  return AppendAudit(data_dir, CommandEntry(what), SystemClock().Now());
}

std::string WithoutSecrets(std::string_view path) {
  std::string out;
  bool skipping = false;
  for (const char c : path) {
    if (c == '/') skipping = false;
    if (!skipping) out.push_back(c);
    if (c == '.') skipping = true;
  }
  return out;
}

bool AuditSieve::Take(const AuditEntry& entry, Instant now) {
  return entry.event == "admin" || sieve_.Take(entry.event, entry.from, now);
}

std::optional<AuditEntry> AuditSieve::TellLeftOut(Instant now) {
  std::optional<LineSieve::LeftOut> left_out = sieve_.TellLeftOut(now);
  if (!left_out) return std::nullopt;
  return AuditEntry{.event = "left-out", .what = left_out->Count(), .from = std::move(left_out->from), .who = {}};
}

AuditLog::~AuditLog() {
  if (std::optional<AuditEntry> left_out = sieve_.TellLeftOut(Instant::max())) Post(std::move(*left_out));
}

void AuditLog::CountIn(Metrics& metrics) {
  written_ = &metrics.AddCounter("openseat_audit_total", "Lines written to the audit log.");
  left_out_ = &metrics.AddCounter("openseat_audit_left_out_total",
                                  "Lines of strangers and players that were left out of the audit log: too many.");
  lost_ = &metrics.AddCounter("openseat_audit_lost_total", "Lines of the audit log that could not be written.");
}

void AuditLog::Write(AuditEntry entry) {
  const Instant now = clock_.Monotonic();
  std::optional<AuditEntry> left_out;
  bool taken = false;
  {
    const std::lock_guard lock(mutex_);
    taken = sieve_.Take(entry, now);
    left_out = sieve_.TellLeftOut(now);
  }
  if (left_out) Post(std::move(*left_out));
  if (taken) return Post(std::move(entry));
  if (left_out_ != nullptr) left_out_->Add();
}

void AuditLog::Post(AuditEntry entry) {
  if (waiting_.fetch_add(1, std::memory_order_relaxed) >= kMaxWaiting) {
    waiting_.fetch_sub(1, std::memory_order_relaxed);
    return Lose("they come faster than they can be written");
  }
  worker_.Post([this, entry = std::move(entry), now = clock_.Now()] {
    const Result<void> written = file_.Append(entry, now);
    waiting_.fetch_sub(1, std::memory_order_relaxed);
    if (!written) return Lose(written.error().message);
    complained_ = false;
    if (written_ != nullptr) written_->Add();
  });
}

void AuditLog::Lose(const std::string& why) {
  if (lost_ != nullptr) lost_->Add();
  if (!complained_.exchange(true)) log::Error("lines of the audit log are lost: {}", why);
}

}  // namespace openseat::app

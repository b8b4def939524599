#include "base/log.h"

#include <spdlog/sinks/base_sink.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <mutex>
#include <optional>

#include "base/budget.h"
#include "base/clock.h"
#include "base/line_sieve.h"
#include "base/line_writer.h"
#include "base/stranger.h"
#include "base/text.h"

namespace openseat::log {
namespace {

spdlog::level::level_enum ToSpdlog(Level level) {
  switch (level) {
    case Level::kDebug:
      return spdlog::level::debug;
    case Level::kInfo:
      return spdlog::level::info;
    case Level::kWarn:
      return spdlog::level::warn;
    case Level::kError:
      return spdlog::level::err;
    case Level::kOff:
      return spdlog::level::off;
  }
  return spdlog::level::info;
}

// Unread output is kept up to this size.
constexpr std::size_t kMaxWaiting = 1u << 20;
constexpr std::size_t kMaxLine = 4u << 10;
constexpr Duration kLastWords = std::chrono::milliseconds(500);

constexpr LineSieve::Rates kOfStrangers{.of_address = {.per_second = 0.1, .burst = 100},
                                        .of_all = {.per_second = 2, .burst = 5'000},
                                        .tell_every = std::chrono::minutes(1)};

std::string_view ColorOf(spdlog::level::level_enum level) {
  switch (level) {
    case spdlog::level::debug:
      return "\033[36m";
    case spdlog::level::info:
      return "\033[32m";
    case spdlog::level::warn:
      return "\033[33m\033[1m";
    default:
      return "\033[31m\033[1m";
  }
}

class WriterSink final : public spdlog::sinks::base_sink<std::mutex> {
 public:
  bool Drain(Duration at_most) { return writer_.Drain(at_most); }
  std::uint64_t lost() const { return writer_.lost(); }

 private:
  void sink_it_(const spdlog::details::log_msg& message) override {
    spdlog::memory_buf_t formatted;
    formatter_->format(message, formatted);
    std::string line(formatted.data(), formatted.size());
    if (colored_) {
      line.insert(message.color_range_end, "\033[0m");
      line.insert(message.color_range_start, ColorOf(message.level));
    }
    writer_.Write(std::move(line));
  }
  void flush_() override {}

  const bool colored_ = isatty(STDERR_FILENO) != 0;
  LineWriter writer_{STDERR_FILENO, kMaxWaiting};
};

std::atomic<pid_t> writer_process = 0;  // that has the writer's thread

void SayLeftOut(const std::optional<LineSieve::LeftOut>& left_out) {
  if (left_out) Warn("left out {} about {}: too many", left_out->Count(), left_out->from);
}

// The lines that strangers cause.
struct OfStrangers {
  std::mutex mutex;  // guards sieve
  LineSieve sieve{kOfStrangers};
  std::atomic<std::uint64_t> left_out = 0;
};

// Never destroyed, like the log.
OfStrangers& Strangers() {
  static OfStrangers& strangers = *new OfStrangers;
  return strangers;
}

void SayTheRest() {
  OfStrangers& strangers = Strangers();
  std::optional<LineSieve::LeftOut> left_out;
  {
    const std::lock_guard lock(strangers.mutex);
    left_out = strangers.sieve.TellLeftOut(Instant::max());
  }
  SayLeftOut(left_out);
}

// Never destroyed: other threads may log until the very end, and a slow reader may hold up the writer.
struct TheLog {
  TheLog() : sink(std::make_shared<WriterSink>()), logger("openseat", sink) {
    logger.set_pattern("%Y-%m-%dT%H:%M:%S.%eZ %^%-5l%$ %v", spdlog::pattern_time_type::utc);
    writer_process.store(getpid(), std::memory_order_relaxed);
    std::atexit([] {
      if (writer_process.load(std::memory_order_relaxed) == getpid()) SayTheRest();
      Flush();
    });
  }
  std::shared_ptr<WriterSink> sink;
  spdlog::logger logger;
};

TheLog& Log() {
  static TheLog& log = *new TheLog;
  return log;
}
spdlog::logger& Logger() {
  return Log().logger;
}

}  // namespace

Result<Level> ParseLevel(std::string_view name) {
  if (name == "debug") return Level::kDebug;
  if (name == "info") return Level::kInfo;
  if (name == "warn") return Level::kWarn;
  if (name == "error") return Level::kError;
  if (name == "off") return Level::kOff;
  return Fail(ErrorCode::kInvalid, fmt::format("log level must be debug, info, warn, error or off; got \"{}\"", name));
}

void SetLevel(Level level) {
  Logger().set_level(ToSpdlog(level));
}
bool Enabled(Level level) {
  return Logger().should_log(ToSpdlog(level));
}
void Write(Level level, std::string_view line) {
  // Not Printable, whose library has globals: other threads may log until the very end.
  Logger().log(ToSpdlog(level), "{}", EscapeControls(Ellipsize(line, kMaxLine)));
}
bool Admit(std::string_view from) {
  if (!IsStrangers(AddressKey(from))) return true;
  const Instant now = SystemClock().Monotonic();
  OfStrangers& strangers = Strangers();
  bool taken = false;
  std::optional<LineSieve::LeftOut> left_out;
  {
    const std::lock_guard lock(strangers.mutex);
    taken = strangers.sieve.Take({}, from, now);
    left_out = strangers.sieve.TellLeftOut(now);
  }
  if (!taken) strangers.left_out.fetch_add(1, std::memory_order_relaxed);
  SayLeftOut(left_out);
  return taken;
}
std::uint64_t LeftOut() {
  return Strangers().left_out.load(std::memory_order_relaxed);
}
std::uint64_t Lost() {
  return Log().sink->lost();
}
void Flush() {
  // A forked child does not have the thread that writes.
  if (writer_process.load(std::memory_order_relaxed) != getpid()) return;
  Log().sink->Drain(kLastWords);
}

}  // namespace openseat::log

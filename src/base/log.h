// The process log: one line per event on standard error, "2026-11-20T21:33:30.123Z info  message". Control characters
// in the message are escaped (EscapeControls) and long messages cut, since strangers cause much of what is logged.
// Logging never waits for the reader: a separate thread writes the lines, and unread output beyond a megabyte is lost
// and counted. Wraps spdlog, so that no other module sees it. Any thread.
//
// What strangers can cause as often as they like is logged with From: each address has a limit.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"

namespace openseat::log {

enum class Level { kDebug, kInfo, kWarn, kError, kOff };

// "debug", "info", "warn", "error" or "off".
Result<Level> ParseLevel(std::string_view name);
void SetLevel(Level level);
bool Enabled(Level level);
void Write(Level level, std::string_view line);
// Lines that were lost because nothing read them.
std::uint64_t Lost();
// Waits a short time for the logged lines to be written. Call it before standard error goes to another owner, and
// before the process ends other than through exit, which does it by itself.
void Flush();

// Whether one more line may be written that somebody at this address caused (From); if not, it counts as left out, and
// a line says so, once a minute at most.
bool Admit(std::string_view from);
// Lines that Admit left out.
std::uint64_t LeftOut();

template <typename... Args>
void Debug(fmt::format_string<Args...> format, Args&&... args) {
  if (Enabled(Level::kDebug)) Write(Level::kDebug, fmt::format(format, std::forward<Args>(args)...));
}
template <typename... Args>
void Info(fmt::format_string<Args...> format, Args&&... args) {
  if (Enabled(Level::kInfo)) Write(Level::kInfo, fmt::format(format, std::forward<Args>(args)...));
}
template <typename... Args>
void Warn(fmt::format_string<Args...> format, Args&&... args) {
  if (Enabled(Level::kWarn)) Write(Level::kWarn, fmt::format(format, std::forward<Args>(args)...));
}
template <typename... Args>
void Error(fmt::format_string<Args...> format, Args&&... args) {
  if (Enabled(Level::kError)) Write(Level::kError, fmt::format(format, std::forward<Args>(args)...));
}

// Logs what somebody at an address caused, or a game's script: From(payer->address()).Warn("…"). Each has 100 lines at
// once, then one every ten seconds; all together have 5,000, then two a second. This machine's own programs, and "",
// have no limit.
class From {
 public:
  explicit From(std::string address) : address_(std::move(address)) {}

  template <typename... Args>
  void Info(fmt::format_string<Args...> format, Args&&... args) const {
    Line(Level::kInfo, format, std::forward<Args>(args)...);
  }
  template <typename... Args>
  void Warn(fmt::format_string<Args...> format, Args&&... args) const {
    Line(Level::kWarn, format, std::forward<Args>(args)...);
  }
  template <typename... Args>
  void Error(fmt::format_string<Args...> format, Args&&... args) const {
    Line(Level::kError, format, std::forward<Args>(args)...);
  }
  template <typename... Args>
  void Line(Level level, fmt::format_string<Args...> format, Args&&... args) const {
    if (Enabled(level) && Admit(address_)) Write(level, fmt::format(format, std::forward<Args>(args)...));
  }

 private:
  const std::string address_;
};

}  // namespace openseat::log

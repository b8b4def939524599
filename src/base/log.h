// The process log: one line per event on standard error, "2026-11-20T21:33:30.123Z info  message". Control characters
// in the message are escaped (EscapeControls) and long messages cut, since strangers cause much of what is logged.
// Logging never waits for the reader: a separate thread writes the lines, and unread output beyond a megabyte is lost
// and counted. Wraps spdlog, so that no other module sees it. Any thread.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <string_view>

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

}  // namespace openseat::log

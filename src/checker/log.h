// The checker's log: the lines written to its log file and shown on the console (spec: vicky.md). Plain
// values.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/time.h"

namespace openseat::checker {

enum class Level : std::uint8_t { kDebug, kInfo, kWarn, kError, kCritical };
inline constexpr int kLevels = 5;

std::string_view LevelName(Level level);  // "debug", "info", "warn", "error", "critical"

struct LogLine {
  Time time;
  Level level = Level::kDebug;
  std::string message;  // may contain anything that a game sent; FormatLine makes one line of it
  std::string key;      // the failed check's key (check_table.h), "" for a line that is not a finding
};

// "[2026-11-21T09:30:00.123Z] warn: MESSAGE": one line without its newline, control characters escaped.
std::string FormatLine(const LogLine& line);

}  // namespace openseat::checker

// The checker's log: the lines written to its log file and shown on the console (spec: vicky.md), and how many of them.
// Plain values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/time.h"

namespace openseat::checker {

enum class Level : std::uint8_t { kDebug, kInfo, kWarn, kError, kCritical };
inline constexpr int kLevels = 5;

std::string_view LevelName(Level level);  // "debug", "info", "warn", "error", "critical"

struct LogLine {
  Time time;
  Level level = Level::kDebug;
  std::string message;  // may contain anything that a game sent; FormatLine makes one line of it
  std::string key;      // the broken rule's key (docs/rules.md), "" for a line that is not a finding
};

// "[2026-11-21T09:30:00.123Z] warn: MESSAGE": one line without its newline, control characters escaped.
std::string FormatLine(const LogLine& line);

// Keeps a log under a megabyte, however long a game loops.
class LogLimit {
 public:
  static constexpr std::size_t kMaxRepeats = 20;            // of an equal line, and of findings with the same key
  static constexpr std::size_t kMaxPlainBytes = 600'000;    // of debug lines
  static constexpr std::size_t kMaxFindingBytes = 200'000;  // of findings; the first of each rule is always written
  static constexpr std::size_t kMaxFindingText = 1'000;     // of one finding's message

  // Whether the line is written. If not, it is counted.
  bool Admit(const LogLine& line);
  // "1,204 lines that were there 20 times already and 3 beyond the log's size"; "" if nothing was left out.
  std::string LeftOut() const;

 private:
  static constexpr std::size_t kMaxKnown = 10'000;

  std::unordered_map<std::size_t, std::size_t> times_;  // a line, by its hash
  std::map<std::string, std::size_t, std::less<>> findings_;
  std::size_t plain_bytes_ = 0;
  std::size_t finding_bytes_ = 0;
  std::size_t repeated_ = 0;
  std::size_t beyond_ = 0;
};

}  // namespace openseat::checker

#include "checker/log.h"

#include <functional>

#include "base/text.h"

namespace openseat::checker {

std::string_view LevelName(Level level) {
  switch (level) {
    case Level::kDebug:
      return "debug";
    case Level::kInfo:
      return "info";
    case Level::kWarn:
      return "warn";
    case Level::kError:
      return "error";
    case Level::kCritical:
      return "critical";
  }
  return "critical";
}

std::string FormatLine(const LogLine& line) {
  std::string out = "[" + FormatIso8601(line.time) + "] " + std::string(LevelName(line.level)) + ": ";
  out += Printable(line.message);
  if (!line.key.empty()) out += " [" + line.key + "]";
  return out;
}

bool LogLimit::Admit(const LogLine& line) {
  const std::size_t bytes = FormatLine(line).size() + 1;
  if (line.key.empty()) {
    const std::size_t hash = std::hash<std::string>()(line.message);
    if (const auto known = times_.find(hash); known != times_.end()) {
      if (++known->second > kMaxRepeats) return ++repeated_, false;
    } else if (times_.size() < kMaxKnown) {
      times_.emplace(hash, 1);
    }
    if (line.level != Level::kDebug && line.level != Level::kWarn) return true;  // the run's own words
    if (plain_bytes_ + bytes > kMaxPlainBytes) return ++beyond_, false;
    plain_bytes_ += bytes;
    return true;
  }
  const std::size_t times = ++findings_[line.key];
  if (times > kMaxRepeats) return ++repeated_, false;
  if (times > 1 && finding_bytes_ + bytes > kMaxFindingBytes) return ++beyond_, false;
  finding_bytes_ += bytes;
  return true;
}

std::string LogLimit::LeftOut() const {
  std::string out;
  if (repeated_ > 0) {
    out = std::to_string(repeated_) + " repetitions of lines that are there " + std::to_string(kMaxRepeats) +
          " times already";
  }
  if (beyond_ > 0)
    out += std::string(out.empty() ? "" : ", and ") + std::to_string(beyond_) + " lines beyond the log's size";
  return out;
}

}  // namespace openseat::checker

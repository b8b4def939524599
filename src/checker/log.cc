#include "checker/log.h"

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
  static constexpr char kHex[] = "0123456789abcdef";
  const std::string message = SanitizeUtf8(line.message);
  for (const char c : message) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '\n') {
      out += "\\n";
    } else if (byte < 0x20 || byte == 0x7f) {
      out += "\\x";
      out += kHex[byte >> 4];
      out += kHex[byte & 15];
    } else {
      out += c;
    }
  }
  if (!line.key.empty()) out += " [" + line.key + "]";
  return out;
}

}  // namespace openseat::checker

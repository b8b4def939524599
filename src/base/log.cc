#include "base/log.h"

#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

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

spdlog::logger& Logger() {
  static const std::shared_ptr<spdlog::logger> logger = [] {
    auto made = spdlog::stderr_color_mt("openseat");
    made->set_pattern("%Y-%m-%dT%H:%M:%S.%eZ %^%-5l%$ %v", spdlog::pattern_time_type::utc);
    return made;
  }();
  return *logger;
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
  Logger().log(ToSpdlog(level), "{}", EscapeControls(line));
}

}  // namespace openseat::log

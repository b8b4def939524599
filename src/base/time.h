// Points in time and durations, in microseconds, and their ISO 8601 form.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace openseat {

using Duration = std::chrono::microseconds;
// Wall-clock time, UTC. For people and records; never for measuring.
using Time = std::chrono::sys_time<Duration>;
// A point on a clock that never jumps. For deadlines and measuring; meaningless after a restart.
using Instant = std::chrono::time_point<std::chrono::steady_clock, Duration>;

// "2026-11-20T21:33:30.123Z": milliseconds, UTC.
std::string FormatIso8601(Time time);
// Reads that form, also without the fraction or with up to six digits of it; nullopt for any other text.
std::optional<Time> ParseIso8601(std::string_view text);

}  // namespace openseat

#include "base/time.h"

#include <fmt/format.h>

#include "base/text.h"

namespace openseat {
namespace {

// The text as a pattern: '0' stands for a digit.
bool Matches(std::string_view text, std::string_view pattern) {
  if (text.size() != pattern.size()) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (pattern[i] == '0' ? !IsDigit(text[i]) : text[i] != pattern[i]) return false;
  }
  return true;
}

int Digits(std::string_view digits) {
  int number = 0;
  for (const char digit : digits) number = number * 10 + (digit - '0');
  return number;
}

}  // namespace

std::string FormatIso8601(Time time) {
  using std::chrono::duration_cast;
  const auto day = std::chrono::floor<std::chrono::days>(time);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss clock(std::chrono::floor<std::chrono::milliseconds>(time - day));
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()), clock.hours().count(),
                     clock.minutes().count(), clock.seconds().count(), clock.subseconds().count());
}

std::optional<Time> ParseIso8601(std::string_view text) {
  constexpr std::string_view kSeconds = "0000-00-00T00:00:00";
  constexpr std::string_view kFraction = ".000000";
  if (text.size() <= kSeconds.size() || text.back() != 'Z') return std::nullopt;
  const std::string_view fraction = text.substr(kSeconds.size(), text.size() - kSeconds.size() - 1);
  if (!Matches(text.substr(0, kSeconds.size()), kSeconds) || !Matches(fraction, kFraction.substr(0, fraction.size())) ||
      fraction.size() == 1) {
    return std::nullopt;
  }
  const auto number = [&](std::size_t at, std::size_t size) { return Digits(text.substr(at, size)); };
  const std::chrono::year_month_day date{std::chrono::year(number(0, 4)),
                                         std::chrono::month(static_cast<unsigned>(number(5, 2))),
                                         std::chrono::day(static_cast<unsigned>(number(8, 2)))};
  if (!date.ok() || number(11, 2) > 23 || number(14, 2) > 59 || number(17, 2) > 59) return std::nullopt;
  std::string micros(fraction.empty() ? fraction : fraction.substr(1));
  micros.resize(6, '0');
  return std::chrono::sys_days(date) + std::chrono::hours(number(11, 2)) + std::chrono::minutes(number(14, 2)) +
         std::chrono::seconds(number(17, 2)) + Duration(Digits(micros));
}

}  // namespace openseat

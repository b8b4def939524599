#include "schema/generate/generate_scalar.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <string_view>

#include "schema/numbers.h"

namespace openseat::schema {
namespace {

constexpr std::int64_t kLeastWhole = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kMostWhole = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kUsualSpan = 100;

std::int64_t AddCapped(std::int64_t a, std::int64_t b) {
  std::int64_t sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? (b < 0 ? kLeastWhole : kMostWhole) : sum;
}

std::int64_t FloorDiv(std::int64_t a, std::int64_t b) {
  return a / b - (a % b != 0 && a < 0 ? 1 : 0);
}

// The least common multiple of the integer divisors; 0 if it exceeds int64.
std::int64_t CommonMultiple(const std::vector<const json::Value*>& divisors) {
  std::int64_t common = 1;
  for (const json::Value* divisor : divisors) {
    const double real = AsDouble(*divisor);
    if (!json::IsInteger(*divisor) || real >= 0x1p62) return 0;
    const auto whole = static_cast<std::int64_t>(real);
    if (__builtin_mul_overflow(common / std::gcd(common, whole), whole, &common)) return 0;
  }
  return common;
}

std::optional<json::Value> GenerateWhole(const NumberRange& range, Rng& rng) {
  WholeBound low{kLeastWhole, false};
  WholeBound high{kMostWhole, false};
  if (range.lower.value != nullptr) low = LowerBound(*range.lower.value, range.lower.exclusive);
  if (range.upper.value != nullptr) high = UpperBound(*range.upper.value, range.upper.exclusive);
  if (low.never || high.never || low.whole > high.whole) return std::nullopt;
  // If one side is open: from 0 or the other side, for a typical range.
  std::int64_t from = low.whole;
  std::int64_t to = high.whole;
  const std::int64_t step = CommonMultiple(range.divisors);
  if (step == 0) return std::nullopt;
  const std::int64_t span = step > kMostWhole / kUsualSpan ? kMostWhole : step * kUsualSpan;
  if (range.lower.value == nullptr)
    from = range.upper.value == nullptr ? 0 : AddCapped(std::min<std::int64_t>(to, 0), -span);
  if (range.upper.value == nullptr) to = AddCapped(std::max<std::int64_t>(from, 0), span);
  if (step == 1) {
    if (rng.Chance(0.1)) return json::Value(rng.Chance(0.5) ? from : to);
    return json::Value(rng.Between(from, to));
  }
  const std::int64_t first = FloorDiv(from, step) + (from % step != 0 ? 1 : 0);
  const std::int64_t last = FloorDiv(to, step);
  if (first > last) return std::nullopt;
  return json::Value(rng.Between(first, last) * step);
}

// Integers between int64 and uint64's maximum, from the lower limit on.
std::optional<json::Value> GenerateUnsigned(const NumberRange& range, Rng& rng) {
  if (range.lower.value == nullptr || !range.lower.value->is_uint64() || !range.divisors.empty()) return std::nullopt;
  std::uint64_t from = range.lower.value->get_uint64();
  if (range.lower.exclusive && from == std::numeric_limits<std::uint64_t>::max()) return std::nullopt;
  if (range.lower.exclusive) ++from;
  std::uint64_t span = std::min<std::uint64_t>(kUsualSpan, std::numeric_limits<std::uint64_t>::max() - from);
  if (range.upper.value != nullptr && range.upper.value->is_uint64()) {
    const std::uint64_t to = range.upper.value->get_uint64() - (range.upper.exclusive ? 1 : 0);
    if (to < from) return std::nullopt;
    span = std::min(span, to - from);
  }
  return json::Value(from + rng.Below(span + 1));
}

// Doubles, including whole ones beyond int64.
std::optional<json::Value> GenerateReal(const NumberRange& range, bool whole, Rng& rng) {
  constexpr double kLargest = std::numeric_limits<double>::max();
  double from = range.lower.value != nullptr ? AsDouble(*range.lower.value) : -kLargest;
  double to = range.upper.value != nullptr ? AsDouble(*range.upper.value) : kLargest;
  const auto span = [](double at) { return std::max(100.0, std::fabs(at)); };
  if (range.lower.value == nullptr) from = range.upper.value == nullptr ? 0 : std::min(0.0, to - span(to));
  if (range.upper.value == nullptr) to = std::min(kLargest, from + span(from));
  if (range.lower.exclusive) from = std::nextafter(from, kLargest);
  if (range.upper.exclusive) to = std::nextafter(to, -kLargest);
  if (!(from <= to)) return std::nullopt;
  if (!range.divisors.empty()) {
    const double divisor = AsDouble(*range.divisors.front());
    const double first = std::ceil(from / divisor);
    const double last = std::floor(to / divisor);
    if (!(first <= last)) return std::nullopt;
    const double factor = std::floor(first + rng.Unit() * std::min(last - first + 1, 1e6));
    // The product with the divisor's number of decimals: 3 * 0.1 is 0.3.
    double product = std::min(factor, last) * divisor;
    const double scale = std::pow(10, std::ceil(-std::log10(divisor)) + 3);
    if (divisor < 1 && scale < 1e15 && std::fabs(product) < 1e15 / scale) product = std::round(product * scale) / scale;
    return json::Value(product);
  }
  if (rng.Chance(0.1)) return json::Value(rng.Chance(0.5) ? from : to);
  const double at = from / 2 + (to / 2 - from / 2) * rng.Unit();
  double real = std::clamp(at * 2, from, to);
  if (whole) real = std::trunc(real);
  // Few decimals if possible, for readability.
  for (const double scale : {10.0, 100.0, 10000.0}) {
    const double rounded = std::round(real * scale) / scale;
    if (rounded >= from && rounded <= to && rng.Chance(0.5)) return json::Value(rounded);
  }
  return json::Value(real);
}

std::string Label(Rng& rng) {
  return GenerateText(static_cast<std::size_t>(rng.Between(3, 8)), rng);
}

std::string Date(Rng& rng) {
  return fmt::format("{:04}-{:02}-{:02}", rng.Between(1970, 2069), rng.Between(1, 12), rng.Between(1, 28));
}
std::string Time(Rng& rng) {
  return fmt::format("{:02}:{:02}:{:02}Z", rng.Between(0, 23), rng.Between(0, 59), rng.Between(0, 59));
}

}  // namespace

double AsDouble(const json::Value& number) {
  if (const double* real = number.if_double()) return *real;
  if (const std::uint64_t* whole = number.if_uint64()) return static_cast<double>(*whole);
  return static_cast<double>(number.get_int64());
}

void NumberRange::NarrowLower(const json::Value& value, bool exclusive) {
  const int order = lower.value == nullptr ? 1 : CompareNumbers(value, *lower.value);
  if (order > 0 || (order == 0 && exclusive)) lower = {&value, exclusive};
}

void NumberRange::NarrowUpper(const json::Value& value, bool exclusive) {
  const int order = upper.value == nullptr ? -1 : CompareNumbers(value, *upper.value);
  if (order < 0 || (order == 0 && exclusive)) upper = {&value, exclusive};
}

std::optional<json::Value> GenerateNumber(const NumberRange& range, bool whole, Rng& rng) {
  const bool whole_divisors = CommonMultiple(range.divisors) != 0;
  if (whole_divisors && (whole || !range.divisors.empty() || rng.Chance(0.5))) {
    if (std::optional<json::Value> value = GenerateWhole(range, rng)) return value;
  }
  if (whole && !whole_divisors) {
    // Multiples of 0.5 and the like: whole numbers, then the caller's check.
    NumberRange without = range;
    without.divisors.clear();
    if (std::optional<json::Value> value = GenerateWhole(without, rng)) return value;
  }
  if (whole) {
    if (std::optional<json::Value> value = GenerateUnsigned(range, rng)) return value;
  }
  return GenerateReal(range, whole, rng);
}

std::string GenerateText(std::size_t count, Rng& rng) {
  std::string out;
  out.reserve(count);
  std::size_t word = 0;
  while (out.size() < count) {
    const bool breaks = word >= 4 && out.size() + 1 < count && rng.Chance(0.25);
    out.push_back(breaks ? ' ' : static_cast<char>('a' + rng.Below(26)));
    word = breaks ? 0 : word + 1;
  }
  return out;
}

std::string GenerateFormatted(Format format, Rng& rng) {
  const auto octet = [&] { return rng.Between(1, 254); };
  const auto host = [&] { return fmt::format("{}.example", Label(rng)); };
  switch (format) {
    case Format::kDateTime:
      return fmt::format("{}T{}", Date(rng), Time(rng));
    case Format::kDate:
      return Date(rng);
    case Format::kTime:
      return Time(rng);
    case Format::kDuration:
      return fmt::format("PT{}M", rng.Between(1, 600));
    case Format::kEmail:
    case Format::kIdnEmail:
      return fmt::format("{}@{}", Label(rng), host());
    case Format::kHostname:
    case Format::kIdnHostname:
      return host();
    case Format::kIpv4:
      return fmt::format("192.0.2.{}", octet());
    case Format::kIpv6:
      return fmt::format("2001:db8::{:x}:{:x}", octet(), octet());
    case Format::kUri:
    case Format::kIri:
      return fmt::format("https://{}/{}", host(), Label(rng));
    case Format::kUriReference:
    case Format::kIriReference:
      return fmt::format("/{}", Label(rng));
    case Format::kUuid:
      return fmt::format("{:08x}-{:04x}-4{:03x}-a{:03x}-{:012x}", rng.Below(1u << 31), rng.Below(1u << 16),
                         rng.Below(1u << 12), rng.Below(1u << 12), rng.Below(std::uint64_t{1} << 48));
    case Format::kUriTemplate:
      return fmt::format("/{}/{{{}}}", Label(rng), Label(rng));
    case Format::kJsonPointer:
      return fmt::format("/{}", Label(rng));
    case Format::kRelativeJsonPointer:
      return fmt::format("{}/{}", rng.Below(3), Label(rng));
    case Format::kRegex:
      return fmt::format("^{}$", Label(rng));
  }
  return "";
}

}  // namespace openseat::schema

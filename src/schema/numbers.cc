#include "schema/numbers.h"

#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <string_view>

namespace openseat::schema {
namespace {

constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();

template <typename T>
int Order(T a, T b) {
  return a < b ? -1 : a > b ? 1 : 0;
}

// Compares an integer with a double, without rounding the integer.
int CompareMixed(std::int64_t a, double b) {
  if (b >= 0x1p63) return -1;
  if (b < -0x1p63) return 1;
  const double whole = std::floor(b);
  const int order = Order(a, static_cast<std::int64_t>(whole));
  return order != 0 || whole == b ? order : -1;
}
int CompareMixed(std::uint64_t a, double b) {
  if (b >= 0x1p64) return -1;
  if (b < 0) return 1;
  const double whole = std::floor(b);
  const int order = Order(a, static_cast<std::uint64_t>(whole));
  return order != 0 || whole == b ? order : -1;
}

// digits * 10^exponent, digits without trailing zeros (0 has no digits and no exponent).
struct Decimal {
  std::uint64_t digits = 0;
  int exponent = 0;
};

Decimal Stripped(std::uint64_t digits, int exponent) {
  if (digits == 0) return {};
  for (; digits % 10 == 0; digits /= 10) ++exponent;
  return {digits, exponent};
}

// The sign does not matter for divisibility.
Decimal DecimalOf(const json::Value& number) {
  if (const std::int64_t* whole = number.if_int64()) {
    const std::uint64_t magnitude =
        *whole < 0 ? 0 - static_cast<std::uint64_t>(*whole) : static_cast<std::uint64_t>(*whole);
    return Stripped(magnitude, 0);
  }
  if (const std::uint64_t* whole = number.if_uint64()) return Stripped(*whole, 0);
  // The shortest text that reads back as the same double: at most 17 digits, "d.ddde±xx".
  std::array<char, 40> buffer{};
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), std::fabs(number.get_double()),
                                 std::chars_format::scientific);
  const std::string_view text(buffer.data(), static_cast<std::size_t>(end.ptr - buffer.data()));
  const std::size_t e = text.find('e');
  std::uint64_t digits = 0;
  int exponent = 0;
  for (std::size_t i = 0; i < e; ++i) {
    if (text[i] == '.') continue;
    digits = digits * 10 + static_cast<std::uint64_t>(text[i] - '0');
    if (i > 0) --exponent;
  }
  int written = 0;
  const bool plus = text[e + 1] == '+';
  std::from_chars(text.data() + e + (plus ? 2 : 1), text.data() + text.size(), written);
  return Stripped(digits, exponent + written);
}

std::uint64_t MultiplyModulo(std::uint64_t a, std::uint64_t b, std::uint64_t modulus) {
  __extension__ using Wide = unsigned __int128;
  return static_cast<std::uint64_t>(static_cast<Wide>(a) * b % modulus);
}

bool IsDecimalMultiple(const Decimal& number, const Decimal& divisor) {
  if (number.digits == 0) return true;
  const int shift = number.exponent - divisor.exponent;
  if (shift < 0) {
    // number = n * 10^-k * 10^e: ends in a place below the divisor's last, and n has no trailing zero to give.
    return false;
  }
  std::uint64_t remainder = number.digits % divisor.digits;
  std::uint64_t power = 10 % divisor.digits;
  for (auto left = static_cast<unsigned>(shift); left > 0; left /= 2) {
    if (left % 2 == 1) remainder = MultiplyModulo(remainder, power, divisor.digits);
    power = MultiplyModulo(power, power, divisor.digits);
  }
  return remainder == 0;
}

}  // namespace

int CompareNumbers(const json::Value& a, const json::Value& b) {
  if (const std::int64_t* left = a.if_int64()) {
    if (const std::int64_t* right = b.if_int64()) return Order(*left, *right);
    if (const double* right = b.if_double()) return CompareMixed(*left, *right);
    return *left < 0 ? -1 : Order(static_cast<std::uint64_t>(*left), b.get_uint64());
  }
  if (const std::uint64_t* left = a.if_uint64()) {
    if (const std::uint64_t* right = b.if_uint64()) return Order(*left, *right);
    if (const double* right = b.if_double()) return CompareMixed(*left, *right);
    return b.get_int64() < 0 ? 1 : Order(*left, static_cast<std::uint64_t>(b.get_int64()));
  }
  if (const double* right = b.if_double()) return Order(a.get_double(), *right);
  return -CompareNumbers(b, a);
}

bool IsMultipleOf(const json::Value& number, const json::Value& divisor) {
  if (divisor.is_int64()) {
    if (number.is_int64()) return number.get_int64() % divisor.get_int64() == 0;
    if (number.is_uint64()) return number.get_uint64() % static_cast<std::uint64_t>(divisor.get_int64()) == 0;
  }
  if (number.is_double() && !std::isfinite(number.get_double())) return false;
  return IsDecimalMultiple(DecimalOf(number), DecimalOf(divisor));
}

WholeBound LowerBound(const json::Value& limit, bool exclusive) {
  if (const std::int64_t* whole = limit.if_int64()) {
    if (!exclusive) return {*whole, false};
    return *whole == kMax ? WholeBound{0, true} : WholeBound{*whole + 1, false};
  }
  if (limit.is_uint64()) return {0, true};
  // A fraction, or a double that holds a whole number.
  const double real = limit.get_double();
  const double least = exclusive ? std::floor(real) : std::ceil(real);
  if (least >= 0x1p63) return {0, true};
  if (least < -0x1p63) return {kMin, false};
  return {static_cast<std::int64_t>(least) + (exclusive ? 1 : 0), false};
}

WholeBound UpperBound(const json::Value& limit, bool exclusive) {
  if (const std::int64_t* whole = limit.if_int64()) {
    if (!exclusive) return {*whole, false};
    return *whole == kMin ? WholeBound{0, true} : WholeBound{*whole - 1, false};
  }
  if (limit.is_uint64()) return {kMax, false};
  const double real = limit.get_double();
  const double most = exclusive ? std::ceil(real) : std::floor(real);
  if (most >= 0x1p63) return {kMax, false};
  if (most < -0x1p63 || (exclusive && most == -0x1p63)) return {0, true};
  return {static_cast<std::int64_t>(most) - (exclusive ? 1 : 0), false};
}

double RealLowerBound(const json::Value& limit, bool exclusive) {
  const double near = limit.to_number<double>();
  const int order = CompareNumbers(json::Value(near), limit);
  return order < 0 || (exclusive && order == 0) ? std::nextafter(near, std::numeric_limits<double>::infinity()) : near;
}

double RealUpperBound(const json::Value& limit, bool exclusive) {
  const double near = limit.to_number<double>();
  const int order = CompareNumbers(json::Value(near), limit);
  return order > 0 || (exclusive && order == 0) ? std::nextafter(near, -std::numeric_limits<double>::infinity()) : near;
}

}  // namespace openseat::schema

#include "checker/fake.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>

#include "base/text.h"
#include "checker/fake_kind.h"
#include "checker/fake_text.h"
#include "schema/generate/generate.h"

namespace openseat::checker {
namespace {

constexpr std::uint64_t kMaxText = 4'000;  // code points; longer texts are left to Generate
constexpr int kDraws = 12;                 // tries to get a text of the right length
constexpr int kStyles = 7;                 // ways to write a text, to match a pattern
constexpr int kTries = 4 * kStyles;
constexpr double kOptionalProperty = 0.75;

std::uint64_t Length(std::string_view text) {
  return static_cast<std::uint64_t>(std::ranges::count_if(text, [](char c) { return (c & 0xc0) != 0x80; }));
}

// The first `count` code points.
std::string_view Head(std::string_view text, std::uint64_t count) {
  std::size_t at = 0;
  while (count-- > 0 && at < text.size()) at += std::max<std::size_t>(Utf8CharLength(text.substr(at)), 1);
  return text.substr(0, at);
}

bool Fits(std::string_view text, const schema::Blank& blank) {
  const std::uint64_t length = Length(text);
  return length >= blank.min_length && length <= blank.max_length;
}

// Adds more of the kind, or cuts, at the end of a word if enough remains.
std::string Fitted(std::string text, FakeKind kind, const schema::Blank& blank, Rng& rng) {
  while (Length(text) < blank.min_length) text += (text.empty() ? "" : " ") + FakeText(kind, rng);
  if (Length(text) <= blank.max_length) return text;
  const std::string_view head = Head(text, blank.max_length);
  const std::size_t space = text[head.size()] == ' ' ? head.size() : head.rfind(' ');
  if (space != std::string_view::npos && space > 0 && Length(head.substr(0, space)) >= blank.min_length) {
    return std::string(head.substr(0, space));
  }
  return std::string(head);
}

// Keeps ASCII letters and digits; anything else becomes `gap`, at most one in a row.
std::string Joined(std::string_view text, std::string_view gap) {
  std::string out;
  bool open = false;
  for (const char c : text) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) {
      open = !out.empty();
      continue;
    }
    if (open) out += gap;
    open = false;
    out += c;
  }
  return out;
}

std::string Mapped(std::string text, int (*map)(int)) {
  for (char& c : text) {
    if (static_cast<unsigned char>(c) < 0x80) c = static_cast<char>(map(static_cast<unsigned char>(c)));
  }
  return text;
}

// Spellings that a pattern may require: "The Old Lamp", "the old lamp", "the_old_lamp" …
std::string Styled(std::string text, int style) {
  switch (style) {
    case 1:
      return Mapped(std::move(text), std::tolower);
    case 2:
      return Mapped(Joined(text, "_"), std::tolower);
    case 3:
      return Joined(text, "");
    case 4:
      return Mapped(Joined(text, ""), std::tolower);
    case 5:
      return Mapped(Joined(text, "-"), std::tolower);
    case 6:
      return Mapped(Joined(text, ""), std::toupper);
    default:
      return text;
  }
}

std::optional<json::Value> TextFor(const schema::Blank& blank, FakeKind kind, Rng& rng) {
  if (blank.min_length > kMaxText || blank.min_length > blank.max_length) return std::nullopt;
  const int style = blank.has_pattern ? blank.attempt % kStyles : 0;
  std::string text;
  for (int draw = 0; draw < kDraws; ++draw) {
    text = Styled(FakeText(kind, rng), style);
    if (Fits(text, blank)) break;
  }
  if (!Fits(text, blank)) {
    if (IsRigid(kind)) return std::nullopt;
    text = Fitted(std::move(text), kind, blank, rng);
    if (style != 0) text = std::string(Head(Styled(std::move(text), style), blank.max_length));
  }
  return json::Value(boost::json::string_view(text));
}

std::optional<json::Value> NumberFor(const schema::Blank& blank, FakeKind kind, Rng& rng) {
  const FakeRange range = RangeOf(kind);
  double low = range.low;
  double high = range.high;
  if (blank.minimum && *blank.minimum > low) {
    // For an open range, a part as wide as the usual one.
    if (!blank.maximum && *blank.minimum > high) high = *blank.minimum + (high - low);
    low = *blank.minimum;
  }
  if (blank.maximum && *blank.maximum < high) {
    if (!blank.minimum && *blank.maximum < low) low = *blank.maximum - (high - low);
    high = *blank.maximum;
  }
  if (!(low <= high)) return std::nullopt;
  const double at = low + (high - low) * rng.Unit();
  const double scale = blank.may_be_fraction ? std::pow(10.0, range.decimals) : 1.0;
  const double rounded = std::clamp(std::round(at * scale) / scale, low, high);
  constexpr double kExact = 9.0e15;  // doubles below this hold whole numbers exactly
  if (blank.may_be_integer && rounded == std::trunc(rounded) && std::fabs(rounded) < kExact) {
    return json::Value(static_cast<std::int64_t>(rounded));
  }
  if (!blank.may_be_fraction) return std::nullopt;
  return json::Value(rounded);
}

}  // namespace

Result<json::Value> FakeData(const schema::Schema& schema, std::string_view action_name, Rng& rng) {
  const Rng before = rng;
  schema::GenerateOptions options;
  options.optional_property = kOptionalProperty;
  options.max_suggestions = kTries;
  options.suggest = [&](const schema::Blank& blank, Rng& random) -> std::optional<json::Value> {
    const FakeKind kind = KindOf(blank.path, action_name, blank.Text("format"));
    const bool may_be_number = blank.may_be_integer || blank.may_be_fraction;
    if (may_be_number && (!blank.may_be_string || IsNumeric(kind))) return NumberFor(blank, kind, random);
    if (blank.may_be_string) return TextFor(blank, kind, random);
    return std::nullopt;
  };
  if (Result<json::Value> value = schema::Generate(schema, rng, options)) return value;
  rng = before;
  return schema::Generate(schema, rng);
}

}  // namespace openseat::checker

// JSON: values are Boost.JSON's, read by simdjson (exact doubles, fast) and written by a small writer of our own
// (shortest doubles, ASCII, one line). Numbers are read as int64, uint64 or double; an integer beyond 64 bits becomes
// the nearest double, and a number beyond the range of doubles is a parse error.
#pragma once

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/storage_ptr.hpp>
#include <boost/json/string.hpp>
#include <boost/json/value.hpp>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/text.h"

namespace openseat::json {

using Value = boost::json::value;
using Object = boost::json::object;
using Array = boost::json::array;
using String = boost::json::string;
using Storage = boost::json::storage_ptr;
using Kind = boost::json::kind;

struct Limits {
  std::size_t max_bytes = 16u << 20;
  std::size_t max_depth = 128;  // nesting of arrays and objects (an innermost empty one does not count)
  // Values of all kinds, arrays and objects included; member names do not count. The size in bytes does not bound the
  // cost of a text: a megabyte of numbers makes half a million values, and takes a hundred times as long as a megabyte
  // of one string.
  std::size_t max_values = std::numeric_limits<std::size_t>::max();
};
// For JSON within a text of a message: the message was counted with the text as one value.
inline constexpr Limits kInnerLimits{.max_values = 10'000};

// Whether `text` holds more than `most` values, as max_values counts them. The answer may be either if `text` is not
// JSON. Builds nothing: takes some milliseconds for megabytes, and no time for a text that is too short to hold so
// many.
bool HoldsMoreValues(std::string_view text, std::size_t most);

// Reads exactly one JSON value (UTF-8, no byte order mark) into memory of `storage`. If a name occurs twice in an
// object, the last one counts. Errors: kParse with what was wrong, kTooLarge.
Result<Value> Parse(std::string_view text, const Limits& limits = {}, Storage storage = {});

// Appends `value` as one line of ASCII ("é" becomes "\u00e9"); each double is written in the shortest form that reads
// back as the same double. NaN and infinity, which no parsed value contains, become null.
void Write(const Value& value, std::string& out);
std::string Write(const Value& value);
// For messages: what Write writes, cut like Ellipsize. The rest of the value is never looked at, so it costs nothing.
std::string Excerpt(const Value& value, std::size_t max_bytes = kQuotedBytes);
// Appends a string with its quotes, escaped as Write does. Bytes that are not valid UTF-8 become U+FFFD.
void WriteString(std::string_view text, std::string& out);
void WriteNumber(double number, std::string& out);
void WriteNumber(std::int64_t number, std::string& out);
void WriteNumber(std::uint64_t number, std::string& out);
// For people: indented by two spaces a level, UTF-8 left as it is.
std::string WritePretty(const Value& value);

// "object", "array", "string", "integer", "number", "boolean" or "null": the word for messages. 1.0 is an integer.
std::string_view TypeName(const Value& value);
// Equality as defined by JSON Schema: numbers by value (1 equals 1.0), objects without order.
bool Equal(const Value& a, const Value& b);
// Whether the value is a number without a fraction.
bool IsInteger(const Value& value);

// The member, or nullptr if `value` is not an object or has no such member.
const Value* Find(const Value& value, std::string_view name);
const Value* Find(const Object& object, std::string_view name);

inline std::string_view View(const String& text) {
  return {text.data(), text.size()};
}
// For a member's name: without this overload, a copy would be made and destroyed before it is read.
inline std::string_view View(boost::json::string_view text) {
  return {text.data(), text.size()};
}

inline std::string_view KeyOf(const boost::json::key_value_pair& member) {
  return View(member.key());
}

// The text of a member; "" if `value` is not an object, has no such member, or the member is not a string. Valid as
// long as the value.
std::string_view TextOf(const Value& value, std::string_view name);
std::string_view TextOf(const Object& object, std::string_view name);
inline std::string_view TextOf(const Object* object, std::string_view name) {
  return object == nullptr ? std::string_view() : TextOf(*object, name);
}

}  // namespace openseat::json

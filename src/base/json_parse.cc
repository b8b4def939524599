#include <simdjson.h>

#include <algorithm>
#include <array>
#include <boost/json/value_stack.hpp>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>

#include "base/check.h"
#include "base/json.h"

namespace openseat::json {
namespace {

// Values in the order of the text, each made once, where an array or object takes them from.
using Stack = boost::json::value_stack;

// The parser's own limit bounds the depth, and so this recursion. Of members with one name, the last one counts.
void Push(const simdjson::dom::element& element, Stack& stack) {
  switch (element.type()) {
    case simdjson::dom::element_type::ARRAY: {
      const simdjson::dom::array source = element.get_array().value_unsafe();
      std::size_t size = 0;
      for (const simdjson::dom::element child : source) {
        Push(child, stack);
        ++size;
      }
      return stack.push_array(size);
    }
    case simdjson::dom::element_type::OBJECT: {
      const simdjson::dom::object source = element.get_object().value_unsafe();
      std::size_t size = 0;
      for (const auto field : source) {
        stack.push_key(field.key);
        Push(field.value, stack);
        ++size;
      }
      return stack.push_object(size);
    }
    case simdjson::dom::element_type::STRING:
      return stack.push_string(element.get_string().value_unsafe());
    case simdjson::dom::element_type::INT64:
      return stack.push_int64(element.get_int64().value_unsafe());
    case simdjson::dom::element_type::UINT64:
      return stack.push_uint64(element.get_uint64().value_unsafe());
    case simdjson::dom::element_type::DOUBLE:
      return stack.push_double(element.get_double().value_unsafe());
    case simdjson::dom::element_type::BOOL:
      return stack.push_bool(element.get_bool().value_unsafe());
    case simdjson::dom::element_type::NULL_VALUE:
      return stack.push_null();
  }
  CheckFailed("element.type()", __FILE__, __LINE__, "simdjson has no other kind of element");
}

Value Convert(const simdjson::dom::element& root, Storage storage) {
  alignas(Value) std::array<unsigned char, 2048>
      buffer;  // NOLINT(cppcoreguidelines-pro-type-member-init): the stack writes first
  Stack stack({}, buffer.data(), buffer.size());
  stack.reset(std::move(storage));
  Push(root, stack);
  return stack.release();
}

std::string Describe(simdjson::error_code error) {
  switch (error) {
    case simdjson::EMPTY:
      return "expected a JSON value, got nothing";
    case simdjson::UTF8_ERROR:
      return "the text is not valid UTF-8";
    case simdjson::UNCLOSED_STRING:
      return "a string is not closed";
    case simdjson::UNESCAPED_CHARS:
      return "a string holds a control character that is not escaped";
    case simdjson::STRING_ERROR:
      return "a string is malformed (a bad escape?)";
    case simdjson::NUMBER_ERROR:
      return "a number is malformed or too large";
    case simdjson::T_ATOM_ERROR:
    case simdjson::F_ATOM_ERROR:
    case simdjson::N_ATOM_ERROR:
      return "a bare word is not true, false or null";
    case simdjson::INCOMPLETE_ARRAY_OR_OBJECT:
      return "an array or object is not closed";
    case simdjson::TAPE_ERROR:
      return "the structure is malformed (a missing or surplus comma, colon, quote or bracket)";
    default:
      return simdjson::error_message(error);
  }
}

// simdjson refuses integers beyond 64 bits, and reads doubles of any length: 10000000000000000000000 becomes
// 10000000000000000000000.0.
std::string WithLongIntegersAsDoubles(std::string_view text) {
  constexpr std::size_t kDigits = 19;  // fewer digits fit into 64 bits
  std::string out;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size();) {
    const char c = text[i];
    if (in_string || (c != '-' && (c < '0' || c > '9'))) {
      if (in_string && c == '\\' && i + 1 < text.size()) out += text[i++];
      if (c == '"') in_string = !in_string;
      out += text[i++];
      continue;
    }
    // Byte by byte: find_first_not_of calls memchr for each.
    bool whole = true;
    std::size_t end = i;
    for (; end < text.size(); ++end) {
      const char digit = text[end];
      if (digit == '-' || (digit >= '0' && digit <= '9')) continue;
      if (digit != '+' && digit != '.' && digit != 'E' && digit != 'e') break;
      whole = false;
    }
    out += text.substr(i, end - i);
    if (whole && end - i >= kDigits) out += ".0";
    i = end;
  }
  return out;
}

// An upper bound on the number of values that `text` can hold, from its commas and brackets at any position. Added up
// in bytes, block by block, so that the compiler emits vector instructions.
std::size_t MostValues(std::string_view text) {
  constexpr std::size_t kBlock = 192;  // less than a byte can count
  std::size_t most = 1;
  for (; !text.empty(); text.remove_prefix(std::min(kBlock, text.size()))) {
    std::uint8_t found = 0;
    for (const char c : text.substr(0, kBlock)) {
      found = static_cast<std::uint8_t>(found + (c == ',') + (c == '[') + (c == '{'));
    }
    most += found;
  }
  return most;
}

// Where the string ends whose first byte after the quote is `at`: at its closing quote, or at the end of the text.
std::size_t EndOfString(std::string_view text, std::size_t at) {
  for (std::size_t end = text.find('"', at); end != std::string_view::npos; end = text.find('"', end + 1)) {
    std::size_t escape = end;
    while (escape > at && text[escape - 1] == '\\') --escape;
    if ((end - escape) % 2 == 0) return end;
    at = end;
  }
  return text.size();
}

}  // namespace

bool HoldsMoreValues(std::string_view text, std::size_t most) {
  // Each value but the first takes a byte, and the comma or bracket before it.
  if (text.size() / 2 < most || MostValues(text) <= most) return false;
  std::size_t values = 1;
  bool opened = false;  // a bracket that nothing has followed yet
  for (std::size_t i = 0; i < text.size() && values <= most; ++i) {
    const char c = text[i];
    if (c == ' ' || c == '\n' || c == '\r' || c == '\t') continue;
    if (std::exchange(opened, false) && c != ']' && c != '}') ++values;
    if (c == ',') {
      ++values;
    } else if (c == '[' || c == '{') {
      opened = true;
    } else if (c == '"') {
      i = EndOfString(text, i + 1);
    }
  }
  return values > most;
}

Result<Value> Parse(std::string_view text, const Limits& limits, Storage storage) {
  if (text.size() > limits.max_bytes) {
    return Fail(ErrorCode::kTooLarge, "JSON may have at most " + std::to_string(limits.max_bytes) + " bytes; got " +
                                          std::to_string(text.size()));
  }
  if (HoldsMoreValues(text, limits.max_values)) {
    return Fail(ErrorCode::kTooLarge, "JSON may hold at most " + std::to_string(limits.max_values) +
                                          " values (arrays and objects included); got more");
  }
  // An empty view may have a null pointer, which simdjson would pass to memcpy.
  if (text.empty()) return Fail(ErrorCode::kParse, "not valid JSON: " + Describe(simdjson::EMPTY));
  static thread_local simdjson::dom::parser parser;
  if (parser.max_depth() != limits.max_depth + 1 || parser.capacity() < text.size()) {
    const std::size_t capacity = std::max<std::size_t>(text.size(), 4096);
    if (parser.allocate(capacity, limits.max_depth + 1) != simdjson::SUCCESS) {
      return Fail(ErrorCode::kTooLarge, "no memory to parse JSON of this size");
    }
  }
  simdjson::dom::element root;
  const simdjson::error_code error = parser.parse(text.data(), text.size()).get(root);
  if (error == simdjson::DEPTH_ERROR) {
    return Fail(ErrorCode::kTooLarge,
                "JSON may be nested at most " + std::to_string(limits.max_depth) + " levels deep");
  }
  if (error == simdjson::NUMBER_ERROR) {
    if (const std::string doubles = WithLongIntegersAsDoubles(text); doubles.size() > text.size()) {
      Limits wider = limits;
      wider.max_bytes = doubles.size();
      return Parse(doubles, wider, storage);
    }
  }
  if (error != simdjson::SUCCESS) return Fail(ErrorCode::kParse, "not valid JSON: " + Describe(error));
  return Convert(root, std::move(storage));
}

const Value* Find(const Object& object, std::string_view name) {
  return object.if_contains(name);
}

const Value* Find(const Value& value, std::string_view name) {
  const Object* object = value.if_object();
  return object == nullptr ? nullptr : object->if_contains(name);
}

std::string_view TextOf(const Value& value, std::string_view name) {
  return value.is_object() ? TextOf(value.get_object(), name) : std::string_view();
}

std::string_view TextOf(const Object& object, std::string_view name) {
  const Value* text = Find(object, name);
  return text != nullptr && text->is_string() ? View(text->get_string()) : std::string_view();
}

bool IsInteger(const Value& value) {
  if (value.is_int64() || value.is_uint64()) return true;
  const double* number = value.if_double();
  return number != nullptr && std::isfinite(*number) && std::trunc(*number) == *number;
}

std::string_view TypeName(const Value& value) {
  switch (value.kind()) {
    case Kind::null:
      return "null";
    case Kind::bool_:
      return "boolean";
    case Kind::int64:
    case Kind::uint64:
      return "integer";
    case Kind::double_:
      return IsInteger(value) ? "integer" : "number";
    case Kind::string:
      return "string";
    case Kind::array:
      return "array";
    case Kind::object:
      return "object";
  }
  CheckFailed("value.kind()", __FILE__, __LINE__, "Boost.JSON has no other kind of value");
}

namespace {

bool EqualNumbers(const Value& a, const Value& b) {
  if (a.is_double() || b.is_double()) {
    // An integer beyond 2^53 equals a double only if it converts to the double and back.
    if (a.is_double() && b.is_double()) return a.get_double() == b.get_double();
    const double real = a.is_double() ? a.get_double() : b.get_double();
    const Value& whole = a.is_double() ? b : a;
    if (!std::isfinite(real) || std::trunc(real) != real) return false;
    if (whole.is_int64()) {
      return real >= -0x1.0p63 && real < 0x1.0p63 && static_cast<std::int64_t>(real) == whole.get_int64();
    }
    return real >= 0 && real < 0x1.0p64 && static_cast<std::uint64_t>(real) == whole.get_uint64();
  }
  if (a.is_int64() && b.is_int64()) return a.get_int64() == b.get_int64();
  if (a.is_uint64() && b.is_uint64()) return a.get_uint64() == b.get_uint64();
  const std::int64_t with_sign = a.is_int64() ? a.get_int64() : b.get_int64();
  const std::uint64_t without = a.is_int64() ? b.get_uint64() : a.get_uint64();
  return with_sign >= 0 && static_cast<std::uint64_t>(with_sign) == without;
}

}  // namespace

bool Equal(const Value& a, const Value& b) {
  if (a.is_number() && b.is_number()) return EqualNumbers(a, b);
  if (a.kind() != b.kind()) return false;
  switch (a.kind()) {
    case Kind::bool_:
      return a.get_bool() == b.get_bool();
    case Kind::string:
      return a.get_string() == b.get_string();
    case Kind::array: {
      const Array& left = a.get_array();
      const Array& right = b.get_array();
      if (left.size() != right.size()) return false;
      for (std::size_t i = 0; i < left.size(); ++i) {
        if (!Equal(left[i], right[i])) return false;
      }
      return true;
    }
    case Kind::object: {
      const Object& left = a.get_object();
      const Object& right = b.get_object();
      if (left.size() != right.size()) return false;
      for (const auto& member : left) {
        const Value* other = right.if_contains(member.key());
        if (other == nullptr || !Equal(member.value(), *other)) return false;
      }
      return true;
    }
    default:
      return true;  // null
  }
}

}  // namespace openseat::json

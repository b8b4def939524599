#include "schema/measure.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

namespace openseat::schema {
namespace {

// How many bytes json::WriteString makes of one: all of a character count with its first one.
constexpr std::array<std::uint8_t, 256> MakeWritten() {
  constexpr std::uint8_t kEscape = 6;  // \u007f
  std::array<std::uint8_t, 256> written{};
  written.fill(1);
  for (std::size_t c = 0; c < 0x20; ++c) written[c] = kEscape;
  for (const char c : {'"', '\\', '\n', '\r', '\t'}) written[static_cast<unsigned char>(c)] = 2;
  written[0x7F] = kEscape;
  for (std::size_t c = 0x80; c < 0xC0; ++c) written[c] = 0;
  for (std::size_t c = 0xC0; c < 0xF0; ++c) written[c] = kEscape;
  for (std::size_t c = 0xF0; c < 0x100; ++c) written[c] = 2 * kEscape;
  return written;
}
constexpr std::array<std::uint8_t, 256> kWritten = MakeWritten();

std::size_t LengthOf(std::uint64_t number) {
  std::size_t digits = 1;
  for (; number >= 10; number /= 10) ++digits;
  return digits;
}

// Of what is neither a string nor an array nor an object.
std::size_t WrittenScalar(const json::Value& value) {
  constexpr std::size_t kLongestDouble = 24;
  if (const std::int64_t* whole = value.if_int64()) {
    const auto bits = static_cast<std::uint64_t>(*whole);
    return *whole < 0 ? 1 + LengthOf(~bits + 1) : LengthOf(bits);
  }
  if (const std::uint64_t* whole = value.if_uint64()) return LengthOf(*whole);
  return value.is_double() ? kLongestDouble : 5;
}

}  // namespace

std::size_t WrittenBytes(std::string_view text) {
  std::size_t bytes = 2;
  for (const char c : text) bytes += kWritten[static_cast<unsigned char>(c)];
  return bytes;
}

std::size_t WrittenBytes(const json::Value& value, std::size_t most) {
  std::size_t bytes = 0;
  // A text is written at its own length at least.
  const auto add = [&](std::string_view text) {
    bytes += bytes + text.size() > most ? text.size() + 2 : WrittenBytes(text);
  };
  std::vector<const json::Value*> open{&value};
  while (!open.empty() && bytes <= most) {
    const json::Value* at = open.back();
    open.pop_back();
    if (const json::String* text = at->if_string()) {
      add(json::View(*text));
    } else if (const json::Array* array = at->if_array()) {
      bytes += 2 + array->size();
      if (bytes > most) break;
      for (const json::Value& item : *array) open.push_back(&item);
    } else if (const json::Object* object = at->if_object()) {
      bytes += 2 + 2 * object->size();
      for (const auto& member : *object) {
        if (bytes > most) break;
        add(json::KeyOf(member));
        open.push_back(&member.value());
      }
    } else {
      bytes += WrittenScalar(*at);
    }
  }
  return bytes;
}

Measure MeasureValue(const json::Value& value, const Measure& limits) {
  Measure measure;
  std::vector<std::pair<const json::Value*, std::size_t>> open{{&value, 1}};
  while (!open.empty()) {
    const auto [at, depth] = open.back();
    open.pop_back();
    ++measure.nodes;
    measure.bytes += 2;
    if (const json::String* text = at->if_string()) {
      measure.bytes += text->size();
    } else if (const json::Array* array = at->if_array()) {
      measure.depth = std::max(measure.depth, depth);
      for (const json::Value& item : *array) open.emplace_back(&item, depth + 1);
    } else if (const json::Object* object = at->if_object()) {
      measure.depth = std::max(measure.depth, depth);
      for (const auto& member : *object) {
        measure.bytes += member.key().size() + 3;
        open.emplace_back(&member.value(), depth + 1);
      }
    } else {
      measure.bytes += 4;
    }
    if (measure.bytes > limits.bytes || measure.nodes > limits.nodes || measure.depth > limits.depth) break;
  }
  return measure;
}

Measure MeasureAll(const json::Value& value) {
  constexpr std::size_t kNoLimit = std::numeric_limits<std::size_t>::max();
  return MeasureValue(value, {kNoLimit, kNoLimit, kNoLimit});
}

std::size_t MemoryOf(const json::Value& value) {
  constexpr std::size_t kOfValue = 64;
  const Measure measure = MeasureAll(value);
  return measure.bytes + measure.nodes * kOfValue;
}

}  // namespace openseat::schema

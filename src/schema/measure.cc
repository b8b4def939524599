#include "schema/measure.h"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

namespace openseat::schema {

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

#include "schema/inspect.h"

#include <limits>
#include <utility>

#include "base/json.h"
#include "schema/keywords.h"
#include "schema/measure.h"

namespace openseat::schema {
namespace {

constexpr std::uint64_t kStepsOfValue = 12;

struct Open {
  const json::Value* schema;
  PathId path;
  std::uint32_t data_depth;
};

// Appends the schemas inside the keyword's value.
void Children(const KeywordInfo& keyword, const json::Value& value, const Open& parent, Paths& paths,
              std::vector<Open>& out) {
  const bool holds_data = keyword.name == "properties" || keyword.name == "items";
  const std::uint32_t data_depth = parent.data_depth + (holds_data ? 1 : 0);
  const auto add = [&](const json::Value& child, auto... steps) {
    if (!child.is_object() && !child.is_bool()) return;
    PathId path = parent.path;
    ((path = paths.Add(path, steps)), ...);
    out.push_back({&child, path, data_depth});
  };
  switch (keyword.shape) {
    case Shape::kSchema:
      add(value, keyword.name);
      break;
    case Shape::kSchemaArray:
      if (const json::Array* array = value.if_array()) {
        for (std::size_t i = 0; i < array->size(); ++i) add((*array)[i], keyword.name, i);
      }
      break;
    case Shape::kSchemaMap:
    case Shape::kPatternMap:
    case Shape::kDependencies:
      if (const json::Object* object = value.if_object()) {
        for (const auto& member : *object) add(member.value(), keyword.name, json::KeyOf(member));
      }
      break;
    default:
      break;
  }
}

}  // namespace

std::map<std::string_view, std::size_t> Inspection::Counts() const {
  std::map<std::string_view, std::size_t> counts;
  for (const KeywordUse& use : uses) ++counts[use.keyword];
  return counts;
}

const KeywordUse* Inspection::FirstUse(std::string_view keyword) const {
  for (const KeywordUse& use : uses) {
    if (use.keyword == keyword) return &use;
  }
  return nullptr;
}

Result<Inspection> Inspect(const json::Value& source, Budget& budget) {
  Inspection out;
  constexpr std::size_t kNoLimit = std::numeric_limits<std::size_t>::max();
  // Each value is measured and, if it is a keyword, recorded.
  const Measure measure = MeasureValue(source, {kNoLimit, budget.left() / kStepsOfValue, kNoLimit});
  if (!budget.Spend(measure.nodes * kStepsOfValue)) return Fail(budget.Exceeded("be inspected"));
  out.bytes = measure.bytes;
  out.nodes = measure.nodes;
  out.max_depth = measure.depth;
  out.is_schema = source.is_object() || source.is_bool();
  if (!out.is_schema) return out;
  if (const json::Value* type = json::Find(source, "type")) {
    if (type->is_string()) out.root_types.emplace_back(json::View(type->get_string()));
    if (const json::Array* types = type->if_array()) {
      for (const json::Value& name : *types) {
        if (name.is_string()) out.root_types.emplace_back(json::View(name.get_string()));
      }
    }
  }
  // A stack whose top is the next in document order.
  std::vector<Open> open{{&source, out.paths.AddRoot(""), 0}};
  while (!open.empty()) {
    const Open at = open.back();
    open.pop_back();
    ++out.subschemas;
    const json::Object* object = at.schema->if_object();
    if (object == nullptr) continue;
    std::vector<Open> children;
    for (const auto& member : *object) {
      const KeywordInfo* keyword = FindKeyword(json::KeyOf(member));
      const KeywordUse use{json::KeyOf(member), object, at.path, at.data_depth};
      if (keyword == nullptr) {
        out.unknown.push_back(use);
        continue;
      }
      Children(*keyword, member.value(), at, out.paths, children);
      out.uses.push_back(use);
    }
    while (!children.empty()) {
      open.push_back(children.back());
      children.pop_back();
    }
  }
  return out;
}

}  // namespace openseat::schema

#include <algorithm>
#include <charconv>

#include "schema/formats/uri.h"
#include "schema/providers/project.h"

namespace openseat::schema {
namespace {

// Whether the schema names the violation's member as optional. A reference on the path hides which schema
// names it; then it may be optional.
bool MayBeLeftOut(const json::Value& source, const Violation& violation, const std::string& name) {
  if (violation.keyword == "additionalProperties" || violation.keyword == "unevaluatedProperties" ||
      violation.keyword == "propertyNames" || violation.keyword == "false") {
    return false;
  }
  const auto path = SplitPointer(violation.schema_pointer);
  if (!path) return true;
  std::size_t at = path->size();
  while (at >= 2 && ((*path)[at - 2] != "properties" || (*path)[at - 1] != name)) --at;
  if (at < 2) {
    return std::ranges::none_of(
        *path, [](const std::string& step) { return step == "additionalProperties" || step == "patternProperties"; });
  }
  const json::Value* holder = &source;
  for (std::size_t i = 0; i + 2 < at && holder != nullptr; ++i) {
    const json::Array* list = holder->if_array();
    std::size_t index = 0;
    const std::string& step = (*path)[i];
    if (list == nullptr) {
      holder = json::Find(*holder, step);
    } else {
      const auto read = std::from_chars(step.data(), step.data() + step.size(), index);
      holder = read.ec == std::errc() && index < list->size() ? &(*list)[index] : nullptr;
    }
  }
  const json::Value* required = holder == nullptr ? nullptr : json::Find(*holder, "required");
  const json::Array* names = required == nullptr ? nullptr : required->if_array();
  return names == nullptr || std::ranges::find(*names, json::Value(name)) == names->end();
}

}  // namespace

void Unproject(const Schema& schema, json::Value& answer, Budget& budget) {
  constexpr int kRounds = 16;           // removing nulls from an answer reveals deeper ones
  constexpr std::size_t kAtOnce = 256;  // violations examined per round
  for (int round = 0; round < kRounds; ++round) {
    bool removed = false;
    for (const Violation& violation : schema.Validate(answer, budget, kAtOnce)) {
      const auto tokens = SplitPointer(violation.instance_pointer);
      if (!tokens || tokens->empty()) continue;
      json::Value* parent = &answer;
      for (std::size_t i = 0; i + 1 < tokens->size() && parent != nullptr; ++i) {
        if (json::Object* object = parent->if_object()) {
          parent = object->if_contains((*tokens)[i]);
        } else if (json::Array* list = parent->if_array()) {
          const std::size_t index = std::stoul((*tokens)[i]);
          parent = index < list->size() ? &(*list)[index] : nullptr;
        } else {
          parent = nullptr;
        }
      }
      json::Object* object = parent == nullptr ? nullptr : parent->if_object();
      const json::Value* member = object == nullptr ? nullptr : object->if_contains(tokens->back());
      if (member == nullptr || !member->is_null()) continue;
      if (!MayBeLeftOut(schema.source(), violation, tokens->back())) continue;
      object->erase(tokens->back());
      removed = true;
    }
    if (!removed) return;
  }
}

}  // namespace openseat::schema

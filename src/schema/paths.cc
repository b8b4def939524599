#include "schema/paths.h"

#include <utility>

namespace openseat::schema {

PathId Paths::AddRoot(std::string prefix) {
  prefixes_.push_back(std::move(prefix));
  return AddStep({nullptr, static_cast<std::uint32_t>(prefixes_.size() - 1), kNothing});
}

PathId Paths::Add(PathId before, std::string_view name) {
  // An empty view may have a null pointer, which would make it an index.
  if (name.data() == nullptr) name = "";
  return AddStep({name.data(), static_cast<std::uint32_t>(name.size()), static_cast<std::uint32_t>(before)});
}

PathId Paths::Add(PathId before, std::size_t index) {
  return AddStep({nullptr, static_cast<std::uint32_t>(index), static_cast<std::uint32_t>(before)});
}

PathId Paths::AddStep(const Step& step) {
  steps_.push_back(step);
  return static_cast<PathId>(steps_.size() - 1);
}

std::string Paths::PointerOf(PathId path) const {
  std::vector<const Step*> way;
  const Step* at = &steps_[static_cast<std::uint32_t>(path)];
  for (; at->before != kNothing; at = &steps_[at->before]) way.push_back(at);
  std::string pointer = prefixes_[at->number];
  for (; !way.empty(); way.pop_back()) {
    const Step& step = *way.back();
    if (step.name == nullptr) {
      pointer += "/" + std::to_string(step.number);
    } else {
      AppendPointerToken(pointer, {step.name, step.number});
    }
  }
  return pointer;
}

std::string Paths::PointerOf(PathId path, std::string_view member) const {
  std::string pointer = PointerOf(path);
  AppendPointerToken(pointer, member);
  return pointer;
}

}  // namespace openseat::schema

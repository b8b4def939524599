#include "protocols/neuro/messages.h"

#include <array>

namespace openseat::neuro {
namespace {

constexpr std::array<std::string_view, 4> kPriorityNames = {"low", "medium", "high", "critical"};

}  // namespace

std::string_view PriorityName(Priority priority) {
  return kPriorityNames[static_cast<std::size_t>(priority)];
}

std::optional<Priority> ParsePriority(std::string_view name) {
  for (std::size_t i = 0; i < kPriorityNames.size(); ++i) {
    if (kPriorityNames[i] == name) return static_cast<Priority>(i);
  }
  return std::nullopt;
}

}  // namespace openseat::neuro

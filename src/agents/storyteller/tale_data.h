// The built-in files: tales/*.json.
#pragma once

#include <array>
#include <string_view>

namespace openseat::storyteller {

extern const std::array<std::string_view, 3> kTaleJson;

}  // namespace openseat::storyteller

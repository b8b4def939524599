// The built-in proposals.json; the definition is generated from the file when the build is configured.
#pragma once

#include <string_view>

namespace openseat::checker {

extern const std::string_view kProposalsJson;

}  // namespace openseat::checker

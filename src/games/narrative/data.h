// The built-in files: scenarios/*.json and schemas/llm_result_v*.json.
#pragma once

#include <array>
#include <string_view>

namespace openseat::games::narrative {

extern const std::array<std::string_view, 3> kScenarioJson;
extern const std::array<std::string_view, 2> kResultSchemaJson;  // by version, from 1

}  // namespace openseat::games::narrative

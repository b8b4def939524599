// LlmResultV1, LlmResultV2: the schemas of a narrator's answers (schemas/llm_result_v*.json). docs/narrative.md says
// where version 2 is stricter; everything it accepts, version 1 accepts, too.
#pragma once

#include <memory>
#include <string>

#include "schema/schema.h"

namespace openseat::games::narrative {

inline constexpr int kResultVersions = 2;

// Compiled once, with its source. REQUIRES 1 <= version <= kResultVersions.
const schema::Schema& ResultSchema(int version);
// "LlmResultV1".
std::string ResultName(int version);

}  // namespace openseat::games::narrative

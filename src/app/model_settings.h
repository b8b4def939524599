// The settings of a model as records show them: without keys, and without header values and addresses' queries, which
// may be keys.
#pragma once

#include "agents/llm/model.h"
#include "base/json.h"

namespace openseat::app {

json::Object ModelSettings(const llm::Model& model);

}  // namespace openseat::app

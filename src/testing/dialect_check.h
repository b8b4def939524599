// What the model providers publish about the schemas that they take, as checks: written apart from schema/project.cc,
// for its tests and for the stand-in of a provider. Each returns what is wrong, one sentence a fault; empty: nothing.
#pragma once

#include <string>
#include <vector>

#include "base/json.h"

namespace openseat::testing {

// OpenAI's Structured Outputs with strict: true.
std::vector<std::string> OpenAiStrictFaults(const json::Value& schema);
// Gemini's generationConfig.responseJsonSchema.
std::vector<std::string> GeminiSchemaFaults(const json::Value& schema);
// Anthropic's input_schema of a tool.
std::vector<std::string> AnthropicSchemaFaults(const json::Value& schema);

}  // namespace openseat::testing

// Checks of what the model providers publish about the schemas that they accept: written apart from
// schema/providers/project.cc, for its tests and for the stand-in of a provider. Each returns the faults, one sentence
// per fault; empty: there is no fault.
#pragma once

#include <string>
#include <vector>

#include "base/json.h"

namespace openseat::testing {

// OpenAI's Structured Outputs with strict: true.
std::vector<std::string> OpenAiStrictFaults(const json::Value& schema);
// The subset of it that Anthropic's output_config.format and the servers that speak like OpenAI take, too: no bounds,
// patterns or formats.
std::vector<std::string> CommonSchemaFaults(const json::Value& schema);
// Gemini's generationConfig.responseJsonSchema.
std::vector<std::string> GeminiSchemaFaults(const json::Value& schema);
// Anthropic's input_schema of a tool.
std::vector<std::string> AnthropicSchemaFaults(const json::Value& schema);

}  // namespace openseat::testing

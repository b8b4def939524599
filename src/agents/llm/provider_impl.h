// What provider.cc needs from each provider's file. Internal to the module.
#pragma once

#include <string>
#include <string_view>

#include "agents/llm/provider.h"
#include "schema/providers/project.h"

namespace openseat::llm {

// The path after base_url, the headers and the body of a request.
struct WireRequest {
  std::string path;
  net::Headers headers;
  json::Object body;
};

WireRequest OpenAiRequest(const Model& model, const Prompt& prompt, const AnswerForm& form, std::uint64_t max_tokens);
WireRequest GeminiRequest(const Model& model, const Prompt& prompt, const AnswerForm& form, std::uint64_t max_tokens);
WireRequest AnthropicRequest(const Model& model, const Prompt& prompt, const AnswerForm& form,
                             std::uint64_t max_tokens);

// The form's schema in the dialect; the schema of any object if that takes too much work.
schema::Projection Projected(const AnswerForm& form, schema::Dialect dialect);

// The body of a 2xx answer. Errors: kParse with what is missing.
Result<Reply> OpenAiReply(const json::Value& body);
Result<Reply> GeminiReply(const json::Value& body);
Result<Reply> AnthropicReply(const json::Value& body);

// Reading members that may be missing: by a path of names, as text or as a count.
const json::Value* At(const json::Value& value, std::initializer_list<std::string_view> path);
std::string TextAt(const json::Value& value, std::initializer_list<std::string_view> path);
std::uint64_t CountAt(const json::Value& value, std::initializer_list<std::string_view> path);

}  // namespace openseat::llm

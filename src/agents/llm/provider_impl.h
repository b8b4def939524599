// What provider.cc asks of each provider's file. The module's own.
#pragma once

#include <string>
#include <string_view>

#include "agents/llm/provider.h"
#include "schema/project.h"

namespace openseat::llm {

// The path behind base_url, the headers and the body of a request.
struct WireRequest {
  std::string path;
  net::Headers headers;
  json::Object body;
};

WireRequest OpenAiRequest(const Model& model, const Prompt& prompt, const AnswerForm& form, std::uint64_t max_tokens);
WireRequest GeminiRequest(const Model& model, const Prompt& prompt, const AnswerForm& form, std::uint64_t max_tokens);
WireRequest AnthropicRequest(const Model& model, const Prompt& prompt, const AnswerForm& form,
                             std::uint64_t max_tokens);

// The form's schema in the dialect; one of any object where that takes too much work.
schema::Projection Projected(const AnswerForm& form, schema::Dialect dialect);

// The body of a 2xx answer. Errors: kParse with what is missing.
Result<Reply> OpenAiReply(const json::Value& body);
Result<Reply> GeminiReply(const json::Value& body);
Result<Reply> AnthropicReply(const json::Value& body);

// Reading what may not be there: members on a path of names, as text or as a count.
const json::Value* At(const json::Value& value, std::initializer_list<std::string_view> path);
std::string TextAt(const json::Value& value, std::initializer_list<std::string_view> path);
std::uint64_t CountAt(const json::Value& value, std::initializer_list<std::string_view> path);

}  // namespace openseat::llm

// What provider.cc needs from each provider's file. Internal to the module.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

#include "agents/llm/provider.h"
#include "schema/providers/project.h"

namespace openseat::llm {

// What is asked, and how.
struct Asked {
  const Model& model;
  const Refusals& refusals;
  const Prompt& prompt;
  const AnswerForm& form;
  std::uint64_t max_tokens;
  Structured structured;  // StructuredOf, ThinkingOf
  Thinking thinking;

  bool native() const { return thinking == Thinking::kNative; }
  bool has_effort() const { return native() && !model.effort.empty() && !refusals.effort; }
};

// The path after base_url, the headers and the body of a request.
struct WireRequest {
  std::string path;
  net::Headers headers;
  json::Object body;
};

// What has been read of an answer.
struct Draft {
  Reply reply;
  bool begun = false;     // there was something of an answer
  bool finished = false;  // the provider said that it is all
  json::Value error;      // the document or event that reports one; null: none
  std::string malformed;  // why the model's output cannot be used; "": it can
  bool used_tool = false;
};

// Each reads one document: the whole answer, or an event of a stream.
WireRequest OpenAiRequest(const Asked& asked);
void ReadOpenAi(const json::Value& document, Draft& draft);
WireRequest ResponsesRequest(const Asked& asked);
void ReadResponses(const json::Value& document, Draft& draft);
WireRequest GeminiRequest(const Asked& asked);
void ReadGemini(const json::Value& document, Draft& draft);
WireRequest AnthropicRequest(const Asked& asked);
void ReadAnthropic(const json::Value& document, Draft& draft);

// The form's schema in the dialect; the schema of any object if that takes too much work.
schema::Projection Projected(const AnswerForm& form, schema::Dialect dialect);
// The dialect of the schema that is sent.
schema::Dialect DialectOf(const Model& model, const Refusals& refusals, Structured structured);

// The messages as [{"role", "content": text}], with these names of the roles.
json::Array RolesAndTexts(const Prompt& prompt);
void SetSampling(const Asked& asked, std::string_view top_p, json::Object& out);

// Appends to a text or the thoughts, up to a limit.
void Append(std::string& out, std::string_view text);

// Reading members that may be missing: by a path of names, as text or as a count.
const json::Value* At(const json::Value& value, std::initializer_list<std::string_view> path);
std::string_view TextAt(const json::Value& value, std::initializer_list<std::string_view> path);
std::uint64_t CountAt(const json::Value& value, std::initializer_list<std::string_view> path);
// The members of a list; none if it is not one.
const json::Array& ListAt(const json::Value& value, std::initializer_list<std::string_view> path);

}  // namespace openseat::llm

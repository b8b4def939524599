// Chat completions: OpenAI's, and those of the many servers with the same API (Ollama, LM Studio, vLLM, llama.cpp,
// OpenRouter, Gemini's compatible endpoint).
#include <algorithm>

#include "agents/llm/provider_impl.h"

namespace openseat::llm {

WireRequest OpenAiRequest(const Model& model, const Prompt& prompt, const AnswerForm& form, std::uint64_t max_tokens) {
  WireRequest wire;
  wire.path = "/chat/completions";
  if (!model.api_key.empty()) wire.headers.Set("Authorization", "Bearer " + model.api_key);
  json::Array messages;
  messages.push_back(json::Object{{"role", "system"}, {"content", prompt.system}});
  for (const Message& message : prompt.messages) {
    messages.push_back(
        json::Object{{"role", message.role == Role::kUser ? "user" : "assistant"}, {"content", message.text}});
  }
  wire.body["model"] = model.model;
  wire.body["messages"] = std::move(messages);
  wire.body["stream"] = false;
  // OpenAI's newer models reject the old name; other servers do not know the new one.
  const bool its_own = model.base_url.starts_with("https://api.openai.com/");
  wire.body[its_own ? "max_completion_tokens" : "max_tokens"] = max_tokens;
  if (model.temperature) wire.body["temperature"] = *model.temperature;
  if (model.top_p) wire.body["top_p"] = *model.top_p;
  if (model.structured == Structured::kSchema) {
    schema::Projection projection = Projected(form, schema::Dialect::kOpenAi);
    wire.body["response_format"] = json::Object{
        {"type", "json_schema"},
        {"json_schema",
         json::Object{{"name", "answer"}, {"strict", projection.strict}, {"schema", std::move(projection.schema)}}}};
  } else if (model.structured == Structured::kObject) {
    wire.body["response_format"] = json::Object{{"type", "json_object"}};
  }
  return wire;
}

Result<Reply> OpenAiReply(const json::Value& body) {
  const json::Value* choices = At(body, {"choices"});
  if (choices == nullptr || !choices->is_array() || choices->get_array().empty()) {
    return Fail(ErrorCode::kParse, "the answer has no choices");
  }
  const json::Value& first = choices->get_array().front();
  Reply reply;
  if (const json::Value* content = At(first, {"message", "content"})) {
    if (content->is_string()) {
      reply.text = std::string(json::View(content->get_string()));
    } else if (content->is_array()) {  // in parts
      for (const json::Value& part : content->get_array()) {
        if (TextAt(part, {"type"}) == "text") reply.text += TextAt(part, {"text"});
      }
    }
  }
  const std::string finish = TextAt(first, {"finish_reason"});
  reply.cut_off = finish == "length";
  if (std::string refusal = TextAt(first, {"message", "refusal"}); !refusal.empty()) {
    reply.refusal = std::move(refusal);
  } else if (finish == "content_filter") {
    reply.refusal = "the provider's filter held the answer back";
  }
  if (At(body, {"usage", "prompt_tokens"}) != nullptr) {
    const std::uint64_t cached = CountAt(body, {"usage", "prompt_tokens_details", "cached_tokens"});
    const std::uint64_t created = CountAt(body, {"usage", "prompt_tokens_details", "cache_write_tokens"});
    const std::uint64_t all = CountAt(body, {"usage", "prompt_tokens"});
    reply.usage = Usage{.input = all - std::min(all, cached + created),
                        .cached = cached,
                        .created = created,
                        .output = CountAt(body, {"usage", "completion_tokens"}),
                        .reasoning = CountAt(body, {"usage", "completion_tokens_details", "reasoning_tokens"})};
  }
  return reply;
}

}  // namespace openseat::llm

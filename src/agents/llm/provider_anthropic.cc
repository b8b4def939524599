// Anthropic's Messages. The answer is the input of a tool that the model must use.
#include "agents/llm/provider_impl.h"

namespace openseat::llm {
namespace {

constexpr const char* kTool = "answer";

}  // namespace

WireRequest AnthropicRequest(const Model& model, const Prompt& prompt, const AnswerForm& form,
                             std::uint64_t max_tokens) {
  WireRequest wire;
  wire.path = "/messages";
  if (!model.api_key.empty()) wire.headers.Set("x-api-key", model.api_key);
  wire.headers.Set("anthropic-version", "2023-06-01");
  json::Array messages;
  for (const Message& message : prompt.messages) {
    messages.push_back(
        json::Object{{"role", message.role == Role::kUser ? "user" : "assistant"}, {"content", message.text}});
  }
  wire.body["model"] = model.model;
  wire.body["max_tokens"] = max_tokens;
  wire.body["system"] = prompt.system;
  wire.body["messages"] = std::move(messages);
  if (model.temperature) wire.body["temperature"] = *model.temperature;
  if (model.top_p) wire.body["top_p"] = *model.top_p;
  if (model.structured == Structured::kNone) return wire;
  json::Value input = model.structured == Structured::kSchema ? Projected(form, schema::Dialect::kAnthropic).schema
                                                              : json::Value(json::Object{{"type", "object"}});
  wire.body["tools"] = json::Array{
      json::Object{{"name", kTool}, {"description", "Gives the answer."}, {"input_schema", std::move(input)}}};
  wire.body["tool_choice"] = json::Object{{"type", "tool"}, {"name", kTool}, {"disable_parallel_tool_use", true}};
  return wire;
}

Result<Reply> AnthropicReply(const json::Value& body) {
  const json::Value* content = At(body, {"content"});
  if (content == nullptr || !content->is_array()) return Fail(ErrorCode::kParse, "the answer has no content");
  Reply reply;
  bool used = false;
  for (const json::Value& block : content->get_array()) {
    const std::string type = TextAt(block, {"type"});
    if (type == "tool_use" && !used) {
      used = true;
      const json::Value* input = At(block, {"input"});
      if (input != nullptr && input->is_string()) {
        reply.text = std::string(json::View(input->get_string()));
      } else {
        reply.text = input == nullptr ? "" : json::Write(*input);
      }
    } else if (type == "text" && !used) {
      reply.text += TextAt(block, {"text"});
    }
  }
  const std::string stop = TextAt(body, {"stop_reason"});
  reply.cut_off = stop == "max_tokens";
  if (stop == "refusal") reply.refusal = reply.text.empty() ? "the model declined" : reply.text;
  if (At(body, {"usage", "input_tokens"}) != nullptr) {
    reply.usage = Usage{.input = CountAt(body, {"usage", "input_tokens"}),
                        .cached = CountAt(body, {"usage", "cache_read_input_tokens"}),
                        .created = CountAt(body, {"usage", "cache_creation_input_tokens"}),
                        .output = CountAt(body, {"usage", "output_tokens"}),
                        .reasoning = CountAt(body, {"usage", "output_tokens_details", "thinking_tokens"})};
  }
  return reply;
}

}  // namespace openseat::llm

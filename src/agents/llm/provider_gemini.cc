// Gemini's generateContent.
#include <algorithm>

#include "agents/llm/provider_impl.h"

namespace openseat::llm {

WireRequest GeminiRequest(const Model& model, const Prompt& prompt, const AnswerForm& form, std::uint64_t max_tokens) {
  const auto parts = [](const std::string& text) { return json::Array{json::Object{{"text", text}}}; };
  WireRequest wire;
  wire.path = (model.model.starts_with("models/") ? "/" : "/models/") + model.model + ":generateContent";
  if (!model.api_key.empty()) wire.headers.Set("x-goog-api-key", model.api_key);
  json::Array contents;
  for (const Message& message : prompt.messages) {
    contents.push_back(
        json::Object{{"role", message.role == Role::kUser ? "user" : "model"}, {"parts", parts(message.text)}});
  }
  json::Object config{{"maxOutputTokens", max_tokens}};
  if (model.temperature) config["temperature"] = *model.temperature;
  if (model.top_p) config["topP"] = *model.top_p;
  if (model.structured != Structured::kNone) config["responseMimeType"] = "application/json";
  if (model.structured == Structured::kSchema) {
    config["responseJsonSchema"] = Projected(form, schema::Dialect::kGemini).schema;
  }
  wire.body["systemInstruction"] = json::Object{{"parts", parts(prompt.system)}};
  wire.body["contents"] = std::move(contents);
  wire.body["generationConfig"] = std::move(config);
  return wire;
}

Result<Reply> GeminiReply(const json::Value& body) {
  Reply reply;
  if (At(body, {"usageMetadata", "promptTokenCount"}) != nullptr) {
    const std::uint64_t cached = CountAt(body, {"usageMetadata", "cachedContentTokenCount"});
    const std::uint64_t all = CountAt(body, {"usageMetadata", "promptTokenCount"});
    const std::uint64_t thoughts = CountAt(body, {"usageMetadata", "thoughtsTokenCount"});
    reply.usage = Usage{.input = all - std::min(all, cached),
                        .cached = cached,
                        .output = CountAt(body, {"usageMetadata", "candidatesTokenCount"}) + thoughts,
                        .reasoning = thoughts};
  }
  if (const std::string blocked = TextAt(body, {"promptFeedback", "blockReason"}); !blocked.empty()) {
    reply.refusal = "the request was blocked: " + blocked;
    return reply;
  }
  const json::Value* candidates = At(body, {"candidates"});
  if (candidates == nullptr || !candidates->is_array() || candidates->get_array().empty()) {
    return Fail(ErrorCode::kParse, "the answer has no candidates");
  }
  const json::Value& first = candidates->get_array().front();
  if (const json::Value* parts = At(first, {"content", "parts"}); parts != nullptr && parts->is_array()) {
    for (const json::Value& part : parts->get_array()) {
      const json::Value* thought = At(part, {"thought"});
      if (thought == nullptr || *thought != json::Value(true)) reply.text += TextAt(part, {"text"});
    }
  }
  const std::string finish = TextAt(first, {"finishReason"});
  reply.cut_off = finish == "MAX_TOKENS";
  if (!finish.empty() && finish != "STOP" && finish != "MAX_TOKENS" && reply.text.empty()) {
    reply.refusal = "the answer was held back: " + finish;
  }
  return reply;
}

}  // namespace openseat::llm

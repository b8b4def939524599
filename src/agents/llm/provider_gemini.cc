// Gemini's generateContent. The events of a stream look like the whole answer, each with further parts.
#include <algorithm>

#include "agents/llm/provider_impl.h"
#include "base/text.h"

namespace openseat::llm {
namespace {

constexpr std::string_view kMalformed[] = {"MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL", "TOO_MANY_TOOL_CALLS",
                                           "MALFORMED_RESPONSE"};

json::Array TextParts(const std::vector<std::string>& texts) {
  json::Array parts;
  for (const std::string& text : texts) parts.push_back(json::Object{{"text", text}});
  return parts;
}

json::Object ThinkingConfig(const Asked& asked) {
  json::Object config{{"includeThoughts", true}};
  if (asked.has_effort()) {
    std::string level = asked.model.effort;
    std::transform(level.begin(), level.end(), level.begin(),
                   [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - ('a' - 'A')) : c; });
    config["thinkingLevel"] = level;
  }
  if (asked.model.thinking_tokens > 0 && !asked.refusals.thinking_budget) {
    config["thinkingBudget"] = asked.model.thinking_tokens;
  }
  return config;
}

void ReadFinish(const std::string& finish, Draft& draft) {
  Reply& reply = draft.reply;
  draft.finished = true;
  reply.cut_off = finish == "MAX_TOKENS";
  reply.stop = reply.cut_off ? "length" : finish == "STOP" ? "" : finish;
  if (std::find(std::begin(kMalformed), std::end(kMalformed), finish) != std::end(kMalformed)) {
    draft.malformed = finish;
  } else if (!reply.stop.empty() && !reply.cut_off && reply.text.empty()) {
    reply.refusal = "the answer was held back: " + finish;
  }
}

}  // namespace

WireRequest GeminiRequest(const Asked& asked) {
  const Model& model = asked.model;
  WireRequest wire;
  wire.path = (model.model.starts_with("models/") ? "/" : "/models/") + model.model +
              (model.stream ? ":streamGenerateContent?alt=sse" : ":generateContent");
  if (!model.api_key.empty()) wire.headers.Set("x-goog-api-key", model.api_key);
  json::Array contents;
  for (const Message& message : asked.prompt.messages) {
    // One part a message: how several would be joined is not documented.
    contents.push_back(
        json::Object{{"role", message.role == Role::kUser ? "user" : "model"}, {"parts", TextParts({message.text()})}});
  }
  json::Object config{{"maxOutputTokens", asked.max_tokens}};
  SetSampling(asked, "topP", config);
  if (model.seed && !asked.refusals.seed) config["seed"] = *model.seed;
  if (asked.structured != Structured::kNone) config["responseMimeType"] = "application/json";
  if (asked.structured == Structured::kSchema) {
    config["responseJsonSchema"] = Projected(asked.form, DialectOf(model, asked.refusals, asked.structured)).schema;
  }
  if (asked.native()) config["thinkingConfig"] = ThinkingConfig(asked);
  wire.body["systemInstruction"] = json::Object{{"parts", TextParts({asked.prompt.system})}};
  wire.body["contents"] = std::move(contents);
  wire.body["generationConfig"] = std::move(config);
  return wire;
}

void ReadGemini(const json::Value& document, Draft& draft) {
  Reply& reply = draft.reply;
  if (At(document, {"usageMetadata", "promptTokenCount"}) != nullptr) {
    const std::uint64_t cached = CountAt(document, {"usageMetadata", "cachedContentTokenCount"});
    const std::uint64_t all = CountAt(document, {"usageMetadata", "promptTokenCount"});
    const std::uint64_t thoughts = CountAt(document, {"usageMetadata", "thoughtsTokenCount"});
    reply.usage = Usage{.input = all - std::min(all, cached),
                        .cached = cached,
                        .output = CountAt(document, {"usageMetadata", "candidatesTokenCount"}) + thoughts,
                        .reasoning = thoughts};
  }
  if (const std::string_view blocked = TextAt(document, {"promptFeedback", "blockReason"}); !blocked.empty()) {
    draft.begun = draft.finished = true;
    reply.stop = blocked;
    reply.refusal = "the request was blocked: " + std::string(blocked);
    return;
  }
  const json::Array& candidates = ListAt(document, {"candidates"});
  if (candidates.empty()) return;
  draft.begun = true;
  const json::Value& first = candidates.front();
  for (const json::Value& part : ListAt(first, {"content", "parts"})) {
    const json::Value* thought = At(part, {"thought"});
    const bool is_thought = thought != nullptr && *thought == json::Value(true);
    Append(is_thought ? reply.reasoning : reply.text, TextAt(part, {"text"}));
  }
  if (const std::string_view finish = TextAt(first, {"finishReason"}); !finish.empty()) {
    ReadFinish(std::string(finish), draft);
  }
}

}  // namespace openseat::llm

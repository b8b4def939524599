#include "model_answers.h"

#include <cstddef>
#include <utility>

namespace openseat::testing {
namespace {

struct Tokens {
  std::size_t in;
  std::size_t cached;
  std::size_t out;
  std::size_t thoughts;
};

Tokens TokensOf(const ProviderRequest& request, const Said& said) {
  const std::size_t in = json::Write(request.body).size() / 4;
  return {in, in / 3, (said.text.size() + said.thoughts.size()) / 4 + 1, said.thoughts.size() / 4};
}

json::Object OpenAiUsage(const Tokens& tokens) {
  return {{"prompt_tokens", tokens.in},
          {"completion_tokens", tokens.out},
          {"total_tokens", tokens.in + tokens.out},
          {"prompt_tokens_details", json::Object{{"cached_tokens", tokens.cached}}},
          {"completion_tokens_details", json::Object{{"reasoning_tokens", tokens.thoughts}}}};
}

// A text as a stream delivers it.
std::vector<std::string> Pieces(const std::string& text) {
  constexpr std::size_t kPiece = 7;
  std::vector<std::string> pieces;
  for (std::size_t at = 0; at < text.size(); at += kPiece) pieces.push_back(text.substr(at, kPiece));
  return pieces;
}

Documents OpenAiAnswer(const ProviderRequest& request, const Said& said, bool stream) {
  const char* finish = said.cut_off ? "length" : "stop";
  const auto of = [](const char* member, json::Object piece, json::Value finish_reason) {
    return json::Object{
        {"id", "chatcmpl-1"},
        {"choices", json::Array{json::Object{
                        {"index", 0}, {member, std::move(piece)}, {"finish_reason", std::move(finish_reason)}}}}};
  };
  if (!stream) {
    json::Object message{{"role", "assistant"}, {"content", said.text}};
    if (!said.thoughts.empty()) message["reasoning_content"] = said.thoughts;
    if (!said.refusal.empty()) {
      message["content"] = nullptr;
      message["refusal"] = said.refusal;
    }
    json::Object answer = of("message", std::move(message), finish);
    answer["usage"] = OpenAiUsage(TokensOf(request, said));
    return {answer};
  }
  Documents events{of("delta", {{"role", "assistant"}, {"content", ""}}, nullptr)};
  for (const std::string& piece : Pieces(said.thoughts)) {
    events.push_back(of("delta", {{"reasoning_content", piece}}, nullptr));
  }
  for (const std::string& piece : Pieces(said.refusal)) events.push_back(of("delta", {{"refusal", piece}}, nullptr));
  for (const std::string& piece : Pieces(said.text)) events.push_back(of("delta", {{"content", piece}}, nullptr));
  events.push_back(of("delta", {}, finish));
  if (request.body.as_object().contains("stream_options")) {
    events.push_back(json::Object{{"choices", json::Array()}, {"usage", OpenAiUsage(TokensOf(request, said))}});
  }
  return events;
}

Documents ResponsesAnswer(const ProviderRequest& request, const Said& said, bool stream) {
  const Tokens tokens = TokensOf(request, said);
  json::Array output;
  if (!said.thoughts.empty()) {
    output.push_back(
        json::Object{{"type", "reasoning"},
                     {"summary", json::Array{json::Object{{"type", "summary_text"}, {"text", said.thoughts}}}}});
  }
  json::Object part{{"type", "output_text"}, {"text", said.text}};
  if (!said.refusal.empty()) part = {{"type", "refusal"}, {"refusal", said.refusal}};
  output.push_back(json::Object{{"type", "message"}, {"role", "assistant"}, {"content", json::Array{std::move(part)}}});
  json::Object response{
      {"id", "resp_1"},
      {"object", "response"},
      {"status", said.cut_off ? "incomplete" : "completed"},
      {"error", nullptr},
      {"output", std::move(output)},
      {"usage", json::Object{{"input_tokens", tokens.in},
                             {"input_tokens_details", json::Object{{"cached_tokens", tokens.cached}}},
                             {"output_tokens", tokens.out},
                             {"output_tokens_details", json::Object{{"reasoning_tokens", tokens.thoughts}}}}}};
  if (said.cut_off) response["incomplete_details"] = json::Object{{"reason", "max_output_tokens"}};
  if (!stream) return {response};
  Documents events{json::Object{{"type", "response.created"},
                                {"sequence_number", 0},
                                {"response", json::Object{{"object", "response"}, {"status", "in_progress"}}}}};
  for (const std::string& piece : Pieces(said.text)) {
    events.push_back(
        json::Object{{"type", "response.output_text.delta"}, {"sequence_number", events.size()}, {"delta", piece}});
  }
  events.push_back(json::Object{{"type", said.cut_off ? "response.incomplete" : "response.completed"},
                                {"sequence_number", events.size()},
                                {"response", std::move(response)}});
  return events;
}

Documents GeminiAnswer(const ProviderRequest& request, const Said& said, bool stream) {
  const Tokens tokens = TokensOf(request, said);
  const json::Object usage{{"promptTokenCount", tokens.in},
                           {"cachedContentTokenCount", tokens.cached},
                           {"candidatesTokenCount", tokens.out - tokens.thoughts},
                           {"thoughtsTokenCount", tokens.thoughts}};
  if (!said.refusal.empty()) {
    return {
        json::Object{{"candidates", json::Array{json::Object{{"finishReason", "SAFETY"}}}}, {"usageMetadata", usage}}};
  }
  json::Array parts;
  if (!said.thoughts.empty()) parts.push_back(json::Object{{"text", said.thoughts}, {"thought", true}});
  for (const std::string& piece : stream ? Pieces(said.text) : std::vector{said.text}) {
    parts.push_back(json::Object{{"text", piece}});
  }
  const auto of = [&](json::Array some, bool last) {
    json::Object candidate{{"content", json::Object{{"role", "model"}, {"parts", std::move(some)}}}};
    if (last) candidate["finishReason"] = said.cut_off ? "MAX_TOKENS" : "STOP";
    return json::Object{{"candidates", json::Array{std::move(candidate)}}, {"usageMetadata", usage}};
  };
  if (!stream) return {of(std::move(parts), true)};
  Documents events;
  for (std::size_t i = 0; i < parts.size(); ++i) events.push_back(of({parts[i]}, i + 1 == parts.size()));
  if (parts.empty()) events.push_back(of({}, true));
  return events;
}

Documents AnthropicAnswer(const ProviderRequest& request, const Said& said, bool stream) {
  const Tokens tokens = TokensOf(request, said);
  const json::Object input_usage{{"input_tokens", tokens.in - tokens.cached},
                                 {"cache_read_input_tokens", tokens.cached},
                                 {"cache_creation_input_tokens", 0},
                                 {"output_tokens", 1}};
  const json::Object output_usage{{"output_tokens", tokens.out},
                                  {"output_tokens_details", json::Object{{"thinking_tokens", tokens.thoughts}}}};
  // With a forced tool, a good answer is its input; anything that is not JSON is sent as text.
  const auto input = json::Parse(said.text);
  const bool tool = request.body.as_object().contains("tools") && input && input->is_object();
  json::Value stop = tool ? "tool_use" : "end_turn";
  if (said.cut_off) stop = "max_tokens";
  if (!said.refusal.empty()) stop = "refusal";
  json::Object end{{"stop_reason", std::move(stop)}};
  if (!said.refusal.empty()) {
    end["stop_details"] = json::Object{{"category", "general_harms"}, {"explanation", said.refusal}};
  }
  if (!stream) {
    json::Array content;
    if (!said.thoughts.empty()) {
      content.push_back(json::Object{{"type", "thinking"}, {"thinking", said.thoughts}, {"signature", "c2ln"}});
    }
    if (tool) {
      content.push_back(json::Object{{"type", "tool_use"}, {"id", "toolu_1"}, {"name", "answer"}, {"input", *input}});
    } else if (said.refusal.empty()) {
      content.push_back(json::Object{{"type", "text"}, {"text", said.text}});
    }
    json::Object answer{{"id", "msg_1"}, {"type", "message"}, {"role", "assistant"}, {"content", std::move(content)}};
    json::Object usage = input_usage;
    for (const auto& member : output_usage) usage[member.key()] = member.value();
    answer["usage"] = std::move(usage);
    for (auto& member : end) answer[member.key()] = std::move(member.value());
    return {answer};
  }
  Documents events{
      json::Object{{"type", "message_start"}, {"message", json::Object{{"type", "message"}, {"usage", input_usage}}}},
      json::Object{{"type", "ping"}}};
  int index = 0;
  const auto block = [&](json::Object start, const char* type, const char* member, const std::string& text) {
    events.push_back(
        json::Object{{"type", "content_block_start"}, {"index", index}, {"content_block", std::move(start)}});
    for (const std::string& piece : Pieces(text)) {
      events.push_back(json::Object{
          {"type", "content_block_delta"}, {"index", index}, {"delta", json::Object{{"type", type}, {member, piece}}}});
    }
    events.push_back(json::Object{{"type", "content_block_stop"}, {"index", index++}});
  };
  if (!said.thoughts.empty()) {
    block({{"type", "thinking"}, {"thinking", ""}, {"signature", ""}}, "thinking_delta", "thinking", said.thoughts);
  }
  if (tool) {
    block({{"type", "tool_use"}, {"id", "toolu_1"}, {"name", "answer"}, {"input", json::Object()}}, "input_json_delta",
          "partial_json", said.text);
  } else if (said.refusal.empty()) {
    block({{"type", "text"}, {"text", ""}}, "text_delta", "text", said.text);
  }
  events.push_back(json::Object{{"type", "message_delta"}, {"delta", std::move(end)}, {"usage", output_usage}});
  events.push_back(json::Object{{"type", "message_stop"}});
  return events;
}

}  // namespace

Documents AnswerOf(const ProviderRequest& request, const Said& said) {
  const bool stream = WantsStream(request);
  if (request.provider == "openai") return OpenAiAnswer(request, said, stream);
  if (request.provider == "responses") return ResponsesAnswer(request, said, stream);
  if (request.provider == "gemini") return GeminiAnswer(request, said, stream);
  return AnthropicAnswer(request, said, stream);
}

std::string EventText(const ProviderRequest& request, const json::Value& event) {
  const std::string type(json::TextOf(event, "type"));
  const bool named = request.provider == "anthropic" || request.provider == "responses";
  const char* end = request.provider == "gemini" ? "\r\n\r\n" : "\n\n";
  return (named ? "event: " + type + "\n" : "") + "data: " + json::Write(event) + end;
}

}  // namespace openseat::testing

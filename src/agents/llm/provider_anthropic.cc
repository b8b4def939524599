// Anthropic's Messages. Older models are made to answer by a tool that they must use; its input is the answer.
#include <algorithm>

#include "agents/llm/provider_impl.h"

namespace openseat::llm {
namespace {

constexpr const char* kTool = "answer";
constexpr std::uint64_t kLeastBudget = 1'024;  // tokens for thoughts

json::Object Block(std::string_view text, bool marked) {
  json::Object block{{"type", "text"}, {"text", text}};
  if (marked) block["cache_control"] = json::Object{{"type", "ephemeral"}};
  return block;
}

// A part a block, so that what is added to the history leaves the blocks before it as they were.
json::Array Messages(const Prompt& prompt, bool cache) {
  json::Array messages;
  for (std::size_t i = 0; i < prompt.messages.size(); ++i) {
    const Message& message = prompt.messages[i];
    json::Array blocks;
    for (std::size_t j = 0; j < message.parts.size(); ++j) {
      const bool marked = cache && prompt.stable_end && prompt.stable_end->message == i && prompt.stable_end->part == j;
      blocks.push_back(Block(message.parts[j], marked));
    }
    messages.push_back(
        json::Object{{"role", message.role == Role::kUser ? "user" : "assistant"}, {"content", std::move(blocks)}});
  }
  return messages;
}

void ReadUsage(const json::Value& usage, Reply& reply) {
  if (!reply.usage) reply.usage.emplace();
  const auto take = [&](std::uint64_t& out, std::initializer_list<std::string_view> path) {
    if (At(usage, path) != nullptr) out = CountAt(usage, path);  // later events have the whole count
  };
  take(reply.usage->input, {"input_tokens"});
  take(reply.usage->cached, {"cache_read_input_tokens"});
  take(reply.usage->created, {"cache_creation_input_tokens"});
  take(reply.usage->output, {"output_tokens"});
  take(reply.usage->reasoning, {"output_tokens_details", "thinking_tokens"});
}

void ReadBlock(const json::Value& block, Draft& draft) {
  const std::string_view type = TextAt(block, {"type"});
  if (type == "thinking") return Append(draft.reply.reasoning, TextAt(block, {"thinking"}));
  if (type == "text" && !draft.used_tool) return Append(draft.reply.text, TextAt(block, {"text"}));
  if (type != "tool_use" || draft.used_tool) return;
  draft.used_tool = true;
  draft.reply.text.clear();  // what it said before is not the answer
  const json::Value* input = At(block, {"input"});
  // A stream begins with an empty input, whose text follows.
  if (input == nullptr || (input->is_object() && input->get_object().empty())) return;
  Append(draft.reply.text,
         input->is_string() ? json::View(input->get_string()) : std::string_view(json::Write(*input)));
}

void ReadStop(const json::Value& at, Draft& draft) {
  const std::string_view stop = TextAt(at, {"stop_reason"});
  if (stop.empty()) return;
  Reply& reply = draft.reply;
  reply.cut_off = stop == "max_tokens" || stop == "model_context_window_exceeded";
  const bool done = stop == "end_turn" || stop == "stop_sequence" || stop == "tool_use";
  reply.stop = done ? "" : stop == "max_tokens" ? "length" : std::string(stop);
  if (stop != "refusal") return;
  std::string why(TextAt(at, {"stop_details", "explanation"}));
  if (why.empty()) why = TextAt(at, {"stop_details", "category"});
  if (why.empty()) why = reply.text;
  reply.refusal = why.empty() ? "the model declined" : why;
}

}  // namespace

WireRequest AnthropicRequest(const Asked& asked) {
  const Model& model = asked.model;
  const bool cache = model.cache && !asked.refusals.cache;
  WireRequest wire;
  wire.path = "/messages";
  if (!model.api_key.empty()) wire.headers.Set("x-api-key", model.api_key);
  wire.headers.Set("anthropic-version", "2023-06-01");
  wire.body["model"] = model.model;
  wire.body["max_tokens"] = asked.max_tokens;
  wire.body["system"] = json::Array{Block(asked.prompt.system, cache)};
  wire.body["messages"] = Messages(asked.prompt, cache);
  wire.body["stream"] = model.stream;
  SetSampling(asked, "top_p", wire.body);
  json::Object output;
  if (asked.native()) {
    if (model.thinking_tokens == 0 || asked.refusals.thinking_budget) {
      wire.body["thinking"] = json::Object{{"type", "adaptive"}, {"display", "summarized"}};
    } else if (asked.max_tokens >= 2 * kLeastBudget) {  // a cap may leave no room for thoughts
      const std::uint64_t budget = std::min(std::max(model.thinking_tokens, kLeastBudget), asked.max_tokens / 2);
      wire.body["thinking"] = json::Object{{"type", "enabled"}, {"budget_tokens", budget}};
    }
    if (asked.has_effort()) output["effort"] = model.effort;
  }
  schema::Projection projection;
  if (asked.structured != Structured::kNone) {
    projection = Projected(asked.form, DialectOf(model, asked.refusals, asked.structured));
  }
  if (asked.structured == Structured::kSchema && projection.strict) {
    output["format"] = json::Object{{"type", "json_schema"}, {"schema", std::move(projection.schema)}};
  } else if (asked.structured == Structured::kTool) {
    wire.body["tools"] = json::Array{json::Object{
        {"name", kTool}, {"description", "Gives the answer."}, {"input_schema", std::move(projection.schema)}}};
    wire.body["tool_choice"] = json::Object{{"type", "tool"}, {"name", kTool}, {"disable_parallel_tool_use", true}};
  }
  if (!output.empty()) wire.body["output_config"] = std::move(output);
  return wire;
}

void ReadAnthropic(const json::Value& document, Draft& draft) {
  const std::string_view type = TextAt(document, {"type"});
  draft.begun = draft.begun || type == "message" || type == "message_start";
  if (type == "message_start") {
    if (const json::Value* usage = At(document, {"message", "usage"})) ReadUsage(*usage, draft.reply);
  } else if (type == "content_block_start") {
    if (const json::Value* block = At(document, {"content_block"})) ReadBlock(*block, draft);
  } else if (type == "content_block_delta") {
    const std::string_view kind = TextAt(document, {"delta", "type"});
    if (kind == "thinking_delta") Append(draft.reply.reasoning, TextAt(document, {"delta", "thinking"}));
    if (kind == "text_delta" && !draft.used_tool) Append(draft.reply.text, TextAt(document, {"delta", "text"}));
    if (kind == "input_json_delta") Append(draft.reply.text, TextAt(document, {"delta", "partial_json"}));
  } else if (type == "message_delta") {
    if (const json::Value* usage = At(document, {"usage"})) ReadUsage(*usage, draft.reply);
    if (const json::Value* delta = At(document, {"delta"})) ReadStop(*delta, draft);
  } else if (type == "message_stop") {
    draft.finished = true;
  } else if (type == "message") {
    draft.finished = true;
    for (const json::Value& block : ListAt(document, {"content"})) ReadBlock(block, draft);
    if (const json::Value* usage = At(document, {"usage"})) ReadUsage(*usage, draft.reply);
    ReadStop(document, draft);
  }
}

}  // namespace openseat::llm

// Chat completions: OpenAI's, and those of the many servers with the same API (Ollama, LM Studio, vLLM, llama.cpp,
// OpenRouter, Gemini's compatible endpoint).
#include <algorithm>

#include "agents/llm/provider_impl.h"
#include "net/url.h"

namespace openseat::llm {
namespace {

// The newer name of the token limit is taken by these hosts whatever the model; elsewhere the older one is common.
// Where that is wrong, the 400 says so, and the other one is used from then on.
std::string_view TokensMember(const Model& model, const Refusals& refusals) {
  if (model.tokens_member) return *model.tokens_member;
  const Result<net::Url> url = net::ParseHttpUrl(model.base_url);
  const std::string host = url ? url->host : "";
  const bool newer = host.ends_with("api.openai.com") || host.ends_with(".azure.com") || host == "openrouter.ai";
  return newer != refusals.tokens_member ? "max_completion_tokens" : "max_tokens";
}

void ReadPiece(const json::Value& piece, Draft& draft) {
  Reply& reply = draft.reply;
  if (const json::Value* content = At(piece, {"content"})) {
    if (content->is_string()) Append(reply.text, json::View(content->get_string()));
    for (const json::Value& part : ListAt(piece, {"content"})) {
      if (TextAt(part, {"type"}) == "text") Append(reply.text, TextAt(part, {"text"}));
      for (const json::Value& thought : ListAt(part, {"thinking"})) {
        Append(reply.reasoning, TextAt(thought, {"text"}));
      }
    }
  }
  if (const std::string_view refusal = TextAt(piece, {"refusal"}); !refusal.empty()) {
    if (!reply.refusal) reply.refusal.emplace();
    Append(*reply.refusal, refusal);
  }
  // Servers name the same thoughts in one of three ways, or in several.
  const json::Array& details = ListAt(piece, {"reasoning_details"});
  const std::size_t before = reply.reasoning.size();
  for (const json::Value& detail : details) {
    Append(reply.reasoning, TextAt(detail, {"text"}));
    Append(reply.reasoning, TextAt(detail, {"summary"}));
  }
  for (const char* name : {"reasoning_content", "reasoning"}) {
    if (reply.reasoning.size() == before) Append(reply.reasoning, TextAt(piece, {name}));
  }
}

}  // namespace

WireRequest OpenAiRequest(const Asked& asked) {
  const Model& model = asked.model;
  WireRequest wire;
  wire.path = "/chat/completions";
  if (!model.api_key.empty()) wire.headers.Set("Authorization", "Bearer " + model.api_key);
  json::Array messages{json::Object{{"role", "system"}, {"content", asked.prompt.system}}};
  for (json::Value& message : RolesAndTexts(asked.prompt)) messages.push_back(std::move(message));
  wire.body["model"] = model.model;
  wire.body["messages"] = std::move(messages);
  wire.body["stream"] = model.stream;
  if (model.stream && !asked.refusals.stream_usage) {
    wire.body["stream_options"] = json::Object{{"include_usage", true}};
  }
  if (const std::string_view member = TokensMember(model, asked.refusals); !member.empty()) {
    wire.body[member] = asked.max_tokens;
  }
  SetSampling(asked, "top_p", wire.body);
  if (model.seed && !asked.refusals.seed) wire.body["seed"] = *model.seed;
  if (asked.has_effort()) wire.body["reasoning_effort"] = model.effort;
  if (asked.structured == Structured::kSchema) {
    schema::Projection projection = Projected(asked.form, DialectOf(model, asked.refusals, asked.structured));
    wire.body["response_format"] = json::Object{
        {"type", "json_schema"},
        {"json_schema",
         json::Object{{"name", "answer"}, {"strict", projection.strict}, {"schema", std::move(projection.schema)}}}};
    // Otherwise it may choose a server that ignores the schema.
    if (model.base_url.find("//openrouter.ai") != std::string::npos) {
      wire.body["provider"] = json::Object{{"require_parameters", true}};
    }
  } else if (asked.structured == Structured::kObject) {
    wire.body["response_format"] = json::Object{{"type", "json_object"}};
  }
  return wire;
}

void ReadOpenAi(const json::Value& document, Draft& draft) {
  Reply& reply = draft.reply;
  if (const json::Array& choices = ListAt(document, {"choices"}); !choices.empty()) {
    draft.begun = true;
    const json::Value& first = choices.front();
    for (const char* name : {"message", "delta"}) {
      if (const json::Value* piece = At(first, {name})) ReadPiece(*piece, draft);
    }
    if (const std::string_view finish = TextAt(first, {"finish_reason"}); !finish.empty()) {
      draft.finished = true;
      reply.cut_off = finish == "length";
      if (finish == "content_filter" && !reply.refusal) {
        reply.refusal = "the provider's filter held the answer back";
      }
      reply.stop = finish == "stop" ? "" : std::string(finish);
      if (finish == "error" && draft.error.is_null()) draft.error = json::Object{{"error", json::Object()}};
    }
  }
  if (At(document, {"usage", "prompt_tokens"}) == nullptr) return;
  const std::uint64_t cached = CountAt(document, {"usage", "prompt_tokens_details", "cached_tokens"});
  const std::uint64_t created = CountAt(document, {"usage", "prompt_tokens_details", "cache_write_tokens"});
  const std::uint64_t all = CountAt(document, {"usage", "prompt_tokens"});
  reply.usage = Usage{.input = all - std::min(all, cached + created),
                      .cached = cached,
                      .created = created,
                      .output = CountAt(document, {"usage", "completion_tokens"}),
                      .reasoning = CountAt(document, {"usage", "completion_tokens_details", "reasoning_tokens"})};
}

}  // namespace openseat::llm

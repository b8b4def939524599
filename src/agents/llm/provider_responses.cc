// OpenAI's Responses. A stream's last event holds the whole response, so the pieces before it are not needed.
#include <algorithm>

#include "agents/llm/provider_impl.h"

namespace openseat::llm {
namespace {

void ReadItem(const json::Value& item, Reply& reply) {
  if (TextAt(item, {"type"}) == "reasoning") {
    for (const json::Value& part : ListAt(item, {"summary"})) Append(reply.reasoning, TextAt(part, {"text"}));
    for (const json::Value& part : ListAt(item, {"content"})) Append(reply.reasoning, TextAt(part, {"text"}));
    return;
  }
  for (const json::Value& part : ListAt(item, {"content"})) {
    const std::string_view type = TextAt(part, {"type"});
    if (type == "output_text") Append(reply.text, TextAt(part, {"text"}));
    if (type == "refusal") reply.refusal = TextAt(part, {"refusal"});
  }
}

void ReadResponse(const json::Value& response, Draft& draft) {
  Reply& reply = draft.reply;
  const std::string_view status = TextAt(response, {"status"});
  draft.begun = true;
  draft.finished = status == "completed" || status == "incomplete";
  if (status == "failed") draft.error = response;
  for (const json::Value& item : ListAt(response, {"output"})) ReadItem(item, reply);
  const std::string_view reason = TextAt(response, {"incomplete_details", "reason"});
  reply.cut_off = reason == "max_output_tokens";
  reply.stop = reply.cut_off ? "length" : std::string(reason);
  if (reason == "content_filter" && !reply.refusal) reply.refusal = "the provider's filter held the answer back";
  if (At(response, {"usage", "input_tokens"}) == nullptr) return;
  const std::uint64_t cached = CountAt(response, {"usage", "input_tokens_details", "cached_tokens"});
  const std::uint64_t created = CountAt(response, {"usage", "input_tokens_details", "cache_write_tokens"});
  const std::uint64_t all = CountAt(response, {"usage", "input_tokens"});
  reply.usage = Usage{.input = all - std::min(all, cached + created),
                      .cached = cached,
                      .created = created,
                      .output = CountAt(response, {"usage", "output_tokens"}),
                      .reasoning = CountAt(response, {"usage", "output_tokens_details", "reasoning_tokens"})};
}

}  // namespace

WireRequest ResponsesRequest(const Asked& asked) {
  const Model& model = asked.model;
  WireRequest wire;
  wire.path = "/responses";
  if (!model.api_key.empty()) wire.headers.Set("Authorization", "Bearer " + model.api_key);
  wire.body["model"] = model.model;
  wire.body["instructions"] = asked.prompt.system;
  wire.body["input"] = RolesAndTexts(asked.prompt);
  wire.body["stream"] = model.stream;
  wire.body["store"] = false;
  wire.body["max_output_tokens"] = asked.max_tokens;
  SetSampling(asked, "top_p", wire.body);
  if (asked.native()) {
    json::Object reasoning;
    if (asked.has_effort()) reasoning["effort"] = model.effort;
    if (!asked.refusals.summary) reasoning["summary"] = "auto";
    if (!reasoning.empty()) wire.body["reasoning"] = std::move(reasoning);
  }
  if (asked.structured == Structured::kSchema) {
    schema::Projection projection = Projected(asked.form, DialectOf(model, asked.refusals, asked.structured));
    wire.body["text"] = json::Object{{"format", json::Object{{"type", "json_schema"},
                                                             {"name", "answer"},
                                                             {"strict", projection.strict},
                                                             {"schema", std::move(projection.schema)}}}};
  } else if (asked.structured == Structured::kObject) {
    wire.body["text"] = json::Object{{"format", json::Object{{"type", "json_object"}}}};
  }
  return wire;
}

void ReadResponses(const json::Value& document, Draft& draft) {
  if (TextAt(document, {"object"}) == "response") return ReadResponse(document, draft);
  const std::string_view type = TextAt(document, {"type"});
  if (type == "error") {
    // The error's members are the event's own.
    draft.error = At(document, {"error"}) != nullptr ? document : json::Value(json::Object{{"error", document}});
  } else if (type == "response.completed" || type == "response.incomplete" || type == "response.failed") {
    if (const json::Value* response = At(document, {"response"})) ReadResponse(*response, draft);
  } else if (type.starts_with("response.")) {
    draft.begun = true;
  }
}

}  // namespace openseat::llm

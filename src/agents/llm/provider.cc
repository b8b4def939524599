#include "agents/llm/provider.h"

#include <algorithm>
#include <utility>

#include "agents/llm/provider_impl.h"
#include "agents/llm/sse.h"
#include "base/text.h"

namespace openseat::llm {
namespace {

constexpr std::size_t kMaxBody = 64u << 20;     // of an answer, with all that surrounds its text in a stream
constexpr std::size_t kMaxDocument = 8u << 20;  // of one that is no stream
constexpr std::size_t kMaxText = 2u << 20;      // that is kept; an answer that is read may have half of it
constexpr std::size_t kMaxRequestId = 200;
constexpr std::size_t kMaxReason = 500;  // why the model stopped, or declined
constexpr json::Limits kAnswer{.max_bytes = 8u << 20, .max_depth = 128, .max_values = 250'000};

// What each provider is asked, and how its answers are read.
struct Api {
  Provider provider;
  WireRequest (*request)(const Asked& asked);
  void (*read)(const json::Value& document, Draft& draft);
};
constexpr Api kApis[] = {
    {Provider::kOpenAi, &OpenAiRequest, &ReadOpenAi},
    {Provider::kResponses, &ResponsesRequest, &ReadResponses},
    {Provider::kGemini, &GeminiRequest, &ReadGemini},
    {Provider::kAnthropic, &AnthropicRequest, &ReadAnthropic},
};
const Api& ApiOf(Provider provider) {
  return *std::ranges::find(kApis, provider, &Api::provider);
}

// The operator's own members: objects are merged, null removes, everything else replaces.
void Overlay(json::Object& body, const json::Object& own, int depth = 0) {
  for (const auto& member : own) {
    json::Value* there = body.if_contains(member.key());
    if (member.value().is_null()) {
      body.erase(member.key());
    } else if (there != nullptr && there->is_object() && member.value().is_object() && depth < 8) {
      Overlay(there->get_object(), member.value().get_object(), depth + 1);
    } else {
      body[member.key()] = member.value();
    }
  }
}

std::string RequestId(const net::Headers& headers) {
  for (const char* name : {"x-request-id", "request-id"}) {
    if (const std::string_view id = headers.Get(name); !id.empty()) return Ellipsize(SanitizeUtf8(id), kMaxRequestId);
  }
  return {};
}

bool HasError(const json::Value& document) {
  const json::Value* error = At(document, {"error"});
  return error != nullptr && !error->is_null();
}

}  // namespace

const json::Value* At(const json::Value& value, std::initializer_list<std::string_view> path) {
  const json::Value* at = &value;
  for (const std::string_view name : path) {
    at = json::Find(*at, name);
    if (at == nullptr) return nullptr;
  }
  return at;
}

std::string_view TextAt(const json::Value& value, std::initializer_list<std::string_view> path) {
  const json::Value* at = At(value, path);
  return at != nullptr && at->is_string() ? json::View(at->get_string()) : std::string_view();
}

std::uint64_t CountAt(const json::Value& value, std::initializer_list<std::string_view> path) {
  const json::Value* at = At(value, path);
  if (at == nullptr || !at->is_number()) return 0;
  const double count = at->to_number<double>();
  return count > 0 && count < 1e15 ? static_cast<std::uint64_t>(count) : 0;
}

const json::Array& ListAt(const json::Value& value, std::initializer_list<std::string_view> path) {
  static const json::Array kNone;
  const json::Value* at = At(value, path);
  return at != nullptr && at->is_array() ? at->get_array() : kNone;
}

void Append(std::string& out, std::string_view text) {
  if (out.size() < kMaxText) out += text.substr(0, kMaxText - out.size());
}

json::Array RolesAndTexts(const Prompt& prompt) {
  json::Array messages;
  for (const Message& message : prompt.messages) {
    messages.push_back(
        json::Object{{"role", message.role == Role::kUser ? "user" : "assistant"}, {"content", message.text()}});
  }
  return messages;
}

void SetSampling(const Asked& asked, std::string_view top_p, json::Object& out) {
  if (asked.model.temperature && !asked.refusals.temperature) out["temperature"] = *asked.model.temperature;
  if (asked.model.top_p && !asked.refusals.top_p) out[top_p] = *asked.model.top_p;
}

schema::Dialect DialectOf(const Model& model, const Refusals& refusals, Structured structured) {
  if (model.provider == Provider::kAnthropic) {
    return structured == Structured::kTool ? schema::Dialect::kAnthropicTool : schema::Dialect::kCommon;
  }
  if (refusals.schema_details) return schema::Dialect::kCommon;
  if (model.provider == Provider::kGemini) return schema::Dialect::kGemini;
  // Servers with the same API take less: bounds and patterns break some of them.
  const bool its_own = model.base_url.find("api.openai.com/") != std::string::npos ||
                       model.base_url.find(".azure.com/") != std::string::npos;
  return its_own ? schema::Dialect::kOpenAi : schema::Dialect::kCommon;
}

net::HttpCall MakeCall(const Model& model, const Refusals& refusals, const Prompt& prompt, const AnswerForm& form,
                       std::uint64_t max_tokens) {
  WireRequest wire = ApiOf(model.provider)
                         .request({.model = model,
                                   .refusals = refusals,
                                   .prompt = prompt,
                                   .form = form,
                                   .max_tokens = max_tokens,
                                   .structured = StructuredOf(model, refusals),
                                   .thinking = ThinkingOf(model, refusals)});
  Overlay(wire.body, model.body);
  net::HttpCall call;
  call.method = net::Method::kPost;
  call.url = model.base_url + wire.path;
  call.headers = std::move(wire.headers);
  call.headers.Set("Content-Type", "application/json");
  call.headers.Set("Accept", model.stream ? "text/event-stream, application/json" : "application/json");
  for (const auto& [name, value] : model.headers) call.headers.Set(name, value);
  call.body = json::Write(wire.body);
  call.timeout = model.stream ? std::max(model.timeout, model.total_timeout) : model.timeout;
  call.connect_timeout = std::min(model.timeout, call.connect_timeout);
  call.max_body_bytes = kMaxBody;
  call.proxy = model.proxy;
  return call;
}

schema::Projection Projected(const AnswerForm& form, schema::Dialect dialect) {
  schema::Budget budget;
  if (Result<schema::Projection> projection = schema::Project(form.schema(), dialect, budget)) {
    return std::move(*projection);
  }
  // It is in the prompt anyway.
  return {.schema = json::Object{{"type", "object"}}, .strict = false, .dropped = {}};
}

bool LeavesOutByNull(const Model& model, const Refusals& refusals, const AnswerForm& form) {
  if (form.shape() == AnswerForm::Shape::kChoice) return false;
  const Structured structured = StructuredOf(model, refusals);
  if (structured != Structured::kSchema || model.body.contains("response_format")) return false;
  const schema::Dialect dialect = DialectOf(model, refusals, structured);
  return (dialect == schema::Dialect::kOpenAi || dialect == schema::Dialect::kCommon) &&
         Projected(form, dialect).strict;
}

// --- ReplyReader ---

struct ReplyReader::State {
  enum class Kind { kUnknown, kDocument, kStream };

  const Api& api;
  Draft draft{};
  Kind kind = Kind::kUnknown;
  std::string document{};
  bool too_large = false;
  SseReader events{kMaxDocument};

  void Event(std::string_view data) {
    if (data == "[DONE]" || !draft.error.is_null()) return;
    const Result<json::Value> event = json::Parse(data, kAnswer);
    if (event) Read(*event);  // one that cannot be read is missed at the end
  }

  void Read(const json::Value& event) {
    if (HasError(event)) {
      draft.error = event;
    } else {
      api.read(event, draft);
    }
  }
};

ReplyReader::ReplyReader(Provider provider) : state_(new State{.api = ApiOf(provider)}) {}
ReplyReader::~ReplyReader() = default;
ReplyReader::ReplyReader(ReplyReader&&) noexcept = default;
ReplyReader& ReplyReader::operator=(ReplyReader&&) noexcept = default;

void ReplyReader::Feed(std::string_view bytes) {
  State& state = *state_;
  if (state.kind == State::Kind::kUnknown) {
    const std::size_t first = bytes.find_first_not_of(" \t\r\n");
    if (first == std::string_view::npos) return;
    bytes.remove_prefix(first);
    // A server that does not stream answers as ever; a gateway has a page.
    const bool document = bytes.front() == '{' || bytes.front() == '[' || bytes.front() == '<';
    state.kind = document ? State::Kind::kDocument : State::Kind::kStream;
  }
  if (state.kind == State::Kind::kStream) {
    return state.events.Feed(bytes, [&state](std::string_view data) { state.Event(data); });
  }
  state.too_large = state.too_large || state.document.size() + bytes.size() > kMaxDocument;
  if (!state.too_large) state.document += bytes;
}

tl::expected<Reply, CallFailure> ReplyReader::Finish(const Result<net::HttpResponse>& response, Time now) {
  State& state = *state_;
  Draft& draft = state.draft;
  const auto failed = [&](int status, const json::Value& body,
                          std::string_view raw) -> tl::expected<Reply, CallFailure> {
    CallFailure failure = ProviderFailure(status, response ? response->headers : net::Headers(), body, raw, now);
    if (!failure.declined) return tl::unexpected(std::move(failure));
    Reply reply;
    reply.stop = "refusal";
    reply.refusal = std::move(failure.error.message);
    return reply;
  };
  if (response && (response->status < 200 || response->status >= 300)) {
    const Result<json::Value> body = json::Parse(response->body, kAnswer);
    return failed(response->status, body ? *body : json::Value(), body ? std::string_view() : response->body);
  }
  state.events.Finish([&state](std::string_view data) { state.Event(data); });
  // What broke off after the answer was whole changes nothing.
  if (!response && !draft.finished) {
    // A connection that ends after an error was reported.
    if (!draft.error.is_null()) return failed(0, draft.error, "");
    return tl::unexpected(NetworkFailure(response.error()));
  }
  const auto unreadable = [&](const std::string& why) {
    return tl::unexpected(UnreadableAnswer(response ? response->status : 200, why));
  };
  if (state.too_large || state.events.overflowed()) return unreadable("it is larger than 8 MiB");
  if (state.kind == State::Kind::kDocument) {
    const Result<json::Value> document = json::Parse(state.document, kAnswer);
    if (!document) return unreadable(document.error().message);
    state.Read(*document);
    draft.finished = draft.finished || draft.begun;
  }
  if (!draft.error.is_null()) return failed(0, draft.error, "");
  if (!draft.malformed.empty()) return unreadable("the model's output was malformed (" + draft.malformed + ")");
  if (!draft.begun) return unreadable("it has no content");
  if (!draft.finished) return unreadable("its stream breaks off");
  if (draft.reply.refusal && draft.reply.stop.empty()) draft.reply.stop = "refusal";
  if (response) draft.reply.request_id = RequestId(response->headers);
  draft.reply.stop = Ellipsize(SanitizeUtf8(draft.reply.stop), kMaxReason);
  if (draft.reply.refusal) draft.reply.refusal = Ellipsize(SanitizeUtf8(*draft.reply.refusal), kMaxReason);
  return std::move(draft.reply);
}

}  // namespace openseat::llm

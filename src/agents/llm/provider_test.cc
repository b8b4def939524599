#include "agents/llm/provider.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>

#include "base/text.h"
#include "testing/provider_check.h"

namespace openseat::llm {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr Provider kProviders[] = {Provider::kOpenAi, Provider::kResponses, Provider::kGemini, Provider::kAnthropic};
const Time kNow{std::chrono::seconds(1'445'412'400)};

AnswerForm Form() {
  auto move = std::make_shared<Action>();
  move->name = "move";
  move->schema = *json::Parse(
      R"({"type":"object","properties":{"x":{"type":"integer","maximum":2},"why":{"type":"string","maxLength":9}},"required":["x"]})");
  auto pass = std::make_shared<Action>();
  pass->name = "pass";
  ActionSet actions;
  actions.Put(move);
  actions.Put(pass);
  return AnswerForm(actions);
}

Model Of(Provider provider) {
  Model model;
  model.name = "m";
  model.provider = provider;
  model.base_url = "http://host/base";
  model.model = "the-model";
  model.api_key = "the-key";
  return model;
}

Prompt SomePrompt() {
  return {.system = "Rules. Answer in JSON.",
          .messages = {{Role::kUser, {"Go.", "On."}}, {Role::kAssistant, {"{}"}}, {Role::kUser, {"Then.", "Again."}}},
          .stable_end = Prompt::Place{2, 0}};
}

testing::ProviderRequest Seen(const Model& model, const net::HttpCall& call) {
  testing::ProviderRequest request;
  request.provider = std::string(ProviderName(model.provider));
  EXPECT_TRUE(call.url.starts_with(model.base_url));
  request.path = call.url.substr(model.base_url.size());
  for (const auto& [name, value] : call.headers.all()) {
    std::string lower = name;
    std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) { return std::tolower(c); });
    request.headers[lower] = value;
  }
  request.body = *json::Parse(call.body);
  return request;
}

net::HttpCall CallOf(const Model& model, const Refusals& refusals = {}) {
  return MakeCall(model, refusals, SomePrompt(), Form(), 4'099);
}

TEST(Requests, HaveThePublishedShape) {
  for (const Provider provider : kProviders) {
    for (const Structured structured :
         {Structured::kSchema, Structured::kTool, Structured::kObject, Structured::kNone}) {
      for (const Thinking thinking : {Thinking::kNone, Thinking::kNative, Thinking::kField, Thinking::kFree}) {
        for (const bool stream : {true, false}) {
          Model model = Of(provider);
          model.structured = structured;
          model.thinking = thinking;
          model.stream = stream;
          model.temperature = 0.5;
          model.top_p = 0.9;
          model.effort = "high";
          const net::HttpCall call = CallOf(model);
          EXPECT_EQ(call.method, net::Method::kPost);
          EXPECT_EQ(call.max_redirects, 0) << "keys go nowhere else";
          EXPECT_EQ(call.timeout, stream ? model.total_timeout : model.timeout);
          const auto request = Seen(model, call);
          EXPECT_THAT(testing::RequestFaults(request, "the-key"), IsEmpty()) << call.body;
          EXPECT_EQ(testing::WantsStream(request), stream);
          EXPECT_THAT(call.body, HasSubstr("4099"));
          EXPECT_THAT(testing::TextsOf(request),
                      ::testing::ElementsAre("Rules. Answer in JSON.", "Go.\n\nOn.", "{}", "Then.\n\nAgain."));
          const bool has_schema = structured <= Structured::kTool && thinking != Thinking::kFree;
          EXPECT_EQ(testing::AnswerSchemaOf(request) != nullptr, has_schema) << call.body;
          EXPECT_EQ(call.body.find("\"effort\":\"high\"") != std::string::npos ||
                        call.body.find("\"thinkingLevel\":\"HIGH\"") != std::string::npos ||
                        call.body.find("\"reasoning_effort\":\"high\"") != std::string::npos,
                    ThinkingOf(model, {}) == Thinking::kNative)
              << call.body;
        }
      }
    }
  }
}

TEST(Requests, LeaveOutWhatTheModelRefuses) {
  for (const Provider provider : kProviders) {
    Model model = Of(provider);
    model.thinking = Thinking::kNative;
    model.temperature = 0.5;
    model.top_p = 0.9;
    model.effort = "high";
    model.thinking_tokens = 2'000;
    model.seed = 7;
    const std::pair<bool Refusals::*, const char*> rows[] = {
        {&Refusals::temperature, "temperature"},
        {&Refusals::top_p, "top"},
        {&Refusals::seed, "seed"},
        {&Refusals::effort, "high"},
        {&Refusals::summary, "\"summary\""},
        {&Refusals::thinking_budget, "2000"},
        {&Refusals::stream_usage, "include_usage"},
        {&Refusals::cache, "cache_control"},
        {&Refusals::thinking, "\"thinking"},
    };
    int sent = 0;
    for (const auto& [member, text] : rows) {
      sent += AsciiLower(CallOf(model).body).find(text) != std::string::npos ? 1 : 0;
      Refusals refusals;
      refusals.*member = true;
      EXPECT_THAT(AsciiLower(CallOf(model, refusals).body), ::testing::Not(HasSubstr(text)));
      EXPECT_THAT(testing::RequestFaults(Seen(model, CallOf(model, refusals)), "the-key"), IsEmpty());
    }
    EXPECT_GE(sent, 4) << ProviderName(provider);
  }
}

TEST(Requests, NameTheTokenLimitAsTheHostDoes) {
  Model model = Of(Provider::kOpenAi);
  EXPECT_THAT(CallOf(model).body, HasSubstr("\"max_tokens\":4099"));
  EXPECT_THAT(CallOf(model, {.tokens_member = true}).body, HasSubstr("\"max_completion_tokens\":4099"));
  for (const char* url : {"https://api.openai.com/v1", "https://eu.api.openai.com/v1", "https://openrouter.ai/api/v1",
                          "https://me.openai.azure.com/openai/v1"}) {
    model.base_url = url;
    EXPECT_THAT(CallOf(model).body, HasSubstr("\"max_completion_tokens\":4099")) << url;
    EXPECT_THAT(CallOf(model, {.tokens_member = true}).body, HasSubstr("\"max_tokens\":4099")) << url;
  }
  model.tokens_member = "n_predict";
  EXPECT_THAT(CallOf(model).body, HasSubstr("\"n_predict\":4099"));
  model.tokens_member = "";
  EXPECT_THAT(CallOf(model).body, ::testing::Not(HasSubstr("4099")));
}

TEST(Requests, LeaveRoomForTheAnswerBehindTheThoughts) {
  Model model = Of(Provider::kAnthropic);
  model.thinking = Thinking::kNative;
  model.thinking_tokens = 4'000;
  for (const std::uint64_t most : {2'000u, 3'000u, 9'000u}) {
    const net::HttpCall call = MakeCall(model, {}, SomePrompt(), Form(), most);
    EXPECT_THAT(testing::RequestFaults(Seen(model, call), "the-key"), IsEmpty()) << call.body;
    EXPECT_EQ(call.body.find("budget_tokens") != std::string::npos, most > 2'048) << most;
  }
}

TEST(Requests, MarkWhatTheProviderMayCache) {
  Model model = Of(Provider::kAnthropic);
  const json::Value body = *json::Parse(CallOf(model).body);
  EXPECT_TRUE(body.at("system").at(0).as_object().contains("cache_control"));
  const json::Value& last = body.at("messages").at(2).at("content");
  EXPECT_TRUE(last.at(0).as_object().contains("cache_control")) << "the end of the history";
  EXPECT_FALSE(last.at(1).as_object().contains("cache_control")) << "the question";
  model.cache = false;
  EXPECT_THAT(CallOf(model).body, ::testing::Not(HasSubstr("cache_control")));
}

TEST(Requests, AskForSchemasThatTheServerTakes) {
  Model model = Of(Provider::kOpenAi);
  EXPECT_THAT(CallOf(model).body, ::testing::Not(HasSubstr("\"maximum\""))) << "some servers break on bounds";
  EXPECT_THAT(CallOf(model).body, ::testing::Not(HasSubstr("require_parameters")));
  model.base_url = "https://api.openai.com/v1";
  EXPECT_THAT(CallOf(model).body, HasSubstr("\"maximum\":2"));
  EXPECT_THAT(CallOf(model, {.schema_details = true}).body, ::testing::Not(HasSubstr("\"maximum\"")));
  model.base_url = "https://openrouter.ai/api/v1";
  EXPECT_THAT(CallOf(model).body, HasSubstr("\"require_parameters\":true"));
  EXPECT_TRUE(LeavesOutByNull(model, {}, Form()));
  EXPECT_FALSE(LeavesOutByNull(model, {.schema = true}, Form()));
  EXPECT_TRUE(LeavesOutByNull(Of(Provider::kAnthropic), {}, Form()));
  EXPECT_FALSE(LeavesOutByNull(Of(Provider::kAnthropic), {.output_format = true}, Form()));
  EXPECT_FALSE(LeavesOutByNull(Of(Provider::kGemini), {}, Form()));
}

// Tests of the checks themselves: they see what is wrong.
TEST(Requests, AreHeldToIt) {
  for (const Provider provider : kProviders) {
    const Model model = Of(provider);
    const auto good = Seen(model, CallOf(model));
    auto bad = good;
    bad.body.get_object()["frequency"] = 1;
    EXPECT_EQ(testing::RequestFaults(bad, "the-key").size(), 1u);
    EXPECT_EQ(testing::RequestFaults(good, "another-key").size(), 1u);
    Prompt prompt = SomePrompt();
    prompt.messages.pop_back();
    EXPECT_FALSE(testing::RequestFaults(Seen(model, MakeCall(model, {}, prompt, Form(), 4'099)), "the-key").empty());
  }
}

TEST(Requests, TakeTheOperatorsHeadersAndMembers) {
  Model model = Of(Provider::kGemini);
  model.headers = {{"X-Team", "games"}};
  model.body = json::Parse(R"({"generationConfig":{"topK":3},"safetySettings":[]})")->get_object();
  const net::HttpCall call = CallOf(model);
  EXPECT_EQ(call.headers.Get("X-Team"), "games");
  const json::Value body = *json::Parse(call.body);
  EXPECT_EQ(body.at("generationConfig").at("topK"), json::Value(3));
  EXPECT_EQ(body.at("generationConfig").at("maxOutputTokens"), json::Value(4'099));
  EXPECT_TRUE(body.at("safetySettings").is_array());

  model = Of(Provider::kOpenAi);
  model.body = json::Parse(R"({"max_tokens":null,"stream_options":{"include_usage":null},"x":{"y":1}})")->get_object();
  const json::Value less = *json::Parse(CallOf(model).body);
  EXPECT_FALSE(less.as_object().contains("max_tokens")) << "null removes";
  EXPECT_EQ(json::Write(less.at("stream_options")), "{}");
  model.api_key.clear();
  EXPECT_FALSE(CallOf(model).headers.Has("Authorization"));
}

// What is read of an answer that arrives in pieces of `size` bytes.
tl::expected<Reply, CallFailure> ReadOf(Provider provider, int status, std::string_view body, std::size_t size = 5) {
  ReplyReader reader(provider);
  net::HttpResponse response;
  response.status = status;
  response.headers.Set("request-id", "req-1");
  if (status < 300) {
    for (std::string_view rest = body; !rest.empty(); rest.remove_prefix(std::min(size, rest.size()))) {
      reader.Feed(rest.substr(0, size));
    }
  } else {
    response.body = body;
  }
  return reader.Finish(response, kNow);
}

struct ReplyRow {
  Provider provider;
  const char* body;
  const char* text;
  const char* reasoning = "";
  Usage usage{};  // without any: the provider did not say
  const char* stop = "";
  const char* refusal = nullptr;
};

void CheckReply(const ReplyRow& row) {
  for (const std::size_t size : {1u, 7u, 100'000u}) {
    const auto reply = ReadOf(row.provider, 200, row.body, size);
    ASSERT_TRUE(reply) << row.body << ": " << reply.error().error.message;
    EXPECT_EQ(reply->text, row.text) << row.body;
    EXPECT_EQ(reply->reasoning, row.reasoning) << row.body;
    EXPECT_EQ(reply->usage.value_or(Usage()), row.usage) << row.body;
    EXPECT_EQ(reply->stop, row.stop) << row.body;
    EXPECT_EQ(reply->cut_off, reply->stop == "length") << row.body;
    EXPECT_EQ(reply->request_id, "req-1");
    ASSERT_EQ(reply->refusal.has_value(), row.refusal != nullptr) << row.body;
    if (row.refusal != nullptr) {
      EXPECT_THAT(*reply->refusal, HasSubstr(row.refusal));
    }
  }
}

TEST(Replies, AreReadWhole) {
  const ReplyRow rows[] = {
      {Provider::kOpenAi,
       R"({"choices":[{"message":{"role":"assistant","content":"{}"},"finish_reason":"stop"}],"usage":{"prompt_tokens":3,"completion_tokens":4}})",
       "{}",
       "",
       {.input = 3, .output = 4}},
      {Provider::kOpenAi,
       R"({"choices":[{"message":{"content":[{"type":"thinking","thinking":[{"type":"text","text":"hm"}]},{"type":"text","text":"{"},{"type":"text","text":"}"}]},"finish_reason":"length"}]})",
       "{}",
       "hm",
       {},
       "length"},
      {Provider::kOpenAi,
       R"({"choices":[{"message":{"content":null,"refusal":"No."},"finish_reason":"stop"}]})",
       "",
       "",
       {},
       "refusal",
       "No."},
      {Provider::kOpenAi,
       R"({"choices":[{"message":{"content":""},"finish_reason":"content_filter"}]})",
       "",
       "",
       {},
       "content_filter",
       "filter"},
      {Provider::kOpenAi,
       R"({"choices":[{"message":{"content":"{}","reasoning":"same","reasoning_details":[{"type":"reasoning.text","text":"same"}]},"finish_reason":"stop"}]})",
       "{}", "same"},
      {Provider::kOpenAi, R"({"choices":[{"message":{"content":"{}","reasoning_content":"deep"}}]})", "{}", "deep"},
      {Provider::kResponses,
       R"({"object":"response","status":"completed","error":null,"output":[{"type":"reasoning","summary":[{"type":"summary_text","text":"hm"}]},{"type":"message","content":[{"type":"output_text","text":"{}"}]}],"usage":{"input_tokens":9,"input_tokens_details":{"cached_tokens":4},"output_tokens":8,"output_tokens_details":{"reasoning_tokens":5}}})",
       "{}",
       "hm",
       {.input = 5, .cached = 4, .output = 8, .reasoning = 5}},
      {Provider::kResponses,
       R"({"object":"response","status":"incomplete","incomplete_details":{"reason":"max_output_tokens"},"output":[]})",
       "",
       "",
       {},
       "length"},
      {Provider::kResponses,
       R"({"object":"response","status":"completed","output":[{"type":"message","content":[{"type":"refusal","refusal":"No."}]}]})",
       "",
       "",
       {},
       "refusal",
       "No."},
      {Provider::kGemini,
       R"({"candidates":[{"content":{"parts":[{"text":"hm","thought":true},{"text":"{"},{"text":"}"}]},"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":3,"cachedContentTokenCount":1,"candidatesTokenCount":4,"thoughtsTokenCount":5}})",
       "{}",
       "hm",
       {.input = 2, .cached = 1, .output = 9, .reasoning = 5}},
      {Provider::kGemini,
       R"({"candidates":[{"content":{"parts":[{"text":"{"}]},"finishReason":"MAX_TOKENS"}]})",
       "{",
       "",
       {},
       "length"},
      {Provider::kGemini, R"({"candidates":[{"finishReason":"SAFETY"}]})", "", "", {}, "SAFETY", "SAFETY"},
      {Provider::kGemini, R"({"promptFeedback":{"blockReason":"OTHER"}})", "", "", {}, "OTHER", "OTHER"},
      {Provider::kAnthropic,
       R"({"type":"message","content":[{"type":"thinking","thinking":"hm","signature":"x"},{"type":"text","text":"{}"}],"stop_reason":"end_turn","usage":{"input_tokens":3,"cache_read_input_tokens":2,"cache_creation_input_tokens":1,"output_tokens":4,"output_tokens_details":{"thinking_tokens":2}}})",
       "{}",
       "hm",
       {.input = 3, .cached = 2, .created = 1, .output = 4, .reasoning = 2}},
      {Provider::kAnthropic,
       R"({"type":"message","content":[{"type":"text","text":"I choose"},{"type":"tool_use","name":"answer","input":{"x":1}}],"stop_reason":"tool_use"})",
       R"({"x":1})"},
      {Provider::kAnthropic,
       R"({"type":"message","content":[{"type":"text","text":"{\"x\":"}],"stop_reason":"max_tokens"})",
       R"({"x":)",
       "",
       {},
       "length"},
      {Provider::kAnthropic,
       R"({"type":"message","content":[],"stop_reason":"refusal","stop_details":{"category":"bio","explanation":"It is about germs."}})",
       "",
       "",
       {},
       "refusal",
       "germs"},
  };
  for (const ReplyRow& row : rows) CheckReply(row);
}

TEST(Replies, AreReadFromStreams) {
  const ReplyRow rows[] = {
      {Provider::kOpenAi,
       ": warming up\n\ndata: {\"choices\":[{\"delta\":{\"role\":\"assistant\",\"content\":\"\"}}]}\n\n"
       "data: {\"choices\":[{\"delta\":{\"reasoning_content\":\"h\"}}]}\n\n"
       "data: {\"choices\":[{\"delta\":{\"reasoning_content\":\"m\"}}]}\n\n"
       "data: {\"choices\":[{\"delta\":{\"content\":\"{\"}}]}\n\ndata: "
       "{\"choices\":[{\"delta\":{\"content\":\"}\"}}]}\n\n"
       "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n"
       "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":3,\"completion_tokens\":4}}\n\ndata: [DONE]\n\n",
       "{}",
       "hm",
       {.input = 3, .output = 4}},
      {Provider::kOpenAi,
       "data: {\"choices\":[{\"delta\":{\"refusal\":\"N\"}}]}\n\ndata: {\"choices\":[{\"delta\":{\"refusal\":\"o.\"},"
       "\"finish_reason\":\"stop\"}]}\n\n",
       "",
       "",
       {},
       "refusal",
       "No."},
      {Provider::kResponses,
       "event: response.created\ndata: {\"type\":\"response.created\",\"response\":{\"status\":\"in_progress\"}}\n\n"
       "event: response.output_text.delta\ndata: {\"type\":\"response.output_text.delta\",\"delta\":\"{\"}\n\n"
       "event: response.completed\ndata: {\"type\":\"response.completed\",\"response\":{\"status\":\"completed\","
       "\"output\":[{\"type\":\"message\",\"content\":[{\"type\":\"output_text\",\"text\":\"{}\"}]}],"
       "\"usage\":{\"input_tokens\":3,\"output_tokens\":4}}}\n\n",
       "{}",
       "",
       {.input = 3, .output = 4}},
      {Provider::kResponses,
       "data: {\"type\":\"response.incomplete\",\"response\":{\"status\":\"incomplete\",\"incomplete_details\":"
       "{\"reason\":\"max_output_tokens\"},\"output\":[]}}\n\n",
       "",
       "",
       {},
       "length"},
      {Provider::kGemini,
       "data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"hm\",\"thought\":true}]}}],\"usageMetadata\":"
       "{\"promptTokenCount\":3}}\r\n\r\n"
       "data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"{\"}]}}]}\r\n\r\n"
       "data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"}\"}]},\"finishReason\":\"STOP\"}],"
       "\"usageMetadata\":{\"promptTokenCount\":3,\"candidatesTokenCount\":4,\"thoughtsTokenCount\":1}}\r\n\r\n",
       "{}",
       "hm",
       {.input = 3, .output = 5, .reasoning = 1}},
      {Provider::kAnthropic,
       "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"usage\":{\"input_tokens\":3,"
       "\"cache_read_input_tokens\":2,\"output_tokens\":1}}}\n\nevent: ping\ndata: {\"type\":\"ping\"}\n\n"
       "data: "
       "{\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"thinking\",\"thinking\":\"\"}}\n\n"
       "data: "
       "{\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"thinking_delta\",\"thinking\":\"hm\"}}\n\n"
       "data: "
       "{\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"signature_delta\",\"signature\":\"x\"}}\n\n"
       "data: {\"type\":\"content_block_start\",\"index\":1,\"content_block\":{\"type\":\"text\",\"text\":\"\"}}\n\n"
       "data: {\"type\":\"content_block_delta\",\"index\":1,\"delta\":{\"type\":\"text_delta\",\"text\":\"{}\"}}\n\n"
       "data: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"},\"usage\":{\"output_tokens\":7}}\n\n"
       "data: {\"type\":\"message_stop\"}\n\n",
       "{}",
       "hm",
       {.input = 3, .cached = 2, .output = 7}},
      {Provider::kAnthropic,
       "data: {\"type\":\"message_start\",\"message\":{}}\n\n"
       "data: {\"type\":\"content_block_start\",\"content_block\":{\"type\":\"tool_use\",\"input\":{}}}\n\n"
       "data: "
       "{\"type\":\"content_block_delta\",\"delta\":{\"type\":\"input_json_delta\",\"partial_json\":\"{\\\"x\\\"\"}}"
       "\n\n"
       "data: {\"type\":\"content_block_delta\",\"delta\":{\"type\":\"input_json_delta\",\"partial_json\":\": "
       "1}\"}}\n\n"
       "data: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"tool_use\"}}\n\n"
       "data: {\"type\":\"message_stop\"}\n\n",
       "{\"x\": 1}"},
  };
  for (const ReplyRow& row : rows) CheckReply(row);
}

TEST(Replies, AStreamThatBreaksOffIsNoAnswer) {
  for (const auto& [provider, body] : {
           std::pair(Provider::kOpenAi, "data: {\"choices\":[{\"delta\":{\"content\":\"{}\"}}]}\n\n"),
           std::pair(Provider::kResponses, "data: {\"type\":\"response.output_text.delta\",\"delta\":\"{}\"}\n\n"),
           std::pair(Provider::kGemini, "data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"{}\"}]}}]}\n\n"),
           std::pair(Provider::kAnthropic,
                     "data: {\"type\":\"message_start\",\"message\":{}}\n\ndata: {\"type\":\"content_block_delta\","
                     "\"delta\":{\"type\":\"text_delta\",\"text\":\"{}\"}}\n\n"),
       }) {
    const auto reply = ReadOf(provider, 200, body);
    ASSERT_FALSE(reply) << body;
    EXPECT_TRUE(reply.error().again);
    EXPECT_THAT(reply.error().error.message, HasSubstr("its stream breaks off"));
  }
}

TEST(Failures, AreReadFromAnswers) {
  struct Row {
    Provider provider;
    int status;
    const char* body;
    int meant;
  };
  for (const Row& row : {
           Row{Provider::kOpenAi, 200, "<html>", 200},
           Row{Provider::kOpenAi, 200, "", 200},
           Row{Provider::kOpenAi, 200, "{}", 200},
           Row{Provider::kOpenAi, 200, R"({"id":"warming up"})", 200},
           Row{Provider::kOpenAi, 200, R"({"error":{"message":"busy","code":429}})", 429},
           Row{Provider::kOpenAi, 200,
               "data: {\"choices\":[{\"delta\":{\"content\":\"{\"}}]}\n\ndata: "
               "{\"error\":{\"code\":502,\"message\":\"gone\"},"
               "\"choices\":[{\"delta\":{},\"finish_reason\":\"error\"}]}\n\n",
               502},
           Row{Provider::kOpenAi, 200, "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"error\"}]}\n\n", 500},
           Row{Provider::kAnthropic, 200,
               "data: {\"type\":\"message_start\",\"message\":{}}\n\ndata: {\"type\":\"error\",\"error\":{\"type\":"
               "\"overloaded_error\",\"message\":\"Overloaded\"}}\n\n",
               529},
           Row{Provider::kAnthropic, 529, R"({"type":"error","error":{"type":"overloaded_error"}})", 529},
           Row{Provider::kResponses, 200,
               "data: {\"type\":\"response.failed\",\"response\":{\"status\":\"failed\",\"error\":{\"code\":"
               "\"rate_limit_exceeded\",\"message\":\"slow\"}}}\n\n",
               429},
           Row{Provider::kResponses, 200, "data: {\"type\":\"error\",\"code\":\"server_error\",\"message\":\"x\"}\n\n",
               500},
           Row{Provider::kGemini, 200, R"({"candidates":[{"finishReason":"MALFORMED_RESPONSE"}]})", 200},
           Row{Provider::kGemini, 503, R"({"error":{"status":"RESOURCE_EXHAUSTED","code":503}})", 503},
       }) {
    const auto reply = ReadOf(row.provider, row.status, row.body);
    ASSERT_FALSE(reply) << row.body;
    EXPECT_TRUE(reply.error().again) << row.body;
    EXPECT_EQ(reply.error().status, row.meant) << row.body;
  }
  EXPECT_TRUE(ReadOf(Provider::kOpenAi, 401, "{}").error().permanent);
  EXPECT_TRUE(ReadOf(Provider::kOpenAi, 200, R"({"error":{"type":"authentication_error"}})").error().permanent);
  const auto filtered = ReadOf(Provider::kOpenAi, 400, R"({"error":{"code":"content_filter"}})");
  ASSERT_TRUE(filtered) << "an answer, not an outage";
  EXPECT_TRUE(filtered->refusal.has_value());
  // A connection that breaks after an overload was reported.
  ReplyReader reader(Provider::kAnthropic);
  reader.Feed("data: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\"}}\n\n");
  EXPECT_EQ(reader.Finish(Fail(ErrorCode::kIo, "reset"), kNow).error().status, 529);
  EXPECT_EQ(ReplyReader(Provider::kOpenAi).Finish(Fail(ErrorCode::kTimeout, "late"), kNow).error().status, 0);
}

TEST(Replies, AnyJsonIsReadOrRefused) {
  for (const char* body :
       {"null", "[]", "{}", "3", R"({"choices":[]})", R"({"choices":[3]})", R"({"choices":{"a":1}})",
        R"({"choices":[{"message":{"content":3}}],"usage":{"prompt_tokens":-1,"completion_tokens":"many"}})",
        R"({"candidates":[null]})", R"({"candidates":[{"content":{"parts":[3,{"text":4}]}}]})",
        R"({"type":"message","content":[null,{"type":"tool_use"}]})",
        R"({"object":"response","output":[3,{"content":[4]}]})", R"({"error":[]})", R"({"error":"x"})", "<html>",
        "\xFF\xFE", "data: 3\n\n", "data: {\n\n", "data: [[]]\n\n"}) {
    for (const Provider provider : kProviders) {
      const auto reply = ReadOf(provider, 200, body);
      if (!reply) {
        EXPECT_FALSE(reply.error().error.message.empty()) << body;
      }
    }
  }
}

TEST(Replies, AreOfBoundedSize) {
  ReplyReader reader(Provider::kOpenAi);
  const std::string chunk = "data: {\"choices\":[{\"delta\":{\"content\":\"" + std::string(100'000, 'x') + "\"}}]}\n\n";
  for (int i = 0; i < 50; ++i) reader.Feed(chunk);
  reader.Feed("data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n");
  net::HttpResponse response;
  response.status = 200;
  const auto reply = reader.Finish(response, kNow);
  ASSERT_TRUE(reply);
  EXPECT_LE(reply->text.size(), 3u << 20);
  const auto large = ReadOf(Provider::kOpenAi, 200, "{\"a\":\"" + std::string(9u << 20, 'x') + "\"}", 1u << 20);
  ASSERT_FALSE(large);
  EXPECT_THAT(large.error().error.message, HasSubstr("larger than 8 MiB"));
}

}  // namespace
}  // namespace openseat::llm

#include "agents/llm/provider.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>

#include "testing/provider_check.h"

namespace openseat::llm {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr Provider kProviders[] = {Provider::kOpenAi, Provider::kGemini, Provider::kAnthropic};
const Time kNow{std::chrono::seconds(1'445'412'400)};

AnswerForm Form() {
  auto move = std::make_shared<Action>();
  move->name = "move";
  move->schema = *json::Parse(
      R"({"type":"object","properties":{"x":{"type":"integer"},"why":{"type":"string","maxLength":9}},"required":["x"]})");
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
  return {"Rules. Answer in JSON.", {{Role::kUser, "Go."}, {Role::kAssistant, "{}"}, {Role::kUser, "Again."}}};
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

TEST(Requests, HaveThePublishedShape) {
  for (const Provider provider : kProviders) {
    for (const Structured structured : {Structured::kSchema, Structured::kObject, Structured::kNone}) {
      Model model = Of(provider);
      model.structured = structured;
      model.temperature = 0.5;
      model.top_p = 0.9;
      const net::HttpCall call = MakeCall(model, SomePrompt(), Form(), 77);
      EXPECT_EQ(call.method, net::Method::kPost);
      EXPECT_EQ(call.max_redirects, 0) << "keys go nowhere else";
      const auto request = Seen(model, call);
      EXPECT_THAT(testing::RequestFaults(request, "the-key"), IsEmpty()) << call.body;
      EXPECT_THAT(call.body, HasSubstr("77"));
      EXPECT_THAT(testing::TextsOf(request), ::testing::ElementsAre("Rules. Answer in JSON.", "Go.", "{}", "Again."));
      if (structured == Structured::kSchema) {
        EXPECT_NE(testing::AnswerSchemaOf(request), nullptr);
      }
    }
  }
}

// Tests of the checks themselves: they see what is wrong.
TEST(Requests, AreHeldToIt) {
  for (const Provider provider : kProviders) {
    const Model model = Of(provider);
    const auto good = Seen(model, MakeCall(model, SomePrompt(), Form(), 77));
    auto bad = good;
    bad.body.get_object()["frequency"] = 1;
    EXPECT_EQ(testing::RequestFaults(bad, "the-key").size(), 1u);
    EXPECT_EQ(testing::RequestFaults(good, "another-key").size(), 1u);
    Prompt prompt = SomePrompt();
    prompt.messages.pop_back();
    EXPECT_FALSE(testing::RequestFaults(Seen(model, MakeCall(model, prompt, Form(), 77)), "the-key").empty());
  }
}

TEST(Requests, TakeTheOperatorsHeadersAndMembers) {
  Model model = Of(Provider::kGemini);
  model.headers = {{"X-Team", "games"}};
  model.body = json::Parse(R"({"generationConfig":{"topK":3},"safetySettings":[]})")->get_object();
  const net::HttpCall call = MakeCall(model, SomePrompt(), Form(), 77);
  EXPECT_EQ(call.headers.Get("X-Team"), "games");
  const json::Value body = *json::Parse(call.body);
  EXPECT_EQ(body.at("generationConfig").at("topK"), json::Value(3));
  EXPECT_EQ(body.at("generationConfig").at("maxOutputTokens"), json::Value(77));
  EXPECT_TRUE(body.at("safetySettings").is_array());

  model = Of(Provider::kOpenAi);
  EXPECT_THAT(MakeCall(model, SomePrompt(), Form(), 77).body, HasSubstr("\"max_tokens\":77"));
  model.base_url = "https://api.openai.com/v1";
  EXPECT_THAT(MakeCall(model, SomePrompt(), Form(), 77).body, HasSubstr("\"max_completion_tokens\":77"));
  model.api_key.clear();
  EXPECT_FALSE(MakeCall(model, SomePrompt(), Form(), 77).headers.Has("Authorization"));
}

net::HttpResponse Answer(int status, std::string body) {
  net::HttpResponse response;
  response.status = status;
  response.body = std::move(body);
  return response;
}

TEST(Replies, AreReadFromEachProvider) {
  struct Row {
    Provider provider;
    const char* body;
    const char* text;
    std::uint64_t input;
    std::uint64_t output;
    bool cut_off;
    const char* refusal;  // nullptr: none
  };
  const Row rows[] = {
      {Provider::kOpenAi,
       R"({"choices":[{"message":{"role":"assistant","content":"{}"},"finish_reason":"stop"}],"usage":{"prompt_tokens":3,"completion_tokens":4}})",
       "{}", 3, 4, false, nullptr},
      {Provider::kOpenAi,
       R"({"choices":[{"message":{"content":[{"type":"text","text":"{"},{"type":"text","text":"}"}]},"finish_reason":"length"}]})",
       "{}", 0, 0, true, nullptr},
      {Provider::kOpenAi, R"({"choices":[{"message":{"content":null,"refusal":"No."},"finish_reason":"stop"}]})", "", 0,
       0, false, "No."},
      {Provider::kOpenAi, R"({"choices":[{"message":{"content":""},"finish_reason":"content_filter"}]})", "", 0, 0,
       false, "filter"},
      {Provider::kGemini,
       R"({"candidates":[{"content":{"parts":[{"text":"hm","thought":true},{"text":"{"},{"text":"}"}]},"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":3,"candidatesTokenCount":4,"thoughtsTokenCount":5}})",
       "{}", 3, 9, false, nullptr},
      {Provider::kGemini, R"({"candidates":[{"content":{"parts":[{"text":"{"}]},"finishReason":"MAX_TOKENS"}]})", "{",
       0, 0, true, nullptr},
      {Provider::kGemini, R"({"candidates":[{"finishReason":"SAFETY"}]})", "", 0, 0, false, "SAFETY"},
      {Provider::kGemini, R"({"promptFeedback":{"blockReason":"OTHER"}})", "", 0, 0, false, "OTHER"},
      {Provider::kAnthropic,
       R"({"content":[{"type":"text","text":"I choose"},{"type":"tool_use","name":"answer","input":{"x":1}}],"stop_reason":"tool_use","usage":{"input_tokens":3,"cache_read_input_tokens":2,"output_tokens":4}})",
       R"({"x":1})", 5, 4, false, nullptr},
      {Provider::kAnthropic, R"({"content":[{"type":"text","text":"{\"x\":"}],"stop_reason":"max_tokens"})", R"({"x":)",
       0, 0, true, nullptr},
      {Provider::kAnthropic, R"({"content":[],"stop_reason":"refusal"})", "", 0, 0, false, "declined"},
  };
  for (const Row& row : rows) {
    const auto reply = ReadResponse(Of(row.provider), Answer(200, row.body), kNow);
    ASSERT_TRUE(reply) << row.body;
    if (row.refusal == nullptr) {
      EXPECT_EQ(reply->text, row.text) << row.body;
    }
    EXPECT_EQ(reply->usage.has_value(), row.input > 0) << row.body;
    if (reply->usage) {
      EXPECT_EQ(reply->usage->tokens_in(), row.input);
      EXPECT_EQ(reply->usage->output, row.output);
    }
    EXPECT_EQ(reply->cut_off, row.cut_off) << row.body;
    EXPECT_EQ(reply->refusal.has_value(), row.refusal != nullptr) << row.body;
    if (row.refusal != nullptr) {
      EXPECT_THAT(*reply->refusal, HasSubstr(row.refusal));
    }
  }
}

TEST(Replies, AnyJsonIsReadOrRefused) {
  for (const char* body :
       {"null", "[]", "{}", "3", R"({"choices":[]})", R"({"choices":[3]})", R"({"choices":{"a":1}})",
        R"({"choices":[{"message":{"content":3}}],"usage":{"prompt_tokens":-1,"completion_tokens":"many"}})",
        R"({"candidates":[null]})", R"({"candidates":[{"content":{"parts":[3,{"text":4}]}}]})",
        R"({"content":[null,{"type":"tool_use"}]})", R"({"content":{}})", R"({"error":[]})", R"({"error":"x"})",
        "<html>", "\xFF\xFE"}) {
    for (const Provider provider : kProviders) {
      const auto reply = ReadResponse(Of(provider), Answer(200, body), kNow);
      if (!reply) {
        EXPECT_FALSE(reply.error().error.message.empty()) << body;
      }
    }
  }
}

TEST(Failures, AreReadFromAnswers) {
  const Model model = Of(Provider::kOpenAi);
  EXPECT_TRUE(ReadResponse(model, Fail(ErrorCode::kTimeout, "late"), kNow).error().again);
  EXPECT_TRUE(ReadResponse(model, Answer(200, "<html>"), kNow).error().again) << "a gateway's page";
  EXPECT_TRUE(ReadResponse(model, Answer(401, "{}"), kNow).error().permanent);
  const auto inside = ReadResponse(model, Answer(200, R"({"error":{"message":"busy","code":429}})"), kNow);
  ASSERT_FALSE(inside);
  EXPECT_EQ(inside.error().status, 429);
  const auto filtered = ReadResponse(model, Answer(400, R"({"error":{"code":"content_filter"}})"), kNow);
  ASSERT_TRUE(filtered) << "an answer, not an outage";
  EXPECT_TRUE(filtered->refusal.has_value());
}

}  // namespace
}  // namespace openseat::llm

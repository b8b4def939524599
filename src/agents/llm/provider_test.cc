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

}  // namespace
}  // namespace openseat::llm

#include "agents/llm/model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agents/llm/redact.h"
#include "agents/llm/spending.h"

namespace openseat::llm {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::optional<std::string> Environment(const std::string& name) {
  if (name == "OPENAI_API_KEY") return "openai-secret";
  if (name == "MY_KEY") return "my-secret";
  return std::nullopt;
}

Result<Model> Flag(std::string_view text) {
  return ParseModelFlag(text, Environment);
}
Result<Model> Config(const char* text) {
  return ParseModel("m", json::Parse(text)->get_object(), Environment);
}

TEST(ModelFlag, TakesNoAddressForAPartOfTheModelsName) {
  for (const char* text : {"x=openai:m@127.0.0.1:11434/v1", "x=openai:m@localhost:8080", "x=openai:m@ftp://host/v1"}) {
    const auto model = Flag(text);
    ASSERT_FALSE(model) << text;
    EXPECT_THAT(model.error().message, ::testing::HasSubstr("begins with http:// or https://")) << text;
  }
  EXPECT_FALSE(Flag("x=gemini:m@http://127.0.0.1:1 b"));
  const auto named = Flag("x=openai:@cf/meta/llama@3:8b");
  ASSERT_TRUE(named) << named.error().message;
  EXPECT_EQ(named->model, "@cf/meta/llama@3:8b");
}

TEST(ModelFlag, NamesProviderModelAndPlace) {
  auto model = Flag("local=openai:llama3:8b@http://127.0.0.1:11434/v1/");
  ASSERT_TRUE(model) << model.error().message;
  EXPECT_EQ(model->name, "local");
  EXPECT_EQ(model->provider, Provider::kOpenAi);
  EXPECT_EQ(model->model, "llama3:8b");
  EXPECT_EQ(model->base_url, "http://127.0.0.1:11434/v1");
  EXPECT_EQ(model->api_key, "openai-secret");
  model = Flag("g=gemini:gemini-2.5-flash");
  ASSERT_TRUE(model);
  EXPECT_EQ(model->base_url, "https://generativelanguage.googleapis.com/v1beta");
  EXPECT_EQ(model->api_key, "");
  EXPECT_EQ(Flag("a=anthropic:claude@https://proxy.example")->base_url, "https://proxy.example/v1");
  EXPECT_EQ(Flag("o=openai:m@http://127.0.0.1:9")->base_url, "http://127.0.0.1:9/v1");
}

TEST(ModelFlag, SaysWhatIsWrong) {
  const struct {
    const char* flag;
    const char* error;
  } rows[] = {
      {"", "NAME=PROVIDER:MODEL@URL"},
      {"x", "NAME=PROVIDER:MODEL@URL"},
      {"x=openai", "NAME=PROVIDER:MODEL@URL"},
      {"=openai:m", "a model's name"},
      {"x y=openai:m", "a model's name"},
      {"x=robot:m", "got \"robot\""},
      {"x=openai:", "needs model"},
      {"x=openai:m@http://u:p@host/v1", "no password"},
      {"x=openai:m@http://host/v1?key=1", "no query"},
      {"x=openai:m@http://host/v1,temprature=0", "no option \"temprature\"; the options are provider, base_url"},
      {"x=openai:m,temprature=0", "no option \"temprature\""},
      {"x=openai:m,effort=high,temprature=0", "no option \"temprature\""},
  };
  for (const auto& row : rows) {
    const auto model = Flag(row.flag);
    ASSERT_FALSE(model) << row.flag;
    EXPECT_THAT(model.error().message, HasSubstr(row.error)) << row.flag;
  }
}

TEST(ModelFlag, KnowsWhichKeyIsMissing) {
  EXPECT_EQ(MissingKey(*Flag("x=openai:m")), "");
  EXPECT_EQ(MissingKey(*Flag("x=gemini:m")), "GEMINI_API_KEY");
  EXPECT_EQ(MissingKey(*Flag("x=gemini:m@http://127.0.0.1:9")), "");
}

TEST(ModelConfig, ReadsEverything) {
  const auto model = Config(
      R"({"provider":"anthropic","model":"big","base_url":"https://host/v1","api_key_env":"MY_KEY","headers":{"X-Team":"games"},"proxy":"","body":{"top_k":5},"temperature":0.5,"top_p":1,"structured":"object","max_tokens":100,"context_tokens":1000,"timeout":2.5,"retries":1,"backoff":0.25,"max_wait":3,"input_price":3,"output_price":15,"table_tokens":5000,"table_cost":0.5,"daily_tokens":70000,"daily_cost":9})");
  ASSERT_TRUE(model) << model.error().message;
  EXPECT_EQ(model->api_key, "my-secret");
  EXPECT_EQ(model->headers.front().second, "games");
  EXPECT_EQ(model->proxy, "");
  EXPECT_EQ(model->structured, Structured::kObject);
  EXPECT_EQ(model->thinking, Thinking::kNative);
  EXPECT_EQ(model->timeout, std::chrono::milliseconds(2500));
  EXPECT_EQ(model->backoff, std::chrono::milliseconds(250));
  EXPECT_EQ(model->max_tokens, 100u);
  EXPECT_EQ(model->daily_tokens, 70'000u);
  EXPECT_DOUBLE_EQ(model->daily_cost, 9);
  EXPECT_DOUBLE_EQ(model->Cost({.input = 1'000'000, .output = 100'000}), 4.5);
}

TEST(ModelConfig, KnowsWhereAModelThinks) {
  const auto thinking = [](const char* text) { return Config(text)->thinking; };
  EXPECT_EQ(thinking(R"({"model":"m"})"), Thinking::kField);
  EXPECT_EQ(thinking(R"({"model":"m","effort":"high"})"), Thinking::kNative);
  EXPECT_EQ(thinking(R"({"model":"m","reasoning":"free"})"), Thinking::kFree);
  for (const char* provider : {"responses", "gemini", "anthropic"}) {
    const auto model = Config((std::string(R"({"model":"m","provider":")") + provider + "\"}").c_str());
    EXPECT_EQ(model->thinking, Thinking::kNative) << provider;
    EXPECT_EQ(model->max_tokens, 16'384u) << "thoughts count";
    EXPECT_EQ(model->timeout, std::chrono::minutes(5));
  }
  EXPECT_EQ(Config(R"({"model":"m"})")->max_tokens, 4'096u);
  EXPECT_EQ(Config(R"({"model":"m","effort":"low","max_tokens":9})")->max_tokens, 9u);
  EXPECT_EQ(Config(R"({"model":"m","thinking_tokens":20000})")->max_tokens, 24'096u);
}

TEST(ModelSettings, HaveEveryOptionButTheKey) {
  auto model = Config(
      R"({"model":"m","api_key":"sk-secret","headers":{"X-Team":"secret"},"structured":"object","reasoning":"free","timeout":2.5})");
  ASSERT_TRUE(model) << model.error().message;
  const json::Object settings = SettingsOf(*model);
  EXPECT_THAT(json::Write(settings), Not(HasSubstr("secret")));
  EXPECT_EQ(settings.at("structured"), "object");
  EXPECT_EQ(settings.at("reasoning"), "free");
  EXPECT_EQ(settings.at("timeout"), 2.5);
  EXPECT_EQ(settings.at("temperature"), nullptr);
  std::size_t options = 0;
  for (const auto& member : settings) options += IsModelOption(json::KeyOf(member)) ? 1 : 0;
  EXPECT_EQ(options, settings.size());
  EXPECT_EQ(options, kModelOptions - 3) << "all but api_key, api_key_env and proxy";
}

TEST(ModelFlag, TakesOptions) {
  auto model = Flag(
      "x=openai:odd,name:7b@http://host/v1/a,b,effort=high,max_tokens=9000,body={\"top_k\":5,\"x\":[1,2]},stream=false,"
      "proxy=,tokens_member=n_predict,temperature=0.5");
  ASSERT_TRUE(model) << model.error().message;
  EXPECT_EQ(model->model, "odd,name:7b");
  EXPECT_EQ(model->base_url, "http://host/v1/a,b");
  EXPECT_EQ(model->effort, "high");
  EXPECT_EQ(model->max_tokens, 9'000u);
  EXPECT_EQ(json::Write(model->body), R"({"top_k":5,"x":[1,2]})");
  EXPECT_FALSE(model->stream);
  EXPECT_EQ(model->proxy, "");
  EXPECT_EQ(model->tokens_member, "n_predict");
  EXPECT_EQ(model->temperature, 0.5);
  model = Flag("x=gemini:m,reasoning=field,api_key_env=MY_KEY");
  ASSERT_TRUE(model) << model.error().message;
  EXPECT_EQ(model->api_key, "my-secret");
  EXPECT_EQ(model->model, "m");
  const struct {
    const char* flag;
    const char* error;
  } rows[] = {
      {"x=openai:m,effort=", ""},
      {"x=openai:m,max_tokens=many", "max_tokens"},
      {"x=openai:m,effort=low,effort=high", "given twice"},
      {"x=openai:m,effort=low,model=other", "stands before"},
      {"x=openai:m,api_key=sk-secret", "api_key_env"},
      {"x=anthropic:m,seed=1", "has no seeds"},
      {"x=openai:m,reasoning=loud", "must be one of \"native\""},
      {"x=openai:m,reasoning=field,effort=high", "are for reasoning"},
  };
  for (const auto& row : rows) {
    const auto wrong = Flag(row.flag);
    if (*row.error == '\0') {
      EXPECT_TRUE(wrong) << row.flag;
      continue;
    }
    ASSERT_FALSE(wrong) << row.flag;
    EXPECT_THAT(wrong.error().message, HasSubstr(row.error)) << row.flag;
    EXPECT_THAT(wrong.error().message, Not(HasSubstr("secret")));
  }
}

TEST(ModelConfig, SaysWhatIsWrongAndNeverTheKey) {
  for (const char* text :
       {R"({})", R"({"model":"m","speed":1})", R"({"model":"m","temperature":"hot"})", R"({"model":"m","timeout":0})",
        R"({"model":"m","structured":"yes"})", R"({"model":"m","headers":{"A":"b\r\nC: d"}})",
        R"({"model":"m","api_key":"sk-very-secret","api_key_env":"MY_KEY"})", R"({"model":"m","api_key_env":"UNSET"})",
        R"({"model":"m","api_key":{"sk-very-secret":1}})", R"({"model":"m","table_cost":1})",
        R"({"model":"m","base_url":"ftp://host"})", R"({"model":"m","api_key":"sk-very\nsecret"})"}) {
    const auto model = Config(text);
    ASSERT_FALSE(model) << text;
    EXPECT_THAT(model.error().message, Not(HasSubstr("secret"))) << text;
  }
  EXPECT_EQ(Config(R"({"model":"m","api_key_env":""})")->api_key, "") << "no key at all";
}

TEST(Redactor, HidesSecretsHoweverTheyAreWritten) {
  Model model;
  model.api_key = "k\"ey/with+odd=signs";
  model.headers = {{"X-Token", "Bearer header-token-1"}};
  model.proxy = "http://user:proxy-pass@127.0.0.1:8080";
  const Redactor redact(model);
  EXPECT_EQ(redact("a k\"ey/with+odd=signs b"), "a [redacted] b");
  EXPECT_EQ(redact(R"({"k":"k\"ey/with+odd=signs"})"), R"({"k":"[redacted]"})");
  EXPECT_EQ(redact("?key=k%22ey%2Fwith%2Bodd%3Dsigns&x"), "?key=[redacted]&x");
  EXPECT_EQ(redact("header-token-1 and Bearer header-token-1"), "[redacted] and [redacted]");
  EXPECT_EQ(redact("no proxy-pass here"), "no [redacted] here");
  EXPECT_EQ(redact("Incorrect API key: sk-abcdef****wxyz. AIzaSyA1234567890"),
            "Incorrect API key: [redacted]. [redacted]");
  EXPECT_EQ(redact("a task-force, sk-ip"), "a task-force, sk-ip");
  EXPECT_EQ(Redactor(Model())("nothing to hide"), "nothing to hide");
}

TEST(Redactor, HidesSecretsThatAreEscaped) {
  Model model;
  model.api_key = "sk-SECRET/of-it";
  const Redactor redact(model);
  EXPECT_EQ(redact(R"({"a": "\u0073k-\u0053ECRET\/of-it, \n"})"), R"({"a": "[redacted], \n"})");
  EXPECT_EQ(redact(R"("{\"a\": \"sk-\\u0053ECRET/of-it\"}")"), R"("{\"a\": \"[redacted]\"}")") << "within a text";
  EXPECT_EQ(redact(R"({a: 'sk-\x53ECRET/of-it'})"), R"({a: '[redacted]'})");
  EXPECT_EQ(redact(R"(AIzaSy\u0041bcdefgh12345 \u00e9)"), R"([redacted] \u00e9)");
  EXPECT_EQ(redact(R"(\ \u \u00 \x \)"), R"(\ \u \u00 \x \)");
  json::Value value = *json::Parse(R"({"sk-SECRET/of-it":["sk-SECRET/of-it",{"b":"is sk-\\u0053ECRET/of-it"}],"c":1})");
  redact.RedactAll(value);
  EXPECT_EQ(json::Write(value), R"({"[redacted]":["[redacted]",{"b":"is [redacted]"}],"c":1})");
}

TEST(ModelStats, HasPercentiles) {
  ModelStats stats;
  EXPECT_EQ(stats.Latency(0.5), 0);
  for (int i = 100; i >= 0; --i) stats.latencies.push_back(static_cast<float>(i));
  EXPECT_EQ(stats.Latency(0), 0);
  EXPECT_EQ(stats.Latency(0.5), 50);
  EXPECT_EQ(stats.Latency(0.99), 99);
  EXPECT_EQ(stats.Latency(1), 100);
}

}  // namespace
}  // namespace openseat::llm

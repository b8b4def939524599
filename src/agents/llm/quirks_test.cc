#include "agents/llm/quirks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace openseat::llm {
namespace {

using ::testing::HasSubstr;

Model Asked(Provider provider) {
  Model model;
  model.provider = provider;
  model.thinking = Thinking::kNative;
  model.effort = "high";
  model.temperature = 0.5;
  model.top_p = 0.5;
  model.seed = 1;
  model.thinking_tokens = 2'000;
  return model;
}

CallFailure Refusal(const char* message, int status = 400) {
  return ProviderFailure(status, {},
                         json::Object{{"error", json::Object{{"type", "invalid_request_error"}, {"message", message}}}},
                         "", Time());
}

// Messages as the providers write them, and what is learned from each.
TEST(Quirks, LearnWhatAModelRefuses) {
  struct Row {
    Provider provider;
    const char* message;
    bool Refusals::* member;
  };
  const Row rows[] = {
      {Provider::kOpenAi,
       "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
       &Refusals::tokens_member},
      {Provider::kOpenAi, "Unrecognized request argument supplied: max_completion_tokens", &Refusals::tokens_member},
      {Provider::kOpenAi, "Unsupported value: 'temperature' does not support 0.5 with this model.",
       &Refusals::temperature},
      {Provider::kAnthropic, "`top_p` is not supported by this model", &Refusals::top_p},
      {Provider::kOpenAi, "Unknown parameter: 'seed'", &Refusals::seed},
      {Provider::kOpenAi, "stream_options: unknown field", &Refusals::stream_usage},
      {Provider::kOpenAi, "Unsupported parameter: 'reasoning_effort' is not supported with this model.",
       &Refusals::effort},
      {Provider::kOpenAi, "Failed to initialize samplers: failed to parse grammar", &Refusals::schema_details},
      {Provider::kOpenAi, "Invalid schema for response_format 'answer'", &Refusals::schema_details},
      {Provider::kResponses, "Your organization must be verified to generate reasoning summaries", &Refusals::summary},
      {Provider::kResponses, "Unsupported parameter: 'reasoning.summary'", &Refusals::summary},
      {Provider::kAnthropic, "thinking.budget_tokens: Extra inputs are not permitted", &Refusals::thinking_budget},
      {Provider::kAnthropic, "adaptive thinking is not supported on this model", &Refusals::thinking},
      {Provider::kAnthropic, "output_config.effort: not supported", &Refusals::effort},
      {Provider::kAnthropic, "output_config: Extra inputs are not permitted", &Refusals::output_format},
      {Provider::kAnthropic, "output_config.format.schema: too complex", &Refusals::output_format},
      {Provider::kAnthropic, "system.0.cache_control: Extra inputs are not permitted", &Refusals::cache},
      {Provider::kGemini, "Thinking budget is not supported by this model; use thinking level.",
       &Refusals::thinking_budget},
      {Provider::kGemini, "Thinking level is not supported by this model.", &Refusals::effort},
      {Provider::kGemini, "Thinking is not supported by this model", &Refusals::thinking},
      {Provider::kGemini, "Invalid JSON payload: responseJsonSchema is too complex", &Refusals::schema_details},
  };
  for (const Row& row : rows) {
    Quirks quirks;
    const Model model = Asked(row.provider);
    EXPECT_NE(quirks.Learn(model, Refusal(row.message), {}, 4'096, ""), "") << row.message;
    Refusals expected;
    expected.*row.member = true;
    EXPECT_EQ(quirks.For(""), expected) << row.message;
    EXPECT_NE(quirks.Learn(model, Refusal(row.message), {}, 4'096, ""), "") << "for a call that began before";
  }
}

TEST(Quirks, LearnNothingFromWhatIsSomethingElse) {
  Quirks quirks;
  const Model model = Asked(Provider::kAnthropic);
  EXPECT_EQ(quirks.Learn(model, Refusal("temperature", 401), {}, 100, ""), "");
  EXPECT_EQ(quirks.Learn(model, Refusal("temperature", 500), {}, 100, ""), "");
  EXPECT_EQ(quirks.Learn(model, Refusal("there is no such model"), {}, 100, ""), "");
  Model plain;
  plain.provider = Provider::kOpenAi;
  EXPECT_EQ(quirks.Learn(plain, Refusal("temperature must be a number"), {}, 100, ""), "") << "none was sent";
  EXPECT_EQ(quirks.For(""), Refusals());
  plain.tokens_member = "max_tokens";
  EXPECT_EQ(quirks.Learn(plain, Refusal("'max_tokens' is not supported"), {}, 100, ""), "")
      << "as the operator wants it";
}

TEST(Quirks, ASchemaIsGivenUpStepByStep) {
  Quirks quirks;
  const Model model = Asked(Provider::kOpenAi);
  const auto learn = [&] { return quirks.Learn(model, Refusal("bad response_format"), quirks.For(""), 100, ""); };
  EXPECT_THAT(learn(), HasSubstr("bounds"));
  EXPECT_EQ(StructuredOf(model, quirks.For("")), Structured::kSchema);
  EXPECT_THAT(learn(), HasSubstr("without a schema"));
  EXPECT_EQ(StructuredOf(model, quirks.For("")), Structured::kObject);
  EXPECT_THAT(learn(), HasSubstr("without JSON mode"));
  EXPECT_EQ(StructuredOf(model, quirks.For("")), Structured::kNone);
  EXPECT_EQ(learn(), "");
}

TEST(Quirks, AForcedToolAndThinkingExcludeEachOther) {
  Quirks quirks;
  Model model = Asked(Provider::kAnthropic);
  EXPECT_EQ(ThinkingOf(model, {}), Thinking::kNative);
  EXPECT_EQ(StructuredOf(model, {}), Structured::kSchema);
  quirks.Learn(model, Refusal("output_config.format: not supported"), {}, 100, "");
  EXPECT_EQ(StructuredOf(model, quirks.For("")), Structured::kTool);
  EXPECT_EQ(ThinkingOf(model, quirks.For("")), Thinking::kField);
  // A model that takes neither is told by the prompt alone.
  quirks.Learn(model, Refusal("tool_choice: forced tool use is not supported"), quirks.For(""), 100, "");
  EXPECT_EQ(StructuredOf(model, quirks.For("")), Structured::kNone);
  EXPECT_EQ(ThinkingOf(model, quirks.For("")), Thinking::kNative);
  model.structured = Structured::kTool;
  Quirks others;
  others.Learn(model, Refusal("tool_choice: forced tool use is not supported"), {}, 100, "");
  EXPECT_EQ(StructuredOf(model, others.For("")), Structured::kSchema);
  model.thinking = Thinking::kFree;
  EXPECT_EQ(StructuredOf(model, {}), Structured::kNone);
}

TEST(Quirks, ATokenLimitThatIsTooHighIsHalved) {
  Quirks quirks;
  const Model model = Asked(Provider::kAnthropic);
  const CallFailure failure =
      Refusal("max_tokens: 16384 > 8192, which is the maximum allowed number of output tokens for this model");
  EXPECT_NE(quirks.Learn(model, failure, {}, 16'384, ""), "");
  EXPECT_EQ(quirks.For("").most_tokens, 8'192u);
  EXPECT_EQ(quirks.Learn(model, failure, quirks.For(""), 300, ""), "") << "not without end";
}

// The game's text fills the context: that says nothing about other questions.
TEST(Quirks, AQuestionThatLeavesNoRoomIsAskedForAShorterAnswer) {
  Quirks quirks;
  const Model model = Asked(Provider::kOpenAi);
  const CallFailure full = Refusal(
      "'max_tokens' or 'max_completion_tokens' is too large: 4096. This model's maximum context length is 8192 tokens "
      "and your request has 7781 input tokens.");
  EXPECT_TRUE(full.too_large);
  EXPECT_EQ(quirks.Learn(model, full, {}, 4'096, ""), "");
  EXPECT_EQ(quirks.For(""), Refusals());
  EXPECT_EQ(FewerTokens(full, 4'096), 2'048u);
  EXPECT_EQ(FewerTokens(full, 300), std::nullopt) << "not without end";
  EXPECT_EQ(FewerTokens(Refusal("This model's maximum context length is 8192 tokens. However, you requested 11877 "
                                "tokens (7781 in the messages, 4096 in the completion)."),
                        4'096),
            2'048u);
  EXPECT_EQ(FewerTokens(Refusal("prompt is too long: 220000 tokens > 200000 maximum"), 4'096), std::nullopt);
  EXPECT_EQ(FewerTokens(Refusal("max_tokens: 16384 > 8192"), 16'384), std::nullopt);
}

TEST(Quirks, MoreTokensThanTheContextAreLearned) {
  Quirks quirks;
  const Model model = Asked(Provider::kOpenAi);
  const CallFailure failure = Refusal(
      "'max_tokens' or 'max_completion_tokens' is too large: 16384. This model's maximum context length is 8192 tokens "
      "and your request has 50 input tokens.");
  EXPECT_EQ(FewerTokens(failure, 16'384), std::nullopt);
  EXPECT_NE(quirks.Learn(model, failure, {}, 16'384, ""), "");
  EXPECT_EQ(quirks.For("").most_tokens, 8'192u);
  EXPECT_NE(quirks.Learn(model, failure, {}, 8'192, ""), "");
  EXPECT_EQ(quirks.Learn(model, failure, {}, 4'096, ""), "");
}

TEST(Quirks, WhatAStrangersTableTeachesHoldsForThatAddress) {
  Quirks quirks;
  const Model model = Asked(Provider::kOpenAi);
  const auto learn = [&](const std::string& address) {
    return quirks.Learn(model, Refusal("bad response_format"), quirks.For(address), 100, address);
  };
  EXPECT_NE(learn("203.0.113.9"), "");
  EXPECT_TRUE(quirks.For("203.0.113.9").schema_details);
  for (const char* other : {"", "loopback", "203.0.113.10"}) EXPECT_EQ(quirks.For(other), Refusals()) << other;
  EXPECT_NE(learn("loopback"), "");
  EXPECT_TRUE(quirks.For("203.0.113.10").schema_details) << "the operator's own tables teach all";
  EXPECT_FALSE(quirks.For("203.0.113.10").schema);
  EXPECT_NE(learn("203.0.113.10"), "");
  EXPECT_TRUE(quirks.For("203.0.113.10").schema) << "in addition to it";
  for (std::size_t i = 0; i < Quirks::kMostStrangers; ++i) learn("2001:db8:0:" + std::to_string(i) + "::/64");
  EXPECT_FALSE(quirks.For("203.0.113.10").schema) << "no more strangers than that are remembered";
}

}  // namespace
}  // namespace openseat::llm

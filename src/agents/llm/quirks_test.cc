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
    EXPECT_NE(quirks.Learn(model, Refusal(row.message), {}, 4'096), "") << row.message;
    Refusals expected;
    expected.*row.member = true;
    EXPECT_EQ(quirks.Get(), expected) << row.message;
    EXPECT_NE(quirks.Learn(model, Refusal(row.message), {}, 4'096), "") << "for a call that began before";
  }
}

TEST(Quirks, LearnNothingFromWhatIsSomethingElse) {
  Quirks quirks;
  const Model model = Asked(Provider::kAnthropic);
  EXPECT_EQ(quirks.Learn(model, Refusal("temperature", 401), {}, 100), "");
  EXPECT_EQ(quirks.Learn(model, Refusal("temperature", 500), {}, 100), "");
  EXPECT_EQ(quirks.Learn(model, Refusal("there is no such model"), {}, 100), "");
  Model plain;
  plain.provider = Provider::kOpenAi;
  EXPECT_EQ(quirks.Learn(plain, Refusal("temperature must be a number"), {}, 100), "") << "none was sent";
  EXPECT_EQ(quirks.Get(), Refusals());
  plain.tokens_member = "max_tokens";
  EXPECT_EQ(quirks.Learn(plain, Refusal("'max_tokens' is not supported"), {}, 100), "") << "as the operator wants it";
}

TEST(Quirks, ASchemaIsGivenUpStepByStep) {
  Quirks quirks;
  const Model model = Asked(Provider::kOpenAi);
  const auto learn = [&] { return quirks.Learn(model, Refusal("bad response_format"), quirks.Get(), 100); };
  EXPECT_THAT(learn(), HasSubstr("bounds"));
  EXPECT_EQ(StructuredOf(model, quirks.Get()), Structured::kSchema);
  EXPECT_THAT(learn(), HasSubstr("without a schema"));
  EXPECT_EQ(StructuredOf(model, quirks.Get()), Structured::kObject);
  EXPECT_THAT(learn(), HasSubstr("without JSON mode"));
  EXPECT_EQ(StructuredOf(model, quirks.Get()), Structured::kNone);
  EXPECT_EQ(learn(), "");
}

TEST(Quirks, AForcedToolAndThinkingExcludeEachOther) {
  Quirks quirks;
  Model model = Asked(Provider::kAnthropic);
  EXPECT_EQ(ThinkingOf(model, {}), Thinking::kNative);
  EXPECT_EQ(StructuredOf(model, {}), Structured::kSchema);
  quirks.Learn(model, Refusal("output_config.format: not supported"), {}, 100);
  EXPECT_EQ(StructuredOf(model, quirks.Get()), Structured::kTool);
  EXPECT_EQ(ThinkingOf(model, quirks.Get()), Thinking::kField);
  // A model that takes neither is told by the prompt alone.
  quirks.Learn(model, Refusal("tool_choice: forced tool use is not supported"), quirks.Get(), 100);
  EXPECT_EQ(StructuredOf(model, quirks.Get()), Structured::kNone);
  EXPECT_EQ(ThinkingOf(model, quirks.Get()), Thinking::kNative);
  model.structured = Structured::kTool;
  Quirks others;
  others.Learn(model, Refusal("tool_choice: forced tool use is not supported"), {}, 100);
  EXPECT_EQ(StructuredOf(model, others.Get()), Structured::kSchema);
  model.thinking = Thinking::kFree;
  EXPECT_EQ(StructuredOf(model, {}), Structured::kNone);
}

TEST(Quirks, ATokenLimitThatIsTooHighIsHalved) {
  Quirks quirks;
  const Model model = Asked(Provider::kAnthropic);
  const CallFailure failure =
      Refusal("max_tokens: 16384 > 8192, which is the maximum allowed number of output tokens for this model");
  EXPECT_NE(quirks.Learn(model, failure, {}, 16'384), "");
  EXPECT_EQ(quirks.Get().most_tokens, 8'192u);
  EXPECT_EQ(quirks.Learn(model, failure, quirks.Get(), 300), "") << "not without end";
}

}  // namespace
}  // namespace openseat::llm

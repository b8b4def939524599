// What an LlmAgent does when its calls fail, when its answers do not fit, and what it records of them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

#include "agents/llm/llm_agent_test_support.h"

namespace openseat::llm {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

TEST_F(LlmAgentTest, TriesAgainAfterPausesThatGrow) {
  seat_.AddAction(Make("move", kMove));
  Sit();
  http_.Give(500, "{}");
  http_.answers.emplace_back(Fail(ErrorCode::kTimeout, "host did not answer in time"));
  http_.Say(R"({"x": 0})");
  Ask();
  EXPECT_EQ(http_.calls.size(), 1u);
  scheduler_.Advance(std::chrono::milliseconds(370));
  EXPECT_EQ(http_.calls.size(), 1u) << "at least three quarters of half a second";
  scheduler_.Advance(std::chrono::milliseconds(260));
  EXPECT_EQ(http_.calls.size(), 2u);
  scheduler_.Advance(std::chrono::milliseconds(740));
  EXPECT_EQ(http_.calls.size(), 2u);
  scheduler_.Advance(std::chrono::milliseconds(520));
  EXPECT_EQ(http_.calls.size(), 3u);
  EXPECT_THAT(chosen_, ElementsAre(R"(move {"x":0})"));
  EXPECT_EQ(http_.calls[0].body, http_.calls[2].body);
  EXPECT_EQ(Stats().failures, 2u);
  EXPECT_EQ(Steps()[0].at("step"), "failure");
  EXPECT_EQ(Steps()[0].at("status"), 500);
}

TEST_F(LlmAgentTest, WaitsAsLongAsTheProviderWants) {
  seat_.AddAction(Make("move", kMove));
  Sit();
  http_.Give(429, "{}", "7");
  http_.Say(R"({"x": 0})");
  Ask();
  scheduler_.Advance(std::chrono::milliseconds(6'999));
  EXPECT_EQ(http_.calls.size(), 1u);
  scheduler_.Advance(std::chrono::milliseconds(1));
  EXPECT_EQ(http_.calls.size(), 2u);
  EXPECT_EQ(chosen_.size(), 1u);
  // But not forever.
  http_.Give(429, "{}", "3600");
  Ask();
  EXPECT_THAT(ends_, ElementsAre("settled", "gave-up"));
  EXPECT_EQ(seat_.failure().at("code"), "provider");
  EXPECT_EQ(seat_.failure().at("status"), 429);
}

TEST_F(LlmAgentTest, WaitsPatientlyForAProviderThatIsBusy) {
  seat_.AddAction(Make("move", kMove));
  Model model = DefaultModel();
  model.retries = 1;
  Sit(model, {}, {.patience = std::chrono::hours(1)});
  for (int i = 0; i < 20; ++i) http_.Give(429, "{}", "120");
  http_.Give(500, "{}");
  http_.Give(529, "{}");
  http_.Say(R"({"x": 0})");
  Ask();
  scheduler_.Advance(std::chrono::minutes(50));
  EXPECT_EQ(chosen_.size(), 1u);
  EXPECT_EQ(Steps().back().at("tries"), 23);
  // An hour is the end of it.
  for (int i = 0; i < 3; ++i) http_.Give(429, "{}", "1600");
  Ask();
  scheduler_.Advance(std::chrono::hours(2));
  EXPECT_EQ(seat_.failure().at("status"), 429);
  EXPECT_FALSE(seat_.failure().contains("permanent"));
  EXPECT_TRUE(http_.answers.empty());
}

// A provider that says "now" is not asked without a pause.
TEST_F(LlmAgentTest, PausesAlsoWhereAProviderAsksForNoPause) {
  seat_.AddAction(Make("move", kMove));
  Model model = DefaultModel();
  model.backoff = std::chrono::seconds(1);
  Sit(model, {}, {.patience = std::chrono::hours(1)});
  for (int i = 0; i < 10; ++i) http_.Give(429, "{}", "0");
  http_.Say(R"({"x": 0})");
  Ask();
  scheduler_.Advance(std::chrono::seconds(60));
  EXPECT_LT(http_.calls.size(), 8u);
  EXPECT_GT(http_.calls.size(), 4u);
  scheduler_.Advance(std::chrono::minutes(20));
  EXPECT_EQ(chosen_.size(), 1u);
}

TEST_F(LlmAgentTest, SaysWhenRepeatingCannotHelp) {
  seat_.AddAction(Make("move", kMove));
  Sit(DefaultModel(), {}, {.patience = std::chrono::hours(1)});
  http_.Give(401, "{}");
  Ask();
  EXPECT_EQ(seat_.failure().at("permanent"), true);
  EXPECT_EQ(Steps().front().at("permanent"), true);
  http_.Give(429, R"({"error":{"code":"insufficient_quota"}})", "1");
  Ask();
  EXPECT_EQ(seat_.failure().at("permanent"), true);
  http_.Give(400, R"({"error":{"code":"context_length_exceeded"}})");
  Ask();
  EXPECT_EQ(seat_.failure().at("code"), "too-large");
  EXPECT_FALSE(seat_.failure().contains("permanent"));
  EXPECT_EQ(http_.calls.size(), 3u);
}

TEST_F(LlmAgentTest, RecordsPromptsIfTheProcessWantsThem) {
  seat_.AddAction(Make("move", kMove));
  Sit(DefaultModel(), {}, {.record_prompts = true});
  http_.Say(std::string("my key is ") + kKey);
  http_.Say(R"({"x": 0})");
  Ask("The board.");
  const auto steps = Steps();
  ASSERT_EQ(steps.size(), 2u);
  const json::Array& prompt = steps[0].at("prompt").as_array();
  ASSERT_EQ(prompt.size(), 2u);
  EXPECT_EQ(prompt[0].at("role"), "system");
  EXPECT_THAT(json::Write(prompt[1]), HasSubstr("The board."));
  EXPECT_EQ(steps[1].at("prompt").as_array().size(), 4u);
  EXPECT_THAT(json::Write(steps[1].at("prompt")), Not(HasSubstr(kKey)));
  Sit();
  http_.Say(R"({"x": 0})");
  Ask();
  EXPECT_FALSE(Steps().back().contains("prompt"));
}

TEST_F(LlmAgentTest, CountsTokensByWhatTheyCost) {
  seat_.AddAction(Make("move", kMove));
  Model model = DefaultModel();
  model.input_price = 10;
  model.cached_price = 1;
  model.output_price = 100;
  Sit(model);
  http_.Give(
      200,
      R"({"choices":[{"message":{"content":"{\"x\": 1}"},"finish_reason":"stop"}],"usage":{"prompt_tokens":1000,"prompt_tokens_details":{"cached_tokens":600},"completion_tokens":50,"completion_tokens_details":{"reasoning_tokens":40}}})");
  Ask();
  const json::Object step = Steps().back();
  EXPECT_EQ(json::Write(step.at("usage")), R"({"input":400,"cached":600,"created":0,"output":50,"reasoning":40})");
  EXPECT_EQ(step.at("tokens_in"), 1000);
  EXPECT_EQ(step.at("tokens_out"), 50);
  EXPECT_DOUBLE_EQ(step.at("cost").as_double(), (400 * 10 + 600 * 1 + 50 * 100) / 1e6);
}

TEST_F(LlmAgentTest, WaitsNoLongerThanTheSilenceThatIsAllowed) {
  seat_.AddAction(Make("move", kMove));
  Model model = DefaultModel();
  model.timeout = std::chrono::seconds(30);
  model.retries = 0;
  Sit(model);
  Ask();
  for (int i = 0; i < 10; ++i) {
    scheduler_.Advance(std::chrono::seconds(29));
    http_.calls[0].on_body(": still thinking\n");
  }
  EXPECT_THAT(ends_, IsEmpty()) << "something arrived all the time";
  scheduler_.Advance(std::chrono::seconds(31));
  EXPECT_EQ(http_.canceled, 1);
  EXPECT_EQ(seat_.failure().at("code"), "timeout");
}

TEST_F(LlmAgentTest, AnAnswerThatWasCutIsAskedAgainWithMoreRoom) {
  seat_.AddAction(Make("move", kMove));
  Sit();
  const auto cut = [&](const char* text) {
    http_.Give(
        200, json::Write(json::Object{{"choices", json::Array{json::Object{{"message", json::Object{{"content", text}}},
                                                                           {"finish_reason", "length"}}}}}));
  };
  const auto limit = [&](std::size_t call) { return json::Parse(http_.calls.at(call).body)->at("max_tokens"); };
  cut(R"({"x": 1)");
  http_.Say(R"({"x": 2})");
  Ask("The board.");
  EXPECT_THAT(chosen_, ElementsAre(R"(move {"x":2})")) << "1 may have become 12";
  EXPECT_EQ(limit(0), 4'096);
  EXPECT_EQ(limit(1), 8'192);
  EXPECT_THAT(Texts(1), ElementsAre(HasSubstr("was cut off. Be brief.")));
  EXPECT_EQ(Steps()[0].at("outcome"), "cut-off");
  EXPECT_EQ(Steps()[0].at("stop"), "length");
  EXPECT_EQ(Stats().illegal, 0u);
  EXPECT_EQ(Stats().mended, 0u);
  EXPECT_EQ(Stats().cut_off, 1u);
  // What is whole may be used.
  cut(R"({"x": 0})");
  Ask();
  EXPECT_EQ(chosen_.size(), 2u);
  cut("");
  http_.Say("no");
  http_.Say(R"({"x": 0})");
  Ask();
  EXPECT_EQ(chosen_.size(), 3u) << "an answer that is wrong is something else";
  for (int i = 0; i < 3; ++i) cut("");
  Ask();
  EXPECT_EQ(seat_.failure().at("code"), "cut-off");
  EXPECT_EQ(limit(http_.calls.size() - 1), 16'384);
}

TEST_F(LlmAgentTest, LearnsWhatItsProviderRefuses) {
  seat_.AddAction(Make("move", kMove));
  Model model = DefaultModel();
  model.temperature = 0.3;
  Sit(model);
  http_.Give(400, R"({"error":{"message":"Unsupported parameter: 'max_tokens' is not supported with this model."}})");
  http_.Give(400, R"({"error":{"message":"Unsupported value: 'temperature'."}})");
  http_.Say(R"({"x": 0})");
  Ask();
  EXPECT_THAT(chosen_, ElementsAre(R"(move {"x":0})"));
  EXPECT_THAT(http_.calls[2].body, HasSubstr("max_completion_tokens"));
  EXPECT_THAT(http_.calls[2].body, Not(HasSubstr("temperature")));
  EXPECT_THAT(json::Write(Steps()[0].at("adapted")), HasSubstr("the other name"));
  EXPECT_FALSE(Steps()[0].contains("permanent"));
  http_.Say(R"({"x": 0})");
  Ask();
  EXPECT_EQ(http_.calls.size(), 4u) << "remembered";
  http_.Give(400, R"({"error":{"message":"no such model"}})");
  Ask();
  EXPECT_EQ(seat_.failure().at("permanent"), true);
}

TEST_F(LlmAgentTest, AQuestionThatLeavesNoRoomChangesNothingForTheNextOne) {
  seat_.AddAction(Make("move", kMove));
  Sit(DefaultModel());
  const auto limit = [&](std::size_t call) { return json::Parse(http_.calls[call].body)->at("max_tokens").as_int64(); };
  http_.Give(400,
             R"({"error":{"message":"'max_tokens' is too large: 4096. This model's maximum context length is 8192 )"
             R"(tokens and your request has 7781 input tokens."}})");
  http_.Say(R"({"x": 0})");
  Ask();
  EXPECT_THAT(chosen_, ElementsAre(R"(move {"x":0})"));
  EXPECT_EQ(limit(1), limit(0) / 2);
  EXPECT_THAT(json::Write(Steps()[0].at("adapted")), HasSubstr("this time"));
  http_.Say(R"({"x": 1})");
  Ask();
  EXPECT_EQ(limit(2), limit(0));
}

TEST_F(LlmAgentTest, ACapHoldsForTextsWithATokenForEachCharacter) {
  seat_.AddAction(Make("move", kMove));
  Model model = DefaultModel();
  model.daily_tokens = 4'000;
  Sit(model);
  Ask(std::string(8'000, '7'));
  EXPECT_TRUE(http_.calls.empty());
  EXPECT_EQ(seat_.failure().at("code"), "cap");
}

Model ThinksByItself(Model model) {
  model.provider = Provider::kGemini;
  model.thinking = Thinking::kNative;
  return model;
}

TEST_F(LlmAgentTest, AModelThatDoesNotThinkByItselfGivesItsReasonsInTheAnswer) {
  seat_.AddAction(Make("move", kMove));
  Sit(ThinksByItself(DefaultModel()));
  http_.Give(400, R"({"error":{"message":"Thinking is not supported by this model"}})");
  http_.Give(
      200,
      R"({"candidates":[{"content":{"parts":[{"text":"{\"reasoning\": \"It is free.\", \"x\": 1}"}]},"finishReason":"STOP"}]})");
  Ask();
  EXPECT_THAT(chosen_, ElementsAre(R"(move {"x":1})"));
  EXPECT_THAT(http_.calls[0].body, Not(HasSubstr("Begin with")));
  EXPECT_THAT(http_.calls[1].body, HasSubstr("Begin with"));
  EXPECT_EQ(Steps().back().at("reasoning"), "It is free.");
  EXPECT_EQ(Steps().back().at("outcome"), "strict") << "no repair";
}

TEST_F(LlmAgentTest, WhatSomebodyChoseMeanwhileIsNotAskedInAnotherForm) {
  seat_.AddAction(Make("move", kMove));
  Sit(ThinksByItself(DefaultModel()));
  Ask();
  ASSERT_TRUE(http_.end_last);
  Choice choice{.action = "move", .data = json::Object{{"x", 1}}, .decision = seat_.decision()->id, .by = "console"};
  ASSERT_TRUE(seat_.Choose(std::move(choice)));
  // Most games unregister an action before they report success.
  seat_.RemoveAction("move");
  ASSERT_NE(seat_.awaiting(), nullptr);
  net::HttpResponse refused;
  refused.status = 400;
  refused.body = R"({"error":{"message":"Thinking is not supported by this model"}})";
  http_.end_last(std::move(refused));
  scheduler_.Run();
  EXPECT_THAT(chosen_, ElementsAre(R"(move {"x":1})"));
  EXPECT_EQ(http_.calls.size(), 1u);
  EXPECT_EQ(seat_.decision(), nullptr);
  EXPECT_EQ(seat_.awaiting(), nullptr);
}

TEST_F(LlmAgentTest, TablesShareTheLimitsOfAModel) {
  seat_.AddAction(Make("move", kMove));
  Model model = DefaultModel();
  model.max_concurrent = 1;
  Sit(model);
  CallGate::Pass other;
  other.Enter(models_->Find("it")->gate, scheduler_, "", [] {});
  http_.Say(R"({"x": 0})");
  Ask();
  EXPECT_THAT(http_.calls, IsEmpty());
  other.Leave();
  scheduler_.Run();
  EXPECT_EQ(http_.calls.size(), 1u);
  EXPECT_THAT(chosen_, ElementsAre(R"(move {"x":0})"));
  http_.Say(R"({"x": 0})");
  Ask();
  EXPECT_EQ(http_.calls.size(), 2u) << "the place was given back";
}

TEST_F(LlmAgentTest, AnAddressWithManyTablesWaitsInTurnWithOthers) {
  seat_.AddAction(Make("move", kMove));
  Model model = DefaultModel();
  model.max_concurrent = 1;
  Sit(model);
  CallGate& gate = models_->Find("it")->gate;
  std::array<CallGate::Pass, 5> others;
  std::size_t entered = 0;
  for (CallGate::Pass& other : others) other.Enter(gate, scheduler_, "192.0.2.1", [&] { ++entered; });
  http_.Say(R"({"x": 0})");
  Ask();
  others[0].Leave();
  scheduler_.Run();
  others[1].Leave();
  scheduler_.Run();
  EXPECT_EQ(http_.calls.size(), 1u);
  EXPECT_LE(entered, 3u) << "the rest came before it, and waits";
}

TEST_F(LlmAgentTest, EstimatesTheTokensThatNobodyCounts) {
  seat_.AddAction(Make("move", kMove));
  Sit();
  for (const char* usage : {"{}", R"({"prompt_tokens":0,"completion_tokens":0})"}) {
    http_.Give(200,
               std::string(R"({"choices":[{"message":{"content":"{\"x\": 1}"},"finish_reason":"stop"}],"usage":)") +
                   usage + "}");
    Ask();
    EXPECT_GT(Steps().back().at("tokens_in").as_int64(), 50) << usage;
    EXPECT_EQ(Steps().back().at("tokens_out"), 2) << usage;
  }
}

TEST_F(LlmAgentTest, GivesUpAfterTheLastTry) {
  seat_.AddAction(Make("move", kMove));
  Model model = DefaultModel();
  model.retries = 2;
  Sit(model);
  for (int i = 0; i < 3; ++i) http_.answers.emplace_back(Fail(ErrorCode::kTimeout, "host did not answer in time"));
  Ask();
  scheduler_.Advance(std::chrono::minutes(1));
  EXPECT_EQ(http_.calls.size(), 3u);
  EXPECT_THAT(ends_, ElementsAre("gave-up"));
  EXPECT_EQ(seat_.failure().at("code"), "timeout");
}

TEST_F(LlmAgentTest, StopsAskingWhenTheDecisionIsOver) {
  seat_.AddAction(Make("move", kMove));
  Sit();
  Ask();
  EXPECT_EQ(http_.calls.size(), 1u);
  seat_.Withdraw();
  scheduler_.Run();
  EXPECT_EQ(http_.canceled, 1);
  http_.Give(500, "{}");
  Ask();
  seat_.Withdraw();
  scheduler_.Advance(std::chrono::minutes(5));
  EXPECT_EQ(http_.calls.size(), 2u) << "no further try";
  Ask();
  seat_.SetAgent(nullptr);
  EXPECT_EQ(http_.canceled, 2) << "nor when the agent goes";
}

TEST_F(LlmAgentTest, KeepsToItsCaps) {
  seat_.AddAction(Make("move", kMove));
  Model model = DefaultModel();
  model.table_tokens = 900;
  Sit(model);
  for (int i = 0; i < 20; ++i) http_.Say(R"({"x": 0})");
  for (int i = 0; i < 20 && (ends_.empty() || ends_.back() == "settled"); ++i) Ask();
  EXPECT_EQ(ends_.back(), "gave-up");
  EXPECT_EQ(seat_.failure().at("code"), "cap");
  EXPECT_LE(Stats().usage.tokens(), 900u);
  EXPECT_GE(http_.calls.size(), 3u);
  // Another agent at the same table is no way around it.
  Agent* former = seat_.agent();
  seat_.SetAgent(*models_->MakeAgent({{"model", "it"}}));
  EXPECT_NE(seat_.agent(), former);
  const std::size_t calls = http_.calls.size();
  Ask();
  EXPECT_EQ(http_.calls.size(), calls);
}

TEST_F(LlmAgentTest, ADaysCapHoldsForAllTables) {
  seat_.AddAction(Make("move", kMove));
  Model model = DefaultModel();
  model.daily_tokens = 900;
  Sit(model);
  for (int i = 0; i < 20; ++i) http_.Say(R"({"x": 0})");
  for (int i = 0; i < 20 && (ends_.empty() || ends_.back() == "settled"); ++i) Ask();
  EXPECT_EQ(seat_.failure().at("code"), "cap");
  EXPECT_LE(Stats().usage.tokens(), 900u);
  // A day later it plays on.
  scheduler_.Advance(std::chrono::hours(24));
  Ask();
  EXPECT_EQ(ends_.back(), "settled");
}

// A game may ask again before its model has answered, and again and again.
TEST_F(LlmAgentTest, CallsThatAreCanceledCountForTheCaps) {
  seat_.AddAction(Make("move", kMove));
  Model model = DefaultModel();
  model.table_tokens = 20'000;
  Sit(model);
  const std::string state(4'000, 'x');
  for (int i = 0; i < 30 && ends_.empty(); ++i) {
    Ask(state);
    seat_.Withdraw();
    scheduler_.Run();
  }
  EXPECT_EQ(seat_.failure().at("code"), "cap");
  EXPECT_GE(http_.calls.size(), 5u);
  EXPECT_LE(http_.calls.size(), 10u) << "each may have more than two thousand tokens";
  EXPECT_LE(Stats().unanswered, 20'000u);
  EXPECT_EQ(Stats().usage.tokens(), 0u) << "which are only those that a provider counts";
}

TEST_F(LlmAgentTest, ACallCountsAlsoWhenItsAgentGoes) {
  seat_.AddAction(Make("move", kMove));
  Sit();
  Ask();
  seat_.SetAgent(nullptr);
  EXPECT_GT(Stats().unanswered, 100u);
}

TEST_F(LlmAgentTest, ACallThatWasNeverSentCostsNothing) {
  seat_.AddAction(Make("move", kMove));
  Model model = DefaultModel();
  model.max_concurrent = 1;
  model.table_tokens = 900;
  Sit(model);
  CallGate::Pass other;
  other.Enter(models_->Find("it")->gate, scheduler_, "", [] {});
  for (int i = 0; i < 20; ++i) {
    Ask();
    seat_.Withdraw();
    scheduler_.Run();
  }
  EXPECT_EQ(Stats().unanswered, 0u);
  other.Leave();
  http_.Say(R"({"x": 0})");
  Ask();
  EXPECT_THAT(chosen_, ElementsAre(R"(move {"x":0})"));
}

TEST_F(LlmAgentTest, CountsTriesForWhichItsProviderMayCharge) {
  seat_.AddAction(Make("move", kMove));
  Model model = DefaultModel();
  model.retries = 0;
  Sit(model);
  const auto counted = [this](const auto& fail) {
    const std::uint64_t before = Stats().unanswered;
    fail();
    Ask();
    return Stats().unanswered - before;
  };
  EXPECT_EQ(counted([&] { http_.Give(500, "{}"); }), 0u);
  EXPECT_GT(counted([&] { http_.answers.emplace_back(Fail(ErrorCode::kIo, "connection reset")); }), 100u);
  EXPECT_GT(counted([&] { http_.answers.emplace_back(Fail(ErrorCode::kTimeout, "no answer")); }), 100u);
  EXPECT_GT(counted([&] { http_.Give(200, "<html>"); }), 100u);
  Ask();
  const std::uint64_t before = Stats().unanswered;
  http_.calls.back().on_body("data: {}\n\n");
  http_.end_last(Fail(ErrorCode::kIo, "connection reset"));
  EXPECT_GT(Stats().unanswered - before, 100u) << "it had begun to answer";
}

TEST_F(LlmAgentTest, AProviderThatIsNotReachedCostsNothing) {
  seat_.AddAction(Make("move", kMove));
  Model model = DefaultModel();
  model.retries = 0;
  model.timeout = std::chrono::seconds(30);
  Sit(model);
  http_.reachable = false;
  http_.answers.emplace_back(Fail(ErrorCode::kIo, "connection refused"));
  Ask();
  http_.answers.emplace_back(Fail(ErrorCode::kTimeout, "no connection"));
  Ask();
  EXPECT_EQ(seat_.failure().at("code"), "timeout");
  // Nothing is heard.
  Ask();
  scheduler_.Advance(std::chrono::seconds(31));
  EXPECT_EQ(http_.canceled, 1);
  // The game asks no more.
  Ask();
  seat_.Withdraw();
  scheduler_.Run();
  EXPECT_EQ(http_.canceled, 2);
  EXPECT_EQ(http_.calls.size(), 4u);
  EXPECT_EQ(Stats().unanswered, 0u);
  // The next one is sent.
  http_.reachable = true;
  http_.answers.emplace_back(Fail(ErrorCode::kTimeout, "no answer"));
  Ask();
  EXPECT_GT(Stats().unanswered, 100u);
}

TEST_F(LlmAgentTest, IsNotTriedAgainBeyondItsCaps) {
  seat_.AddAction(Make("move", kMove));
  Model model = DefaultModel();
  model.stream = false;
  model.table_tokens = 10'000;
  Sit(model);
  for (int i = 0; i < 4; ++i) http_.answers.emplace_back(Fail(ErrorCode::kTimeout, "no answer"));
  Ask();
  scheduler_.Advance(std::chrono::minutes(1));
  EXPECT_EQ(http_.calls.size(), 2u) << "each may cost 4,096 tokens and its own";
  EXPECT_EQ(seat_.failure().at("code"), "timeout");
}

TEST_F(LlmAgentTest, SaysHowLongTheProviderWantsToBeLeftAlone) {
  seat_.AddAction(Make("move", kMove));
  Sit();
  http_.Give(429, "{}", "100");
  Ask();
  EXPECT_EQ(seat_.failure().at("wait_ms"), 100'000.0);
}

TEST_F(LlmAgentTest, KeysAreNowhereButInTheHeader) {
  seat_.AddAction(Make("move", kMove));
  Sit();
  const std::string leak = std::string("your key is ") + kKey;
  http_.Give(503, json::Write(json::Object{{"error", json::Object{{"message", leak}}}}), "0");
  http_.Say(leak);
  // However it is written.
  std::string escaped = kKey;
  escaped.replace(escaped.find("se"), 1, "\\u0073");
  http_.Say(R"({"x": "your key is )" + escaped + R"(", "y": {")" + escaped + R"(": 1}})");
  Ask();
  scheduler_.Advance(std::chrono::seconds(1));
  EXPECT_THAT(json::Write(seat_.failure()), Not(HasSubstr("u0073")));
  EXPECT_THAT(ends_, ElementsAre("gave-up"));
  EXPECT_THAT(http_.calls[0].headers.Get("Authorization"), HasSubstr(kKey));
  EXPECT_THAT(http_.calls[0].body, Not(HasSubstr(kKey)));
  EXPECT_THAT(json::Write(seat_.failure()), HasSubstr("[redacted]"));
  EXPECT_THAT(json::Write(seat_.failure()), Not(HasSubstr(kKey)));
  transcript_.Flush();
  const auto events = journal_.Read(TableId("t"), 0, 1'000);
  for (const StoredEvent& stored : *events) {
    EXPECT_THAT(stored.event.payload, Not(HasSubstr(kKey))) << stored.event.payload;
  }
}

}  // namespace
}  // namespace openseat::llm

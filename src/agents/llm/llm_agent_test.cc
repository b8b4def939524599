#include "agents/llm/llm_agent.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/game_base.h"
#include "testing/fake_scheduler.h"
#include "testing/memory_journal.h"
#include "testing/provider_check.h"

namespace openseat::llm {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr char kKey[] = "sk-secret-of-the-test";
constexpr char kMove[] =
    R"({"type":"object","properties":{"x":{"type":"integer","minimum":0,"maximum":2}},"required":["x"],"additionalProperties":false})";

// Answers from a list, on the scheduler; keeps what was asked. Calls beyond the list never finish.
class FakeHttp final : public net::HttpCaller {
 public:
  net::HttpCallId Call(Scheduler& scheduler, net::HttpCall call, net::HttpDone done) override {
    calls.push_back(std::move(call));
    last_ = last_.Next();
    open_ = last_;
    if (!answers.empty()) {
      scheduler.Post([this, id = last_, done = std::move(done), answer = std::move(answers.front()),
                      on_body = calls.back().on_body] {
        if (open_ != id) return;
        if (answer && answer->status < 300) on_body(answer->body);
        done(answer);
      });
      answers.pop_front();
    }
    return last_;
  }
  void Cancel(Scheduler&, net::HttpCallId id) override {
    if (open_ == id) {
      open_ = {};
      ++canceled;
    }
  }

  void Say(const std::string& text) {
    Give(200,
         json::Write(json::Object{{"choices", json::Array{json::Object{{"message", json::Object{{"content", text}}},
                                                                       {"finish_reason", "stop"}}}},
                                  {"usage", json::Object{{"prompt_tokens", 100}, {"completion_tokens", 10}}}}));
  }
  void Give(int status, std::string body, const std::string& retry_after = "") {
    net::HttpResponse response;
    response.status = status;
    response.body = std::move(body);
    if (!retry_after.empty()) response.headers.Set("Retry-After", retry_after);
    answers.emplace_back(std::move(response));
  }

  std::deque<Result<net::HttpResponse>> answers;
  std::vector<net::HttpCall> calls;
  int canceled = 0;

 private:
  net::HttpCallId last_;
  net::HttpCallId open_;
};

// A state whose description takes 100,000 characters, or three words if that is too long.
class Rain final : public PositionState<Rain, int> {
 public:
  Rain() : PositionState(*CheckNames(Info(), {"Ana"}), 0) {}
  static const GameInfo& Info() {
    static const GameInfo info = [] {
      GameInfo rain;
      rain.id = "rain";
      rain.title = "Rain";
      rain.min_seats = 1;
      rain.max_seats = 1;
      return rain;
    }();
    return info;
  }

  json::Value Serialize() const override { return nullptr; }
  SeatSet Awaited() const override { return {}; }
  std::vector<ActionSpec> Actions(SeatIndex) const override { return {}; }
  Result<void> Validate(SeatIndex, std::string_view, const json::Value&) const override {
    return Fail(ErrorCode::kNoSuchAction, "it only rains");
  }
  json::Value Apply(SeatIndex, std::string_view, const json::Value&) override { return nullptr; }
  json::Value Observe(Viewer) const override { return nullptr; }
  std::string Describe(SeatIndex) const override { return std::string(100'000, 'x'); }
  std::string DescribeWithin(SeatIndex, std::size_t tokens) const override {
    within = tokens;
    return "In short: rain.";
  }
  std::optional<Outcome> GetOutcome() const override { return Outcome{}; }
  std::size_t Moves(SeatIndex, std::span<Move>) const override { return 0; }
  void ApplyMove(SeatIndex, Move) override {}
  PlayedChoice ToChoice(SeatIndex, Move) const override { return {}; }

  mutable std::size_t within = 0;  // the last one requested
};

class Weather final : public Game {
 public:
  const GameInfo& info() const override { return Rain::Info(); }
  Result<std::unique_ptr<GameState>> NewGame(const json::Value&, std::uint64_t,
                                             std::vector<std::string>) const override {
    return std::make_unique<Rain>();
  }
  Result<std::unique_ptr<GameState>> Restore(const json::Value&) const override { return std::make_unique<Rain>(); }
};

class LlmAgentTest : public ::testing::Test, public SeatHost {
 protected:
  void OnChoice(Seat& seat, const PendingChoice& pending) override {
    chosen_.push_back(pending.choice.action + " " + json::Write(pending.choice.data));
    Verdict verdict;
    if (!refuse_with_.empty()) {
      verdict = {Verdict::Kind::kRefused, refuse_with_.front(), nullptr};
      refuse_with_.pop_front();
    } else {
      verdict.message = accept_with_;
    }
    scheduler_.Post([&seat, id = pending.id, verdict] { seat.Settle(id, verdict); });
  }
  void OnDecisionEnded(Seat&, DecisionId, DecisionEnd end) override { ends_.emplace_back(DecisionEndName(end)); }
  void OnRefused(Seat&, const Choice&, const Error& error) override { ends_.push_back("refused: " + error.message); }

  static ActionPtr Make(const std::string& name, const char* schema) {
    auto action = std::make_shared<Action>();
    action->name = name;
    if (schema != nullptr) {
      action->schema = *json::Parse(schema);
    }
    return action;
  }
  static Model DefaultModel() {
    Model model;
    model.timeout = std::chrono::hours(10);
    model.name = "it";
    model.base_url = "http://host/v1";
    model.model = "some-model";
    model.api_key = kKey;
    return model;
  }
  void Sit(Model model = DefaultModel(), json::Object options = {}, CallPolicy policy = {}) {
    models_.emplace(std::vector<Model>{std::move(model)}, http_, policy);
    options["model"] = "it";
    options["seed"] = 1;
    auto agent = models_->MakeAgent(options);
    ASSERT_TRUE(agent) << agent.error().message;
    seat_.SetAgent(std::move(*agent));
    scheduler_.Run();
  }
  void Ask(std::string state = "", bool ephemeral = true) { See(std::make_shared<Sight>(std::move(state)), ephemeral); }
  void See(std::shared_ptr<const Sight> sight, bool ephemeral = true) {
    Decision decision;
    decision.query = "Your turn.";
    decision.sight = std::move(sight);
    decision.ephemeral = ephemeral;
    decision.actions = seat_.actions();
    seat_.Ask(std::move(decision));
    scheduler_.Run();
  }
  // The texts of a request, without the system prompt.
  std::vector<std::string> Texts(std::size_t call) const {
    testing::ProviderRequest request;
    request.provider = "openai";
    request.body = *json::Parse(http_.calls.at(call).body);
    auto texts = testing::TextsOf(request);
    texts.erase(texts.begin());
    return texts;
  }
  std::string System(std::size_t call) const {
    return std::string(json::Parse(http_.calls.at(call).body)->at("messages").at(0).at("content").as_string());
  }
  // The steps in the transcript.
  std::vector<json::Object> Steps() {
    transcript_.Flush();
    std::vector<json::Object> steps;
    const auto events = journal_.Read(TableId("t"), 0, 1'000);
    for (const StoredEvent& stored : *events) {
      if (stored.event.kind == EventKind::kModel) steps.push_back(json::Parse(stored.event.payload)->get_object());
    }
    return steps;
  }
  ModelStats Stats() const { return models_->Find("it")->stats.Get(); }

  testing::FakeScheduler scheduler_;
  testing::MemoryJournal journal_;
  FakeHttp http_;
  std::optional<Models> models_;
  Transcript transcript_{journal_, scheduler_, TableId("t")};
  Seat seat_{0, "Ana", *this, scheduler_, transcript_, SeatRules{}};
  std::vector<std::string> chosen_;
  std::vector<std::string> ends_;
  std::deque<std::string> refuse_with_;
  std::string accept_with_;
};

TEST_F(LlmAgentTest, ChoosesWhatTheModelSays) {
  seat_.SetBriefing({"Lines", "You are Ana and play X in Lines.\n\nThree in a row wins."});
  seat_.AddAction(Make("move", kMove));
  Sit(DefaultModel(), {{"instructions", "Play boldly."}});
  http_.Say(R"({"x": 2})");
  Ask("The board is empty.");
  EXPECT_THAT(chosen_, ElementsAre(R"(move {"x":2})"));
  EXPECT_THAT(ends_, ElementsAre("settled"));
  EXPECT_THAT(System(0),
              HasSubstr("Three in a row wins.\n\nPlay boldly.\n\nAnswer every request with exactly one JSON"));
  EXPECT_THAT(Texts(0), ElementsAre(HasSubstr("The board is empty.\n\nYour turn.\n\n")));
  ASSERT_EQ(Steps().size(), 1u);
  const json::Object step = Steps()[0];
  EXPECT_EQ(step.at("step"), "answer");
  EXPECT_EQ(step.at("outcome"), "strict");
  EXPECT_EQ(step.at("text"), R"({"x": 2})");
  EXPECT_EQ(step.at("tokens_in"), 100);
  EXPECT_EQ(step.at("tokens_out"), 10);
  EXPECT_EQ(step.at("ms"), 0);
  EXPECT_EQ(step.at("decision"), 1);
  EXPECT_EQ(Stats().usage.input, 100u);
}

TEST_F(LlmAgentTest, AsksOnceMoreWithTheErrors) {
  seat_.AddAction(Make("move", kMove));
  Sit();
  http_.Say("I would like {\"x\": 7}");
  http_.Say("```{\"x\": 1}```");
  Ask();
  EXPECT_THAT(chosen_, ElementsAre(R"(move {"x":1})"));
  const auto texts = Texts(1);
  ASSERT_EQ(texts.size(), 3u);
  EXPECT_EQ(texts[1], "I would like {\"x\": 7}");
  EXPECT_THAT(texts[2], HasSubstr("`x` must be at most 2; got 7"));
  const auto steps = Steps();
  ASSERT_EQ(steps.size(), 2u);
  EXPECT_EQ(steps[0].at("outcome"), "invalid");
  EXPECT_THAT(json::Write(steps[0].at("issues")), HasSubstr(R"("pointer":"/x")"));
  EXPECT_THAT(json::Write(steps[0].at("parse_error")), HasSubstr("Unexpected token 'I'"));
  EXPECT_EQ(steps[1].at("outcome"), "mended");
  EXPECT_EQ(json::Write(steps[1].at("fixes")), R"(["fence"])");
  EXPECT_EQ(Stats().reasked, 1u);
  EXPECT_EQ(Stats().illegal, 1u);
  EXPECT_EQ(Stats().mended, 1u);
}

TEST_F(LlmAgentTest, GivesUpWithTheReasons) {
  seat_.AddAction(Make("move", kMove));
  Sit();
  http_.Say("no");
  http_.Say(R"({"x": 7, "y": 1})");
  Ask();
  EXPECT_THAT(chosen_, IsEmpty());
  EXPECT_THAT(ends_, ElementsAre("gave-up"));
  EXPECT_EQ(http_.calls.size(), 2u) << "asked again once";
  EXPECT_EQ(seat_.failure().at("code"), "schema");
  EXPECT_EQ(seat_.failure().at("raw"), R"({"x": 7, "y": 1})");
  EXPECT_EQ(seat_.failure().at("issues").as_array().size(), 2u);
  EXPECT_THAT(json::Write(seat_.failure().at("reason")), HasSubstr("also when asked again"));
  EXPECT_EQ(Steps().back().at("step"), "give-up");

  http_.Say(R"({"x": 7})");
  http_.Say("{ x: 'missing");
  Ask();
  EXPECT_EQ(seat_.failure().at("code"), "parse") << "it was guessed what it means";
  EXPECT_EQ(json::Write(seat_.failure().at("data")), R"({"x":"missing"})");
  EXPECT_THAT(json::Write(seat_.failure().at("parse_error")), HasSubstr("Unexpected token 'x' at position 2"));
  http_.Say("?");
  http_.Say("??");
  Ask();
  EXPECT_EQ(seat_.failure().at("code"), "parse");
  EXPECT_FALSE(seat_.failure().contains("issues"));
  EXPECT_EQ(Stats().given_up, 3u);
}

TEST_F(LlmAgentTest, ARefusalOfTheModelIsAskedAgain) {
  seat_.AddAction(Make("move", kMove));
  Sit();
  http_.Give(200, R"({"choices":[{"message":{"refusal":"I must not."}}]})");
  http_.Say(R"({"x": 0})");
  Ask();
  EXPECT_THAT(chosen_, ElementsAre(R"(move {"x":0})"));
  EXPECT_THAT(Texts(1), ElementsAre(HasSubstr("the model declined to answer: I must not.")));
  EXPECT_EQ(Steps()[0].at("outcome"), "declined");
}

TEST_F(LlmAgentTest, ARefusalOfTheGameIsAnotherAttempt) {
  seat_.AddAction(Make("move", kMove));
  Sit();
  refuse_with_ = {"that place is taken"};
  http_.Say(R"({"x": 0})");
  http_.Say(R"({"x": 1})");
  Ask("The board.");
  EXPECT_THAT(chosen_, ElementsAre(R"(move {"x":0})", R"(move {"x":1})"));
  EXPECT_THAT(Texts(1), ElementsAre(HasSubstr("The board."), R"({"x": 0})",
                                    "That was refused: that place is taken\nChoose again."));
  EXPECT_EQ(Stats().illegal, 1u);
}

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

TEST_F(LlmAgentTest, AModelThatDoesNotThinkByItselfGivesItsReasonsInTheAnswer) {
  seat_.AddAction(Make("move", kMove));
  Model model = DefaultModel();
  model.provider = Provider::kGemini;
  model.thinking = Thinking::kNative;
  Sit(model);
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

TEST_F(LlmAgentTest, TablesShareTheLimitsOfAModel) {
  seat_.AddAction(Make("move", kMove));
  Model model = DefaultModel();
  model.max_concurrent = 1;
  Sit(model);
  CallGate::Pass other;
  other.Enter(models_->Find("it")->gate, scheduler_, [] {});
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

TEST_F(LlmAgentTest, RemembersInOrderWhatFits) {
  seat_.AddAction(Make("move", kMove));
  Model model = DefaultModel();
  model.context_tokens = 700;
  Sit(model);
  accept_with_ = "It hit.";
  seat_.Tell({.message = "A knight enters."});
  seat_.Tell({.message = "It rains.", .silent = true, .ephemeral = true});
  http_.Say(R"({"x": 0})");
  Ask("First board.");
  seat_.Tell({.message = "The knight speaks."});
  http_.Say(R"({"x": 1})");
  Ask("Second board.", false);
  http_.Say(R"({"x": 2})");
  Ask("Third board.");
  EXPECT_THAT(Texts(0), ElementsAre(HasSubstr("A knight enters.\n\nIt rains.\n\nFirst board.")));
  EXPECT_THAT(Texts(1), ElementsAre(HasSubstr("A knight enters.\n\nYou chose \"move\" {\"x\":0}. It hit.\n\n"
                                              "The knight speaks.\n\nSecond board.")));
  EXPECT_THAT(Texts(1)[0], Not(HasSubstr("rains"))) << "ephemeral";
  EXPECT_THAT(Texts(2), ElementsAre(HasSubstr("The knight speaks.\n\nSecond board.\n\nYour turn."), R"({"x": 1})",
                                    HasSubstr("It hit.\n\nThird board.")));
  for (int i = 0; i < 100; ++i)
    seat_.Tell({.message = "Fact " + std::to_string(i) + " of many, as long as the others."});
  http_.Say(R"({"x": 2})");
  Ask("Fourth board.");
  const std::string last = Texts(3)[0];
  EXPECT_THAT(last, HasSubstr("Fact 99 of many"));
  EXPECT_THAT(last, Not(HasSubstr("knight")));
  EXPECT_TRUE(last.starts_with("Fact ")) << "messages are never split: " << last.substr(0, 40);
  std::size_t tokens = EstimateTokens(System(3));
  for (const std::string& text : Texts(3)) tokens += EstimateTokens(text);
  EXPECT_LE(tokens, 700u);
  EXPECT_GE(tokens, 400u) << "and no less than three quarters of what fits";
}

TEST_F(LlmAgentTest, AQuestionBeyondTheBudgetIsGivenUp) {
  seat_.AddAction(Make("move", kMove));
  Sit();
  Ask(std::string(100'000, 'x'));
  EXPECT_THAT(http_.calls, IsEmpty());
  EXPECT_THAT(ends_, ElementsAre("gave-up"));
  EXPECT_EQ(seat_.failure().at("code"), "too-large");
}

TEST_F(LlmAgentTest, AStateThatIsTooMuchIsToldShorter) {
  seat_.AddAction(Make("move", kMove));
  Sit();
  http_.Say("no");
  http_.Say(R"({"x": 1})");
  const Weather weather;
  const auto state = std::make_shared<const Rain>();
  See(std::make_shared<Sight>(weather, state, Viewer::Seat(0)));
  ASSERT_EQ(http_.calls.size(), 2u);
  EXPECT_LT(state->within, 16'000u);
  EXPECT_GT(state->within, 10'000u) << "all that is left";
  EXPECT_THAT(Texts(0), ElementsAre(HasSubstr("In short: rain.\n\nYour turn.\n\nYour answer is the data")));
  EXPECT_THAT(Texts(1)[0], HasSubstr("In short: rain."));
  EXPECT_THAT(chosen_, ElementsAre(R"(move {"x":1})"));
}

TEST_F(LlmAgentTest, AnAnswerThatIsTooLongIsQuotedInPart) {
  seat_.AddAction(Make("move", kMove));
  Sit();
  http_.Say("sorry " + std::string(300'000, 'x'));
  http_.Say(R"({"x": )" + std::string(200'000, ' ') + "7}");
  Ask("The board.");
  ASSERT_EQ(http_.calls.size(), 2u);
  EXPECT_THAT(Texts(1), ElementsAre(HasSubstr("The board."), ::testing::StartsWith("sorry xxx"),
                                    HasSubstr("That answer cannot be used:")));
  EXPECT_LE(EstimateTokens(Texts(1)[1]), 4'000u);
  EXPECT_EQ(seat_.failure().at("code"), "schema");
  EXPECT_EQ(json::Write(seat_.failure().at("data")), R"({"x":7})") << "what was read, not what is shown of it";
  EXPECT_LT(seat_.failure().at("raw").as_string().size(), 70'000u);
}

TEST_F(LlmAgentTest, WhatDoesNotFitToBeAskedAgainIsGivenUpWithTheFirstReasons) {
  seat_.AddAction(Make("move", kMove));
  Model model = DefaultModel();
  model.context_tokens = 300;
  Sit(model);
  http_.Say(R"({"x": 7})");
  // All but so much that there is no place for another try.
  std::string state;
  while (http_.calls.empty() && state.size() < 2'000) {
    state = std::string(1'200 - 40 * ends_.size(), 'x');
    Ask(state);
  }
  ASSERT_EQ(http_.calls.size(), 1u);
  EXPECT_EQ(seat_.failure().at("code"), "schema");
  EXPECT_EQ(json::Write(seat_.failure().at("data")), R"({"x":7})");
  EXPECT_THAT(json::Write(seat_.failure().at("reason")), HasSubstr("too much to ask again"));
}

TEST_F(LlmAgentTest, NullsAreLeftOutOnlyWhereTheyWereAskedFor) {
  constexpr char kOptional[] =
      R"({"type":"object","properties":{"x":{"type":"integer"},"y":{"type":"integer"}},"required":["x"],"additionalProperties":false})";
  seat_.AddAction(Make("move", kOptional));
  Sit();
  http_.Say(R"({"x": 1, "y": null})");
  Ask();
  EXPECT_THAT(chosen_, ElementsAre(R"(move {"x":1})")) << "the strict form makes it so";
  Model model = DefaultModel();
  model.structured = Structured::kObject;
  Sit(model);
  for (int i = 0; i < 2; ++i) http_.Say(R"({"x": 1, "y": null})");
  Ask();
  EXPECT_EQ(chosen_.size(), 1u);
  EXPECT_EQ(seat_.failure().at("code"), "schema");
}

TEST_F(LlmAgentTest, SaysHowLongTheProviderWantsToBeLeftAlone) {
  seat_.AddAction(Make("move", kMove));
  Sit();
  http_.Give(429, "{}", "100");
  Ask();
  EXPECT_EQ(seat_.failure().at("wait_ms"), 100'000.0);
}

TEST_F(LlmAgentTest, WhereThereIsNothingToChooseNobodyIsAsked) {
  seat_.AddAction(Make("roll", nullptr));
  Sit();
  Ask();
  EXPECT_THAT(chosen_, ElementsAre("roll null"));
  EXPECT_THAT(http_.calls, IsEmpty());
}

TEST_F(LlmAgentTest, ActsUnaskedOnlyByChoiceAndNotTooOften) {
  seat_.AddAction(Make("move", kMove));
  Sit();
  seat_.Tell({.message = "Say something!", .silent = false});
  scheduler_.Run();
  EXPECT_THAT(http_.calls, IsEmpty()) << "off unless wanted";

  Sit(DefaultModel(), {{"voluntary", true}, {"voluntary_every", 10}});
  http_.Say(R"({"action": "move", "data": {"x": 1}})");
  seat_.Tell({.message = "Say something!", .silent = false});
  seat_.Tell({.message = "Quietly.", .silent = true});
  scheduler_.Run();
  EXPECT_THAT(chosen_, ElementsAre(R"(move {"x":1})"));
  EXPECT_THAT(Texts(0)[0], HasSubstr("Nothing is asked of you just now"));
  http_.Say(R"({"action": "do_nothing"})");
  seat_.Tell({.message = "Again!", .silent = false});
  seat_.Tell({.message = "And again!", .silent = false});
  scheduler_.Advance(std::chrono::milliseconds(9'999));
  EXPECT_EQ(http_.calls.size(), 1u);
  scheduler_.Advance(std::chrono::milliseconds(1));
  EXPECT_EQ(http_.calls.size(), 2u) << "once for both";
  EXPECT_EQ(chosen_.size(), 1u) << "it would rather not";
  EXPECT_THAT(Texts(1)[0], HasSubstr("You chose \"move\" {\"x\":1}: done."));
}

TEST_F(LlmAgentTest, ADecisionGoesBeforeAVoluntaryAction) {
  seat_.AddAction(Make("move", kMove));
  Sit(DefaultModel(), {{"voluntary", true}});
  seat_.Tell({.message = "Say something!", .silent = false});
  scheduler_.Run();
  EXPECT_EQ(http_.calls.size(), 1u);
  http_.Say(R"({"x": 2})");
  Ask();
  EXPECT_EQ(http_.canceled, 1);
  EXPECT_THAT(chosen_, ElementsAre(R"(move {"x":2})"));
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

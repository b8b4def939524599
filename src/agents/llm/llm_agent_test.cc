#include "agents/llm/llm_agent.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "agents/llm/llm_agent_test_support.h"
#include "core/game_base.h"

namespace openseat::llm {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

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
  EXPECT_THAT(Texts(1), ElementsAre(HasSubstr("You declined to answer: I must not.")));
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

TEST_F(LlmAgentTest, ActionsThatDoNotFitAreGivenUpBeforeAnythingIsMadeOfThem) {
  for (int i = 0; i < 100; ++i) seat_.AddAction(Make("move" + std::to_string(i), kMove));
  Model model = DefaultModel();
  model.context_tokens = 1'000;
  Sit(model, {{"voluntary", true}});
  Ask();
  EXPECT_EQ(seat_.failure().at("code"), "too-large");
  EXPECT_EQ(seat_.failure().at("reason"), "the actions alone have too many tokens, and context_tokens is 1000");
  EXPECT_TRUE(Steps().back().contains("decision"));
  seat_.Tell({.message = "Act if you like.", .silent = false});
  scheduler_.Run();
  EXPECT_EQ(Steps().size(), 2u);
  EXPECT_FALSE(Steps().back().contains("decision"));
  EXPECT_THAT(http_.calls, IsEmpty());
}

TEST_F(LlmAgentTest, NoModelIsSentMoreThanAnEventLoopWritesInAMoment) {
  Model model = DefaultModel();
  model.context_tokens = 100'000'000;
  const std::string schema = R"({"type":"object","description":")" + std::string(100'000, 'x') + "\"}";
  for (int i = 0; i < 3; ++i) seat_.AddAction(Make("move" + std::to_string(i), schema.c_str()));
  Sit(model);
  Ask();
  EXPECT_EQ(seat_.failure().at("reason"),
            "the actions alone have too many tokens, and no model is sent more than 32768");
  EXPECT_THAT(http_.calls, IsEmpty());
}

TEST_F(LlmAgentTest, AGameThatSaysMegabytesIsNotSentOn) {
  Model model = DefaultModel();
  model.context_tokens = 100'000'000;
  seat_.AddAction(Make("move", kMove));
  Sit(model);
  Ask(std::string(2'000'000, 'x'));
  EXPECT_EQ(seat_.failure().at("reason"),
            "the question alone has too many tokens, and no model is sent more than 131072");
  EXPECT_EQ(seat_.failure().at("code"), "too-large");
  EXPECT_THAT(http_.calls, IsEmpty());
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

}  // namespace
}  // namespace openseat::llm

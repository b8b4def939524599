// Rewards by the judge: what each choice gave away.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "protocols/openenv/test_sockets.h"

namespace openseat::openenv {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

using JudgedRewards = OpenEnvTest;

TEST_F(JudgedRewards, AJudgeTakesWhatAChoiceGaveAway) {
  Client client = Connect(first_, "tictactoe");
  Reset(client, R"({"seed":1,"reward":"judge"})");
  judged_ = {0.25, 0.5};
  json::Value data = Step(client, "0");
  EXPECT_EQ(data.at("reward").to_number<double>(), -0.5);
  EXPECT_EQ(asked_.back().seat, SeatIndex{0});
  EXPECT_EQ(json::Write(asked_.back().choice.data), R"({"position":[0,0]})");
  EXPECT_TRUE(asked_.back().state->Awaited().Contains(0));
  data = Step(client, FirstId(data));
  EXPECT_EQ(data.at("reward").to_number<double>(), -1);
  data = PlayOut(client, data);
  EXPECT_EQ(data.at("reward").to_number<double>(), data.at("observation").at("outcome") == json::Value("win")    ? 1
                                                   : data.at("observation").at("outcome") == json::Value("loss") ? -1
                                                                                                                 : 0);
  EXPECT_TRUE(Reset(client, R"({"reward":"judge"})").as_object().contains("observation"));
  Client other = Connect(first_, "rps");
  EXPECT_THAT(json::Write(Reset(other, R"({"reward":"judge"})")), HasSubstr("not here"));
}

TEST_F(JudgedRewards, AStepStaysOpenWhileTheJudgeWorks) {
  judge_holds_ = true;
  Client client = Connect(first_, "tictactoe");
  Reset(client, R"({"seed":1,"reward":"judge","wait":0})");
  EXPECT_THAT(Say(client, R"({"type":"step","data":{"choice":0}})"), SizeIs(0));
  first_.Advance(kMaxWait + kMaxWait);
  EXPECT_THAT(Say(client, R"({"type":"reset"})"), SizeIs(0));
  ASSERT_THAT(asked_, SizeIs(1));
  EXPECT_FALSE(asked_[0].stop.stop_requested());
  Drop(client);
  EXPECT_TRUE(asked_[0].stop.stop_requested());
}

TEST_F(JudgedRewards, AStepThatTheJudgeGivesUpCanBeRepeated) {
  Client client = Connect(first_, "tictactoe");
  Reset(client, R"({"seed":1,"reward":"judge"})");
  judge_drops_ = true;
  EXPECT_THAT(json::Write(Step(client, "0")), HasSubstr("others asked less"));
  judge_drops_ = false;
  EXPECT_TRUE(Step(client, "0").as_object().contains("observation"));
}

TEST_F(JudgedRewards, TheJudgeKnowsWhoWaits) {
  Metrics metrics;
  Budget budget({}, &metrics);
  Client client = Connect(first_, "tictactoe", budget.PayerOf("192.0.2.7", Instant()));
  Reset(client, R"({"seed":1,"reward":"judge"})");
  Step(client, "0");
  ASSERT_THAT(asked_, SizeIs(1));
  EXPECT_EQ(AddressOf(asked_[0].payer.get()), "192.0.2.7");
}

TEST_F(JudgedRewards, OnlyLegalChoicesAreJudged) {
  Client client = Connect(first_, "tictactoe");
  Reset(client, R"({"seed":1,"reward":"judge"})");
  judged_ = {0.25};
  Step(client, "0");
  ASSERT_THAT(asked_, SizeIs(1));
  judged_ = {0, 1};
  const json::Value data = Ask(client, R"({"type":"step","data":{"action":"place","data":{"position":[0,0]}}})");
  EXPECT_EQ(data.at("reward").to_number<double>(), -0.1) << json::Write(data);
  EXPECT_THAT(asked_, SizeIs(1));
}

TEST_F(JudgedRewards, AChoiceThatTheJudgeRefusesCanBeMadeAgain) {
  judge_takes_ = 0;
  Client client = Connect(first_, "tictactoe");
  Reset(client, R"({"seed":1,"reward":"judge"})");
  EXPECT_THAT(json::Write(Step(client, "0")), HasSubstr("many wait for the judge"));
  judge_takes_ = 1;
  EXPECT_TRUE(Step(client, "0").as_object().contains("observation"));
}

TEST_F(JudgedRewards, TheLastChoiceIsJudgedToo) {
  Client client = Connect(first_, "tictactoe");
  json::Value data = Reset(client, R"({"seed":1,"reward":"judge","seat":"all"})");
  judged_.assign(9, 0.125);
  data = PlayOut(client, data);
  ASSERT_EQ(data.at("done"), json::Value(true));
  double sum = 0;
  for (const auto& view : data.at("observation").at("views").as_array()) sum += view.at("reward").to_number<double>();
  EXPECT_EQ(sum, -0.25) << "what the winner won, the loser lost";
}

TEST_F(JudgedRewards, RulesThatTakeLongAreNotJudged) {
  Client client = Connect(first_, "connectm");
  for (const char* reward : {"shaped", "judge"}) {
    const json::Value refused = Reset(client, R"({"reward":")" + std::string(reward) + R"("})");
    EXPECT_THAT(json::Write(refused), HasSubstr("a game written as a script")) << reward;
  }
}

}  // namespace
}  // namespace openseat::openenv

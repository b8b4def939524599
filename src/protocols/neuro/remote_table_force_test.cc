#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "protocols/neuro/remote_table_test_support.h"

namespace openseat::neuro {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

TEST_F(RemoteTableTest, AForceIsGivenUpWhenItsTimeIsUp) {
  NeuroOptions options;
  options.force_limit = seconds(30);
  Make(options);
  Begin();
  Force();
  const Time now = scheduler_.clock().Now();
  const json::Value seat = table_->Info().at("seats").at(0);
  EXPECT_EQ(seat.at("decision").at("asked"), json::Value(FormatIso8601(now)));
  EXPECT_EQ(seat.at("decision").at("deadline"), json::Value(FormatIso8601(now + seconds(30))));
  scheduler_.Advance(seconds(29));
  EXPECT_NE(table_->seat(0).decision(), nullptr);
  scheduler_.Advance(seconds(1));
  EXPECT_EQ(table_->seat(0).decision(), nullptr);
  Force();
  EXPECT_NE(table_->seat(0).decision(), nullptr) << "the game may ask again";
}

TEST_F(RemoteTableTest, AForceHasNoDeadlineUnlessOneIsSet) {
  Begin();
  Force();
  const json::Value decision = table_->Info().at("seats").at(0).at("decision");
  EXPECT_NE(json::Find(decision.as_object(), "asked"), nullptr);
  EXPECT_EQ(json::Find(decision.as_object(), "deadline"), nullptr);
}

TEST_F(RemoteTableTest, AnActionWithoutSchemaIsSentWithoutData) {
  Begin();
  Choose("pass");
  EXPECT_THAT(socket_->sent.back(), ::testing::Not(HasSubstr(R"("data":")")));
}

// The Rust SDK's unit type: a root of {"type":"null"}.
TEST_F(RemoteTableTest, AnActionWhoseSchemaIsNullIsSentWithNull) {
  Begin();
  Say("actions/register", R"({"actions":[{"name":"skip","description":"Skips","schema":{"type":"null"}}]})");
  Force(R"(["skip"])");
  Choose("skip");
  EXPECT_EQ(json::Parse(socket_->sent.back())->at("data").at("data"), json::Value("null"));
  Result(SentId(), true, "");
  EXPECT_THAT(player_.verdicts, ElementsAre("skip accepted"));
}

TEST_F(RemoteTableTest, AForceThatTheAgentCannotAnswerIsNotTheGamesFailure) {
  Begin();
  Force();
  for (int i = 0; i < 5; ++i) {
    Choice choice;
    choice.action = "move";
    EXPECT_FALSE(table_->seat(0).Choose(std::move(choice)));
    scheduler_.Run();
  }
  EXPECT_THAT(Keys(), ElementsAre("agent/invalid_choice", "agent/gave_up"));
  const std::string message(json::View(table_->Diagnostics().at(1).at("message").as_string()));
  EXPECT_THAT(message, HasSubstr("5 invalid choices"));
  EXPECT_THAT(message, HasSubstr("the property \"x\""));
  Force();
  ASSERT_TRUE(table_->seat(0).GiveUp(table_->seat(0).decision()->id, "nothing fits the schema"));
  scheduler_.Run();
  EXPECT_EQ(table_->Diagnostics().at(2).at("message"), "the agent gave the force up: nothing fits the schema");
}

TEST_F(RemoteTableTest, AForceIsGivenUpAfterAsManyAttemptsAsAreSet) {
  Make({.force_attempts = 3});
  Begin();
  Force();
  for (int i = 0; i < 3; ++i) {
    Choose("pass");
    Result(SentId(), false, "no");
  }
  EXPECT_EQ(player_.decisions.size(), 3u);
  EXPECT_EQ(player_.decisions.back().refusal, "no");
  EXPECT_TRUE(player_.decisions.back().last);
  EXPECT_THAT(Keys(), ElementsAre("prot/force/gave_up"));
  EXPECT_EQ(table_->seat(0).decision(), nullptr);
  EXPECT_EQ(counts_.given_up.value(), 1u);
}

TEST_F(RemoteTableTest, ARefusedForceIsAskedAgainEverMoreSlowly) {
  Begin();
  Force();
  std::vector<std::int64_t> pauses;
  for (std::size_t i = 1; i <= 20; ++i) {
    Choose("pass");
    Result(SentId(), false, "no");
    std::int64_t ms = 0;
    while (player_.decisions.size() == i && ms < 10'000) {
      scheduler_.Advance(milliseconds(100));
      ms += 100;
    }
    pauses.push_back(ms);
  }
  EXPECT_THAT(pauses, ElementsAre(0, 0, 0, 0, 0, 100, 200, 400, 800, 1600, 3200, 5000, 5000, 5000, 5000, 5000, 5000,
                                  5000, 5000, 5000));
  EXPECT_THAT(Keys(), ElementsAre("prot/force/refused", "prot/force/refused", "prot/force/refused"));
  EXPECT_EQ(Message(2), "the game has refused 10 choices of one force; the last refusal said: no");
  EXPECT_EQ(counts_.retries.value(), 20u);
  Choose("pass");
  Result(SentId(), true);
  EXPECT_EQ(table_->seat(0).decision(), nullptr);
}

TEST_F(RemoteTableTest, AForceThatTheAgentGaveUpIsAskedAgainLater) {
  Begin();
  Force();
  const auto give_up = [&] {
    ASSERT_TRUE(table_->seat(0).GiveUp(table_->seat(0).decision()->id, "the provider is down", {{"code", "provider"}}));
    scheduler_.Run();
  };
  give_up();
  EXPECT_EQ(Message(0), "the agent gave the force up: the provider is down; it is asked again in 5 s");
  scheduler_.Advance(seconds(5));
  ASSERT_EQ(player_.decisions.size(), 2u);
  give_up();
  scheduler_.Advance(seconds(9));
  EXPECT_EQ(player_.decisions.size(), 2u);
  scheduler_.Advance(seconds(1));
  ASSERT_EQ(player_.decisions.size(), 3u);
  EXPECT_EQ(player_.decisions.back().query, "Your turn");
  // Not if the game has gone on.
  give_up();
  Say("actions/unregister", R"({"action_names":["move","pass"]})");
  scheduler_.Advance(std::chrono::hours(1));
  EXPECT_EQ(player_.decisions.size(), 3u);
}

TEST_F(RemoteTableTest, AForceThatIsSkippedByHandIsNotAskedAgain) {
  Begin();
  Force();
  ASSERT_TRUE(table_->seat(0).GiveUp(table_->seat(0).decision()->id, "skipped"));
  scheduler_.Advance(std::chrono::hours(1));
  EXPECT_EQ(player_.decisions.size(), 1u);
}

TEST_F(RemoteTableTest, AForceThatCrossedAnUnaskedActionIsNotBlamedOnTheGame) {
  Begin();
  Choose("pass");  // unasked
  const std::string first = SentId();
  Force();  // sent before the game read the action
  Result(first, true);
  scheduler_.Run();
  EXPECT_TRUE(player_.decisions.empty()) << "the game may take that action for the answer, and go on";
  Force(R"(["pass"])");
  EXPECT_THAT(Keys(), IsEmpty());
  scheduler_.Run();
  ASSERT_EQ(player_.decisions.size(), 1u);
  EXPECT_EQ(player_.decisions[0].actions.Names(), "pass");
  Choose("pass");
  Result(SentId(), true);
  Force();
  Force();
  EXPECT_THAT(Keys(), ElementsAre("prot/force/multiple")) << "nothing crossed this one";
}

TEST_F(RemoteTableTest, AForceMayNameWhatAnUnaskedActionJustTookAway) {
  Begin();
  Choose("pass");  // unasked
  const std::string first = SentId();
  Say("actions/unregister", R"({"action_names":["pass"]})");
  Force();
  EXPECT_THAT(Keys(), ElementsAre());
  Result(first, true);
  scheduler_.Advance(seconds(1));
  ASSERT_EQ(player_.decisions.size(), 1u);
  EXPECT_EQ(player_.decisions[0].actions.Names(), "move");
}

TEST_F(RemoteTableTest, AForceThatCrossedAnUnaskedActionIsAnsweredIfTheGameWaits) {
  Begin();
  Choose("pass");
  Force();
  Result(SentId(), true);
  scheduler_.Advance(seconds(1));
  EXPECT_EQ(player_.decisions.size(), 1u);
}

TEST_F(RemoteTableTest, SuccessForWhatIsWrongIsNotAnAnswer) {
  Begin();
  Force();
  const auto send = [&](std::string action, std::string by) {
    ASSERT_TRUE(
        table_->seat(0).Choose({.action = std::move(action), .unchecked = true, .raw = "{}", .by = std::move(by)}));
    Result(SentId(), true);
  };
  send("move", "");
  EXPECT_THAT(Keys(), ElementsAre("prot/result/accepted_invalid"));
  EXPECT_EQ(player_.decisions.size(), 1u) << "the game may go on all the same";
  scheduler_.Advance(seconds(1));
  ASSERT_EQ(player_.decisions.size(), 2u) << "it waits";
  send("unknown", "");
  EXPECT_THAT(Keys(), ElementsAre("prot/result/accepted_invalid", "prot/result/unknown_action"));
  Force(R"(["pass"])");
  EXPECT_THAT(Keys(), Not(Contains("prot/force/multiple"))) << "it went on";
  Force();
  send("move", "console");
  EXPECT_EQ(table_->seat(0).decision(), nullptr) << "a person knows what was sent";
}

}  // namespace
}  // namespace openseat::neuro

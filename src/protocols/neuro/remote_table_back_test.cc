#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "protocols/neuro/remote_table_test_support.h"

namespace openseat::neuro {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::AnyOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

TEST_F(RemoteTableTest, AStartAfterACleanCloseIsANewRun) {
  Begin();
  Say("actions/unregister", R"({"action_names":["unknown"]})");
  Force();
  EXPECT_THAT(Keys(), Not(IsEmpty()));
  const auto run = [&] { return table_->Info().at("run"); };
  EXPECT_EQ(run().at("number"), 1);
  Quit();
  EXPECT_THAT(Keys(), Not(IsEmpty())) << "until it is started again";
  Connect();
  Say("startup");
  EXPECT_THAT(Keys(), IsEmpty());
  EXPECT_EQ(run().at("number"), 2);
  const auto since = run().at("since").to_number<std::uint64_t>();
  EXPECT_THAT(journal_.Read(table_->id(), since - 1, 1)->front().event.payload, HasSubstr("run 2 of the game"));
  Begin();
  scheduler_.Advance(seconds(10));
  EXPECT_EQ(player_.decisions.size(), 1u) << "the former run's force is forgotten";
  EXPECT_EQ(counts_.runs.value(), 2u);
  Drop();
  Connect();
  Say("startup");
  EXPECT_EQ(run().at("number"), 2) << "the connection broke";
  Quit();
  Connect();
  Say("context", R"({"message":"still me","silent":true})");
  Say("startup");
  EXPECT_EQ(run().at("number"), 2) << "it went on before";
}

TEST_F(RemoteTableTest, AMissingOrLateStartupIsNoted) {
  Say("context", R"({"message":"hello","silent":true})");
  EXPECT_THAT(player_.contexts, ElementsAre("hello"));
  scheduler_.Advance(milliseconds(501));
  Say("startup");
  EXPECT_THAT(Keys(), ElementsAre("prot/startup/missing", "perf/late/startup"));
}

TEST_F(RemoteTableTest, ReconnectingKeepsTheSeatAndRegistersAnew) {
  Begin();
  Force();
  Drop();
  EXPECT_EQ(table_->seat(0).decision(), nullptr);
  Connect();
  Say("startup");
  EXPECT_TRUE(table_->seat(0).actions().empty());
  Say("actions/register", R"({"actions":[{"name":"pass","description":"Passes"}]})");
  EXPECT_EQ(player_.decisions.size(), 1u);
  scheduler_.Advance(seconds(2));
  ASSERT_EQ(player_.decisions.size(), 2u) << "the game did not force again, so the server asks";
  EXPECT_EQ(player_.decisions[1].actions.Names(), "pass");
  EXPECT_THAT(Keys(), ::testing::Contains("prot/reconnect/no_force"));
}

TEST_F(RemoteTableTest, AGameThatForcesAgainAfterAReconnectIsNotAskedTwice) {
  Begin();
  Force();
  Drop();
  Connect();
  Begin();
  Force();
  scheduler_.Advance(seconds(10));
  EXPECT_EQ(player_.decisions.size(), 2u);
}

TEST_F(RemoteTableTest, ASilentReconnectFindsItsActionsAndItsForce) {
  Begin();
  Force();
  Choose("pass");
  Drop();
  EXPECT_THAT(player_.verdicts, ElementsAre("pass lost"));
  Connect();
  table_->ResumeSilently();
  scheduler_.Run();
  EXPECT_EQ(player_.decisions.size(), 2u);
  Choose("pass");
  Result(SentId(), true);
  EXPECT_THAT(player_.verdicts, ElementsAre("pass lost", "pass accepted"));
}

// What it sent when the connection broke is lost: the unregistration, the result.
TEST_F(RemoteTableTest, AGameThatWentOnWhileItsConnectionBrokeIsNotBlamed) {
  Begin();
  Force();
  Choose("pass");
  Drop();
  Connect();
  table_->ResumeSilently();
  Say("actions/register", R"({"actions":[{"name":"pass","description":"Passes, again"}]})");
  Force(R"(["pass"])");
  EXPECT_THAT(Keys(), Not(Contains(AnyOf("prot/v1/register/conflict", "prot/force/multiple"))));
  scheduler_.Advance(seconds(1));
  EXPECT_EQ(player_.decisions.back().actions.Names(), "pass");
  EXPECT_EQ(table_->seat(0).actions().Find("pass")->description, "Passes, again");
  Say("actions/register", R"({"actions":[{"name":"pass","description":"Passes"}]})");
  EXPECT_THAT(Keys(), Contains("prot/v1/register/conflict")) << "only once";
}

TEST_F(RemoteTableTest, NobodyChoosesWhileTheGameIsAway) {
  Begin();
  Drop();
  const std::size_t before = journal_.Read(table_->id(), 0, 1000)->size();
  EXPECT_EQ(table_->seat(0).Choose({.action = "pass"}).error().message, "the game is not connected");
  scheduler_.Run();
  EXPECT_EQ(journal_.Read(table_->id(), 0, 1000)->size(), before);
}

TEST_F(RemoteTableTest, TheConsoleMayOrder) {
  Begin();
  ASSERT_TRUE(table_->Control("reregister-all", {}).has_value());
  EXPECT_EQ(socket_->sent.back(), R"({"command":"actions/reregister_all"})");
  EXPECT_EQ(table_->Control("shutdown", {{"kind", "graceful"}}).error().code, ErrorCode::kDenied);
  EXPECT_EQ(table_->Control("dance", {}).error().code, ErrorCode::kUnsupported);
  Make({.shutdown_requests = true});
  EXPECT_EQ(table_->Control("shutdown", {{"kind", "slow"}}).error().code, ErrorCode::kInvalid);
  const auto no_bool = table_->Control("shutdown", json::Object{{"kind", "graceful"}, {"wants", "false"}});
  ASSERT_FALSE(no_bool.has_value());
  EXPECT_EQ(no_bool.error().message, R"(wants must be true or false; got "false")");
  ASSERT_TRUE(table_->Control("shutdown", {{"kind", "immediate"}}).has_value());
  EXPECT_EQ(socket_->sent.back(), R"({"command":"shutdown/immediate"})");
}

TEST_F(RemoteTableTest, AGameThatComesBackRegistersItsActionsAtOnce) {
  Begin();
  Drop();
  Connect();
  Say("startup");
  scheduler_.Advance(seconds(1));
  EXPECT_THAT(Keys(), Not(Contains("prot/reconnect/no_actions")));
  scheduler_.Advance(seconds(1));
  EXPECT_THAT(Keys(), Contains("prot/reconnect/no_actions"));
  // One that does, and one that had none before.
  Make({});
  Begin();
  Drop();
  Connect();
  Begin();
  scheduler_.Advance(seconds(5));
  EXPECT_THAT(Keys(), Not(Contains("prot/reconnect/no_actions")));
  Make({});
  Say("startup");
  Drop();
  Connect();
  Say("startup");
  scheduler_.Advance(seconds(5));
  EXPECT_THAT(Keys(), Not(Contains("prot/reconnect/no_actions")));
}

TEST_F(RemoteTableTest, WhatWasToldBeforeAReconnectIsNotToldAgain) {
  const std::string rules = R"({"message":")" + std::string(500, 'r') + R"(","silent":true})";
  Begin();
  Say("context", rules);
  Quit();
  Connect();
  Begin();
  Say("context", rules);
  EXPECT_THAT(Keys(), Not(Contains("perf/reconnect/context_repeated"))) << "a new run";
  Drop();
  Connect();
  Begin();
  Say("context", R"({"message":"short","silent":true})");
  EXPECT_THAT(Keys(), Not(Contains("perf/reconnect/context_repeated")));
  Say("context", rules);
  EXPECT_THAT(Keys(), Contains("perf/reconnect/context_repeated"));
}

TEST_F(RemoteTableTest, AGameThatIsAskedToShutDownSaysThatItIsReady) {
  const NeuroOptions asks{.shutdown_requests = true};
  const auto ask = [this](const char* kind) { ASSERT_TRUE(table_->Control("shutdown", {{"kind", kind}}).has_value()); };
  Make(asks);
  Begin();
  ask("graceful");
  Say("shutdown/ready");
  Quit();
  EXPECT_THAT(Keys(), IsEmpty()) << "it was asked for";

  Make(asks);
  Begin();
  ask("graceful");
  scheduler_.Advance(seconds(60));
  EXPECT_THAT(Keys(), IsEmpty());
  Quit();
  EXPECT_THAT(Keys(), ElementsAre("prot/shutdown/closed"));

  Make(asks);
  Begin();
  ask("immediate");
  scheduler_.Advance(seconds(10));
  EXPECT_THAT(Keys(), ElementsAre("prot/shutdown/no_ready"));

  Make(asks);
  Begin();
  ask("graceful");
  ASSERT_TRUE(table_->Control("shutdown", json::Object{{"kind", "graceful"}, {"wants", false}}).has_value());
  Quit();
  EXPECT_THAT(Keys(), IsEmpty()) << "it was asked no more";
}

TEST_F(RemoteTableTest, AnotherGamesActionOfTheSameNameIsSaid) {
  NameBook book;
  NameBook::Page other(book, "owner", TableId("other"), "Other Game");
  EXPECT_EQ(other.Add("pass"), std::nullopt);
  table_->ShareNames(std::make_unique<NameBook::Page>(book, "owner", table_->id(), "Game"));
  Begin();
  EXPECT_THAT(Keys(), Contains("prot/actions/collision"));
  EXPECT_THAT(Message(Keys().size() - 1), HasSubstr("Other Game"));
  EXPECT_EQ(other.Add("move"), "Game");
  Drop();
  other.Clear();
  EXPECT_EQ(other.Add("move"), std::nullopt) << "the game is away";
  NameBook::Page stranger(book, "someone else", TableId("third"), "Third Game");
  EXPECT_EQ(stranger.Add("move"), std::nullopt);
  NameBook::Page twin(book, "owner", TableId("fourth"), "Other Game");
  EXPECT_EQ(twin.Add("move"), std::nullopt) << "two copies of one game";
}

}  // namespace
}  // namespace openseat::neuro

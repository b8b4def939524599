#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>

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

// {"type":"object","properties":{...}} with this many properties.
std::string LargeSchema(int properties) {
  std::string out = R"({"type":"object","properties":{)";
  for (int i = 0; i < properties; ++i) {
    out +=
        (i == 0 ? "\"p" : ",\"p") + std::to_string(i) + R"(":{"type":"integer","minimum":)" + std::to_string(i) + "}";
  }
  return out + R"(},"additionalProperties":false})";
}

TEST_F(RemoteTableTest, WhatIsLongToCheckIsCheckedElsewhereAndTheRestWaitsInOrder) {
  Begin();
  // Nothing runs between these, as in one read of the socket.
  const auto say = [&](const std::string& text) {
    for (Decoded& decoded : DecodeClient(text)) table_->OnMessage(text, std::move(decoded), true);
  };
  say(R"({"command":"actions/register","game":"Game","data":{"actions":[{"name":"small","description":"d"},
      {"name":"large","description":"d","schema":)" +
      LargeSchema(5'000) + R"(},{"name":"after","description":"d"}]}})");
  EXPECT_NE(table_->seat(0).actions().Find("small"), nullptr);
  EXPECT_EQ(table_->seat(0).actions().Find("large"), nullptr) << "not on this thread";
  say(R"({"command":"actions/unregister","game":"Game","data":{"action_names":["small"]}})");
  say(R"({"command":"actions/force","game":"Game","data":{"query":"q","action_names":["large","after"]}})");
  EXPECT_NE(table_->seat(0).actions().Find("small"), nullptr) << "what came later waits";
  scheduler_.Run();
  EXPECT_EQ(table_->seat(0).actions().Find("small"), nullptr);
  EXPECT_NE(table_->seat(0).actions().Find("large")->compiled(), nullptr);
  ASSERT_EQ(player_.decisions.size(), 1u);
  EXPECT_EQ(player_.decisions[0].actions.Names(), "large or after");
  EXPECT_THAT(Keys(), Not(Contains("perf/schema/costly")));
  EXPECT_THAT(Keys(), Not(Contains("prot/force/some_invalid")));
}

TEST_F(RemoteTableTest, ManyActionsAreRegisteredInSeveralTurns) {
  PeerLimits limits = PeerLimits::Loopback();
  limits.max_actions = 5'000;
  Make({}, &limits);
  Begin();
  std::string actions;
  for (int i = 0; i < 2'000; ++i) {
    actions += std::string(i == 0 ? "" : ",") + R"({"name":"a)" + std::to_string(i) + R"(","description":"d"})";
  }
  const auto say = [&](const std::string& text) {
    for (Decoded& decoded : DecodeClient(text)) table_->OnMessage(text, std::move(decoded), true);
  };
  say(R"({"command":"actions/register","game":"Game","data":{"actions":[)" + actions + "]}}");
  say(R"({"command":"actions/unregister","game":"Game","data":{"action_names":["a1999"]}})");
  EXPECT_LT(table_->seat(0).actions().size(), 1'500u) << "not all in one turn";
  scheduler_.Run();
  EXPECT_EQ(table_->seat(0).actions().size(), 2'001u);
  EXPECT_EQ(table_->seat(0).actions().Find("a1999"), nullptr) << "what came later came later";
  EXPECT_THAT(Keys(), Not(Contains("perf/register/identical_duplicate")));
}

TEST_F(RemoteTableTest, WhoeverSaysTooMuchMeanwhileIsCutOff) {
  Begin();
  const auto say = [&](const std::string& text) {
    for (Decoded& decoded : DecodeClient(text)) table_->OnMessage(text, std::move(decoded), true);
  };
  say(R"({"command":"actions/register","game":"Game","data":{"actions":[
      {"name":"large","description":"d","schema":)" +
      LargeSchema(5'000) + "}]}}");
  const std::string context =
      R"({"command":"context","game":"Game","data":{"message":")" + std::string(1u << 20, 'x') + R"("}})";
  for (int i = 0; i < 10; ++i) say(context);
  scheduler_.Run();
  EXPECT_EQ(socket_->closed_with, net::close_code::kPolicy);
  EXPECT_NE(table_->seat(0).actions().Find("large"), nullptr);
}

TEST_F(RemoteTableTest, AConnectionThatIsReplacedIsNotHeardAnyMore) {
  Begin();
  const auto say = [&](const std::string& text) {
    for (Decoded& decoded : DecodeClient(text)) table_->OnMessage(text, std::move(decoded), true);
  };
  say(R"({"command":"actions/register","game":"Game","data":{"actions":[
      {"name":"large","description":"d","schema":)" +
      LargeSchema(5'000) + "}]}}");
  say(R"({"command":"actions/force","game":"Game","data":{"query":"q","action_names":["large"]}})");
  table_->Detach(socket_->id(), {.code = net::close_code::kGoingAway});
  Connect();
  EXPECT_THAT(player_.decisions, IsEmpty());
  Begin();
  EXPECT_EQ(table_->seat(0).actions().Names(), "move or pass");
}

TEST_F(RemoteTableTest, ASchemaThatTakesTooMuchIsSaidAndItsDataIsNotChecked) {
  Begin();
  std::string chain = R"({"$defs":{"d0":{"type":"object","required":["x"]})";
  for (int i = 1; i < 40; ++i) {
    const std::string inner = R"({"$ref":"#/$defs/d)" + std::to_string(i - 1) + R"("})";
    chain += R"(,"d)" + std::to_string(i) + R"(":{"allOf":[)" + inner + "," + inner + "]}";
  }
  Say("actions/register",
      R"({"actions":[{"name":"climb","description":"d","schema":)" + chain + R"(},"$ref":"#/$defs/d39"}}]})");
  Force(R"(["climb"])");
  Choose("climb", R"({"x":1})");
  EXPECT_THAT(socket_->sent.back(), HasSubstr("climb"));
  EXPECT_THAT(Keys(), Contains("perf/schema/costly"));
}

TEST_F(RemoteTableTest, WhoTakesTheSeatMayLeaveItToTheServersAgent) {
  Begin();
  Table& table = *table_;
  std::string seated;
  const auto told = [&](const openseat::Result<SeatIndex>& taken) {
    seated = taken ? std::to_string(*taken) : std::string(ErrorCodeName(taken.error().code));
  };
  table.SeatAgent(0, "", {"unknown", {}}, told);
  EXPECT_EQ(seated, "invalid");
  const std::uint64_t server = table.seat(0).sitting();
  table.SeatAgent(0, "", {"named", {}}, told);
  EXPECT_EQ(seated, "invalid") << "the answer waits for the record";
  scheduler_.Run();
  EXPECT_EQ(seated, "0");
  EXPECT_NE(named_.seat, nullptr);

  std::string left;
  const auto done = [&](const openseat::Result<void>& gone) {
    left = gone ? "done" : ErrorCodeName(gone.error().code);
  };
  table.Resign(0, "tired", {.sitting = server}, done);
  EXPECT_EQ(left, "closed") << "it was replaced meanwhile";
  player_.seat = nullptr;
  table.Resign(0, "tired", {.sitting = table.seat(0).sitting()}, done);
  EXPECT_EQ(left, "done");
  scheduler_.Run();
  EXPECT_NE(player_.seat, nullptr);
  EXPECT_EQ(table.outcome(), nullptr);
  EXPECT_FALSE(table.Say(0, "bye"));
}

TEST_F(RemoteTableTest, AGameIsPlayed) {
  Say("startup");
  EXPECT_EQ(
      socket_->Take(),
      std::vector<std::string>{
          R"({"command":"startup","data":{"session":{"sessionId":"game-1","characterId":"openseat","displayName":"Openseat"}}})"});
  EXPECT_EQ(table_->seat(0).briefing().game, table_->game_name());
  Begin();
  Force();
  ASSERT_EQ(player_.decisions.size(), 1u);
  EXPECT_EQ(player_.decisions[0].query, "Your turn");
  EXPECT_EQ(player_.decisions[0].sight->text(), "board");
  EXPECT_EQ(player_.decisions[0].actions.Names(), "move or pass");
  Choose("move", R"({"x":1})");
  const json::Value action = *json::Parse(socket_->sent.back());
  EXPECT_EQ(action.at("command"), json::Value("action"));
  EXPECT_EQ(action.at("data").at("name"), json::Value("move"));
  EXPECT_EQ(action.at("data").at("data"), json::Value(R"({"x":1})"));
  Result(SentId(), true, "");
  EXPECT_THAT(player_.verdicts, ElementsAre("move accepted"));
  EXPECT_EQ(table_->seat(0).decision(), nullptr);
  EXPECT_THAT(Keys(), ElementsAre("prot/startup/multiple"));  // Begin sends a second one
}

TEST_F(RemoteTableTest, AnActionThatIsUnregisteredBeforeItsResultWasRegistered) {
  Begin();
  Force();
  ASSERT_TRUE(table_->seat(0).Choose({.action = "move", .unchecked = true, .raw = "{}"}));
  Say("actions/unregister", R"({"action_names":["move","pass"]})");
  Result(SentId(), true);
  EXPECT_THAT(Keys(), ElementsAre("prot/result/accepted_invalid"));
}

TEST_F(RemoteTableTest, TheProfileCanBeSwitchedWhileTheGameRuns) {
  Begin();
  EXPECT_EQ(table_->Info().at("profile").at("name"), "document");
  ASSERT_TRUE(table_->Control("profile", {{"profile", "production"}, {"seed", 7}}));
  EXPECT_EQ(table_->Info().at("profile"), (json::Object{{"name", "production"}, {"seed", 7}}));
  Say("actions/register", R"({"actions":[{"name":"pass","description":"Other"}]})");
  EXPECT_EQ(table_->seat(0).actions().Find("pass")->description, "Other") << "production replaces";
  Force();
  EXPECT_TRUE(player_.decisions.empty()) << "she thinks";
  scheduler_.Advance(seconds(15));
  ASSERT_EQ(player_.decisions.size(), 1u);
  for (int i = 0; i < 4; ++i) {
    Choose("pass");
    Result(SentIdOfAction(), false, "no");
    scheduler_.Advance(seconds(15));
  }
  EXPECT_THAT(Keys(), Contains("prot/force/gave_up"));
  Say("startup");
  EXPECT_THAT(socket_->sent.back(), HasSubstr(R"("characterId":"neuro","displayName":"Neuro-sama")"));
  ASSERT_TRUE(table_->Control("profile", {{"profile", "document"}}));
  Begin();
  Force();
  EXPECT_EQ(table_->seat(0).decision()->attempt, 1);
  EXPECT_THAT(journal_.Payloads(table_->id(), EventKind::kNote),
              Contains(HasSubstr(R"("profile":"production","seed":7)")));

  const auto refused = [&](const json::Object& arguments) {
    return table_->Control("profile", arguments).error().message;
  };
  EXPECT_EQ(refused({}), "profile must be document, production or chaos; got nothing");
  EXPECT_EQ(refused({{"profile", "wild"}}), "the profile must be document, production or chaos; got \"wild\"");
  EXPECT_EQ(refused({{"profile", "chaos"}, {"seed", -1}}), "seed must be a whole number from 0 to 2^53 - 1; got -1");
}

TEST_F(RemoteTableTest, AFailedResultOutsideAForceIsNotRetried) {
  Begin();
  Choose("pass");
  Result(SentId(), false, "no");
  EXPECT_THAT(player_.verdicts, ElementsAre("pass refused"));
  EXPECT_THAT(player_.decisions, IsEmpty());
}

TEST_F(RemoteTableTest, NoResultCountsAsFailedAndIsNotRetried) {
  Begin();
  Force();
  Choose("pass");
  const std::string id = SentId();
  scheduler_.Advance(seconds(19));
  EXPECT_THAT(player_.verdicts, IsEmpty());
  scheduler_.Advance(seconds(1));
  EXPECT_THAT(player_.verdicts, ElementsAre("pass timed-out"));
  EXPECT_EQ(player_.decisions.size(), 1u);
  Result(id, true);
  EXPECT_THAT(Keys(), ElementsAre("perf/timeout/action_result", "prot/result/after_timeout"));
}

TEST_F(RemoteTableTest, EachActionHasItsOwnTimeForAResult) {
  Begin();
  Choose("pass");
  scheduler_.Advance(seconds(15));
  Result(SentId(), true);
  Choose("pass");
  scheduler_.Advance(seconds(19));
  EXPECT_THAT(player_.verdicts, ElementsAre("pass accepted"));
  scheduler_.Advance(seconds(1));
  EXPECT_THAT(player_.verdicts, ElementsAre("pass accepted", "pass timed-out"));
  // Another profile may give it less.
  Choose("pass");
  Result(SentId(), true);
  profiles_.all.front().result_timeout = seconds(2);
  Choose("pass");
  scheduler_.Advance(seconds(2));
  EXPECT_THAT(player_.verdicts, ElementsAre("pass accepted", "pass timed-out", "pass accepted", "pass timed-out"));
}

TEST_F(RemoteTableTest, AResultForAnUnknownIdIsDiscarded) {
  Begin();
  Force();
  Choose("pass");
  const std::string id = SentId();
  Result("nonsense", true);
  EXPECT_THAT(player_.verdicts, IsEmpty());
  Result(id, true);
  Result(id, true);
  EXPECT_THAT(player_.verdicts, ElementsAre("pass accepted"));
  EXPECT_THAT(Keys(), ElementsAre("prot/result/unexpected", "prot/result/duplicate"));
}

TEST_F(RemoteTableTest, ALateResultIsNoted) {
  Begin();
  Choose("pass");
  scheduler_.Advance(milliseconds(501));
  Result(SentId(), false, "");
  EXPECT_THAT(Keys(), ElementsAre("perf/late/action_result", "prot/result/error_nomessage"));
}

TEST_F(RemoteTableTest, ContextIsHeldWhileAResultIsPending) {
  Begin();
  Choose("pass");
  Say("context", R"({"message":"one","silent":false})");
  EXPECT_THAT(player_.contexts, IsEmpty());
  Result(SentId(), true);
  EXPECT_THAT(player_.contexts, ElementsAre("one (answer)"));
}

TEST_F(RemoteTableTest, DuplicateRegistrationIsIgnoredOrReplaces) {
  Begin();
  Say("actions/register", R"({"actions":[{"name":"pass","description":"Passes"}]})");
  Say("actions/register", R"({"actions":[{"name":"pass","description":"Other"}]})");
  EXPECT_EQ(table_->seat(0).actions().Find("pass")->description, "Passes");
  EXPECT_THAT(Keys(), ElementsAre("perf/register/identical_duplicate", "prot/v1/register/conflict"));

  Make({.registration = NeuroOptions::Registration::kReplace});
  Begin();
  Say("actions/register", R"({"actions":[{"name":"pass","description":"Other"}]})");
  EXPECT_EQ(table_->seat(0).actions().Find("pass")->description, "Other");
}

TEST_F(RemoteTableTest, UnregisteringTellsUnknownFromLate) {
  Begin();
  Say("actions/unregister", R"({"action_names":["pass"]})");
  Say("actions/unregister", R"({"action_names":["pass","never"]})");
  Say("actions/unregister", R"({"action_names":[]})");
  EXPECT_THAT(Keys(), ElementsAre("prot/unregister/inactive", "prot/unregister/unknown", "prot/unregister/empty"));
}

TEST_F(RemoteTableTest, AForceWithUnknownNamesUsesTheRest) {
  Begin();
  Force(R"(["pass","fly"])");
  EXPECT_EQ(player_.decisions.at(0).actions.Names(), "pass");
  Force(R"(["fly"])");
  Force("[]");
  EXPECT_EQ(player_.decisions.size(), 1u);
  EXPECT_THAT(Keys(), ElementsAre("prot/force/some_invalid", "prot/force/multiple", "prot/force/all_invalid",
                                  "prot/force/empty"));
  EXPECT_NE(table_->seat(0).decision(), nullptr) << "a force that cannot be opened leaves the open one alone";
}

TEST_F(RemoteTableTest, ASecondForceReplacesTheFirst) {
  Begin();
  Force();
  Force(R"(["pass"])", R"(,"priority":"high","ephemeral_context":true)");
  ASSERT_EQ(player_.decisions.size(), 2u);
  EXPECT_EQ(player_.decisions[1].priority, Priority::kHigh);
  EXPECT_TRUE(player_.decisions[1].ephemeral);
  EXPECT_THAT(Keys(), ElementsAre("prot/force/multiple"));
}

TEST_F(RemoteTableTest, AForceBeforeTheResultWaitsForIt) {
  Begin();
  Force();
  Choose("pass");
  const std::string id = SentId();
  Force(R"(["move"])");
  EXPECT_EQ(player_.decisions.size(), 1u);
  Result(id, true);
  ASSERT_EQ(player_.decisions.size(), 2u);
  EXPECT_EQ(player_.decisions[1].actions.Names(), "move");
  EXPECT_THAT(Keys(), ElementsAre("prot/force/while_pending_result"));
}

TEST_F(RemoteTableTest, AForceThatWaitedForAResultOutlivesTheConnection) {
  Begin();
  Force();
  Choose("pass");
  Force(R"(["move"])");
  Result(SentId(), true);
  ASSERT_EQ(player_.decisions.size(), 2u);
  Drop();
  Connect();
  table_->ResumeSilently();
  scheduler_.Run();
  ASSERT_EQ(player_.decisions.size(), 3u);
  EXPECT_EQ(player_.decisions[2].actions.Names(), "move");
}

TEST_F(RemoteTableTest, AForceEndsWhenItsActionsGo) {
  Begin();
  Force();
  Say("actions/unregister", R"({"action_names":["move","pass"]})");
  EXPECT_EQ(table_->seat(0).decision(), nullptr);
  EXPECT_THAT(Keys(), IsEmpty()) << "the game called it off";
}

TEST_F(RemoteTableTest, AFailureAfterItsActionsAreGoneLeavesNothingToRetry) {
  Begin();
  Force();
  Choose("pass");
  const std::string id = SentId();
  Say("actions/unregister", R"({"action_names":["move","pass"]})");
  EXPECT_THAT(Keys(), IsEmpty());
  Say("action/result", R"({"id":")" + id + R"(","success":false,"message":"It is too late to pass."})");
  EXPECT_EQ(table_->seat(0).decision(), nullptr);
  EXPECT_THAT(Keys(), ElementsAre("prot/force/emptied"));
}

TEST_F(RemoteTableTest, AnActionWithAnEmptySchemaGetsNoData) {
  Begin();
  Say("actions/register", R"({"actions":[{"name":"wait","description":"Waits","schema":{}}]})");
  Choose("wait");
  EXPECT_THAT(socket_->sent.back(), ::testing::Not(HasSubstr(R"("data":"{}")")));
  EXPECT_THAT(socket_->sent.back(), HasSubstr(R"("name":"wait"})"));
  Say("actions/register", R"({"actions":[{"name":"wait","description":"Waits","schema":{}}]})");
  EXPECT_THAT(Keys(), ElementsAre("prot/schema/prefer_omit_to_empty", "perf/register/identical_duplicate"));
}

TEST_F(RemoteTableTest, AdviceIsGivenOnce) {
  Begin();
  Say("context", R"({"message":"# Rules","silent":true})");
  Say("context", R"({"message":"# Rules again","silent":true})");
  EXPECT_THAT(Keys(), ElementsAre("perf/context/heading"));
}

TEST_F(RemoteTableTest, UnregisteringBeforeTheResultIsFine) {
  Begin();
  Force();
  Choose("pass");
  Say("actions/unregister", R"({"action_names":["move","pass"]})");
  Result(SentId(), true);
  EXPECT_THAT(player_.verdicts, ElementsAre("pass accepted"));
  EXPECT_THAT(Keys(), IsEmpty());
}

TEST_F(RemoteTableTest, StartupClearsTheActions) {
  Begin();
  Force();
  Say("startup");
  EXPECT_TRUE(table_->seat(0).actions().empty());
  EXPECT_EQ(table_->seat(0).decision(), nullptr);
}

TEST_F(RemoteTableTest, OddActionsAreNoted) {
  Say("startup");
  Say("actions/register",
      R"({"actions":[{"name":"Do It","description":"","schema":{"type":"string","description":"x"}}]})");
  EXPECT_THAT(Keys(), ::testing::UnorderedElementsAre("prot/action/name", "prot/action/no_desc",
                                                      "prot/schema/type_object", "prot/schema/unsupported_keywords"));
}

}  // namespace
}  // namespace openseat::neuro

#include "protocols/neuro/remote_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "protocols/neuro/codec.h"
#include "protocols/neuro/fake_game.h"
#include "testing/fake_scheduler.h"
#include "testing/memory_journal.h"

namespace openseat::neuro {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class RemoteTableTest : public ::testing::Test {
 protected:
  void SetUp() override { Make({}); }

  void Make(const NeuroOptions& options) {
    table_.reset();
    options_ = options;
    table_ = std::make_unique<RemoteTable>(TableId("game-" + std::to_string(++tables_)), "Game", options_, scheduler_,
                                           journal_);
    table_->seat(0).SetAgent(std::make_unique<FakePlayer>(player_));
    Connect();
  }
  void Connect() {
    socket_ = std::make_shared<FakeSocket>(scheduler_, ++sockets_);
    table_->Attach(std::make_unique<Link>(socket_, scheduler_), scheduler_.clock().Monotonic());
    scheduler_.Run();
  }
  void Drop() {
    table_->Detach(socket_->id(), {.code = net::close_code::kGoingAway});
    scheduler_.Run();
  }
  void Say(std::string_view command, std::string_view data = {}) {
    std::string text = R"({"command":")" + std::string(command) + R"(","game":"Game")";
    if (!data.empty()) text += R"(,"data":)" + std::string(data);
    text += '}';
    bool first = true;
    for (const Decoded& decoded : DecodeClient(text)) table_->OnMessage(text, decoded, std::exchange(first, false));
    scheduler_.Run();
  }
  void Begin() {
    Say("startup");
    Say("actions/register", R"({"actions":[
        {"name":"move","description":"Moves","schema":{"type":"object","properties":{"x":{"type":"integer"}},"required":["x"]}},
        {"name":"pass","description":"Passes"}]})");
    socket_->Take();
  }
  void Force(std::string_view names = R"(["move","pass"])", std::string_view more = {}) {
    Say("actions/force",
        R"({"query":"Your turn","state":"board","action_names":)" + std::string(names) + std::string(more) + "}");
  }
  void Choose(std::string action, const char* data = nullptr) {
    Choice choice;
    choice.action = std::move(action);
    if (data != nullptr) choice.data = *json::Parse(data);
    ASSERT_TRUE(table_->seat(0).Choose(std::move(choice)).has_value());
    scheduler_.Run();
  }
  // The id of the action that was sent last.
  std::string SentId() {
    const json::Value sent = *json::Parse(socket_->sent.back());
    return sent.at("data").at("id").as_string().c_str();
  }
  void Result(const std::string& id, bool success, std::string_view message = "m") {
    Say("action/result", R"({"id":")" + id + R"(","success":)" + (success ? "true" : "false") + R"(,"message":")" +
                             std::string(message) + R"("})");
  }
  std::vector<std::string> Keys() {
    std::vector<std::string> keys;
    for (const json::Value& entry : table_->Diagnostics()) keys.emplace_back(entry.at("key").as_string().c_str());
    return keys;
  }

  testing::FakeScheduler scheduler_;
  testing::MemoryJournal journal_;
  NeuroOptions options_;
  FakePlayer::Log player_;
  std::unique_ptr<RemoteTable> table_;
  std::shared_ptr<FakeSocket> socket_;
  std::uint64_t sockets_ = 0;
  int tables_ = 0;
};

TEST_F(RemoteTableTest, AGameIsPlayed) {
  Say("startup");
  EXPECT_EQ(
      socket_->Take(),
      std::vector<std::string>{
          R"({"command":"startup","data":{"session":{"sessionId":"game-1","characterId":"openseat","displayName":"Openseat"}}})"});
  EXPECT_EQ(table_->seat(0).briefing().game, table_->game());
  Begin();
  Force();
  ASSERT_EQ(player_.decisions.size(), 1u);
  EXPECT_EQ(player_.decisions[0].query, "Your turn");
  EXPECT_EQ(player_.decisions[0].state, "board");
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

TEST_F(RemoteTableTest, AFailedResultRetriesTheForceThreeTimes) {
  Begin();
  Force();
  for (int i = 0; i < 3; ++i) {
    Choose("pass");
    Result(SentId(), false, "no");
  }
  EXPECT_EQ(player_.decisions.size(), 3u);
  EXPECT_EQ(player_.decisions.back().refusal, "no");
  EXPECT_THAT(Keys(), ElementsAre("prot/force/gave_up"));
  EXPECT_EQ(table_->seat(0).decision(), nullptr);
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

TEST_F(RemoteTableTest, AForceEndsWhenItsActionsGo) {
  Begin();
  Force();
  Say("actions/unregister", R"({"action_names":["move","pass"]})");
  EXPECT_EQ(table_->seat(0).decision(), nullptr);
  EXPECT_THAT(Keys(), ElementsAre("prot/force/emptied"));
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

TEST_F(RemoteTableTest, AChoiceWhileTheGameIsAwayIsLost) {
  Begin();
  Drop();
  Choose("pass");
  EXPECT_THAT(player_.verdicts, ElementsAre("pass lost"));
}

TEST_F(RemoteTableTest, OddActionsAreNoted) {
  Say("startup");
  Say("actions/register",
      R"({"actions":[{"name":"Do It","description":"","schema":{"type":"string","description":"x"}}]})");
  EXPECT_THAT(Keys(), ::testing::UnorderedElementsAre("prot/action/name", "prot/action/no_desc",
                                                      "prot/schema/type_object", "prot/schema/unsupported_keywords"));
}

TEST_F(RemoteTableTest, TheConsoleMayOrder) {
  Begin();
  ASSERT_TRUE(table_->Control("reregister-all", {}).has_value());
  EXPECT_EQ(socket_->sent.back(), R"({"command":"actions/reregister_all"})");
  EXPECT_EQ(table_->Control("shutdown", {{"kind", "graceful"}}).error().code, ErrorCode::kDenied);
  EXPECT_EQ(table_->Control("dance", {}).error().code, ErrorCode::kUnsupported);
  Make({.shutdown_requests = true});
  EXPECT_EQ(table_->Control("shutdown", {{"kind", "slow"}}).error().code, ErrorCode::kInvalid);
  ASSERT_TRUE(table_->Control("shutdown", {{"kind", "immediate"}}).has_value());
  EXPECT_EQ(socket_->sent.back(), R"({"command":"shutdown/immediate"})");
}

TEST_F(RemoteTableTest, EverythingIsJournalled) {
  Begin();
  Force();
  Choose("pass");
  Result(SentId(), true);
  const TableId id("game-1");
  EXPECT_EQ(journal_.Payloads(id, EventKind::kOpened).size(), 1u);
  EXPECT_EQ(journal_.Payloads(id, EventKind::kReceived).size(), 4u);
  EXPECT_EQ(journal_.Payloads(id, EventKind::kSent).size(), 2u);
  EXPECT_EQ(journal_.Payloads(id, EventKind::kDecision).size(), 1u);
  EXPECT_EQ(journal_.Payloads(id, EventKind::kChoice).size(), 1u);
  EXPECT_EQ(journal_.Payloads(id, EventKind::kVerdict).size(), 1u);
}

TEST_F(RemoteTableTest, GoesOnWhereItCannotBeRecordedAndSaysSo) {
  Begin();
  journal_.failing = Error{ErrorCode::kIo, "the disk is full", {}};
  Force();
  Choose("pass");
  Result(SentId(), true);
  EXPECT_EQ(player_.verdicts.size(), 1u);
  EXPECT_THAT(Keys(), ::testing::Contains("server/recording_gap"));
  journal_.failing.reset();
  scheduler_.Advance(seconds(1));
  Force();
  Choose("pass");
  Result(SentId(), true);
  const TableId id("game-1");
  EXPECT_EQ(journal_.Payloads(id, EventKind::kGap).size(), 1u);
  EXPECT_EQ(journal_.Payloads(id, EventKind::kVerdict).size(), 1u);
  table_.reset();
  EXPECT_EQ(journal_.Payloads(id, EventKind::kClosed).size(), 1u);
}

TEST_F(RemoteTableTest, PlaysOnWhereItsRecordingIsFull) {
  NeuroOptions options;
  options.record.max_bytes = 2000;
  Make(options);
  Begin();
  for (int i = 0; i < 20; ++i) {
    Force();
    Choose("pass");
    Result(SentId(), true);
  }
  EXPECT_EQ(player_.verdicts.size(), 20u);
  EXPECT_THAT(Keys(), ::testing::Contains("server/recording_gap"));
  table_.reset();
  const TableId id("game-2");
  const auto last = journal_.Read(id, 0, 1000)->back();
  EXPECT_EQ(last.event.kind, EventKind::kClosed);
  EXPECT_EQ(journal_.Payloads(id, EventKind::kGap).size(), 1u);
  std::size_t bytes = 0;
  for (const StoredEvent& event : *journal_.Read(id, 0, 1000)) bytes += event.event.payload.size();
  EXPECT_LT(bytes, 2500u);
}

TEST_F(RemoteTableTest, SaysHowLongResultsTake) {
  Begin();
  EXPECT_FALSE(table_->Info().contains("results"));
  for (const int took : {10, 40, 20}) {
    Force();
    Choose("pass");
    scheduler_.Advance(milliseconds(took));
    Result(SentId(), true);
  }
  EXPECT_EQ(json::Write(table_->Info()["results"]), R"({"count":3,"last_ms":20,"median_ms":20,"worst_ms":40})");
}

TEST_F(RemoteTableTest, NonsenseIsReportedAndTheTableLivesOn) {
  Begin();
  for (const std::string text : {"", "{", "[]", "7", R"({"command":7})", R"({"command":"dance","game":"Game"})"}) {
    bool first = true;
    for (const Decoded& decoded : DecodeClient(text)) table_->OnMessage(text, decoded, std::exchange(first, false));
  }
  Force();
  EXPECT_EQ(player_.decisions.size(), 1u);
  EXPECT_THAT(Keys(), ::testing::Contains("prot/invalid_message"));
  EXPECT_THAT(Keys(), ::testing::Contains("prot/unknown_command"));
}

}  // namespace
}  // namespace openseat::neuro

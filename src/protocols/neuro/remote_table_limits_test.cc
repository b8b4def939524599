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
  EXPECT_THAT(Keys(), Contains("server/recording_gap"));
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
  const PeerLimits limits{.max_journal_bytes = 2000};
  Make({}, &limits);
  Begin();
  for (int i = 0; i < 20; ++i) {
    Force();
    Choose("pass");
    Result(SentId(), true);
  }
  EXPECT_EQ(player_.verdicts.size(), 20u);
  EXPECT_THAT(Keys(), Contains("server/recording_gap"));
  table_.reset();
  const TableId id("game-2");
  const auto last = journal_.Read(id, 0, 1000)->back();
  EXPECT_EQ(last.event.kind, EventKind::kClosed);
  EXPECT_EQ(journal_.Payloads(id, EventKind::kGap).size(), 1u);
  std::size_t bytes = 0;
  const auto recorded = journal_.Read(id, 0, 1000);
  for (const StoredEvent& event : *recorded) bytes += event.event.payload.size();
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
    for (Decoded& decoded : DecodeClient(text))
      table_->OnMessage(text, std::move(decoded), std::exchange(first, false));
  }
  Force();
  EXPECT_EQ(player_.decisions.size(), 1u);
  EXPECT_THAT(Keys(), Contains("prot/invalid_message"));
  EXPECT_THAT(Keys(), Contains("prot/unknown_command"));
}

TEST_F(RemoteTableTest, ItsAgentsWaitForTheirTurnAmongThoseOfItsPayer) {
  EXPECT_EQ(table_->seat(0).payer_address(), "");
  const PeerLimits limits = PeerLimits::Loopback();
  Make({}, &limits);
  EXPECT_EQ(table_->seat(0).payer_address(), "loopback");
}

TEST_F(RemoteTableTest, OnlySoManyActionsAreRegistered) {
  const PeerLimits limits{.max_actions = 2};
  Make({}, &limits);
  Say("startup");
  Say("actions/register", R"({"actions":[{"name":"one","description":"d"},{"name":"two","description":"d"}]})");
  EXPECT_THAT(Keys(), IsEmpty());
  Say("actions/register", R"({"actions":[{"name":"three","description":"d"}]})");
  EXPECT_EQ(table_->seat(0).actions().size(), 2u);
  EXPECT_THAT(Keys(), ElementsAre("prot/limit"));
  EXPECT_THAT(Message(0), HasSubstr("max_actions"));
  EXPECT_THAT(metrics_.Text(), HasSubstr(R"(openseat_refused_total{budget="max_actions"} 1)"));
  Say("actions/unregister", R"({"action_names":["one"]})");
  Say("actions/register", R"({"actions":[{"name":"three","description":"d"}]})");
  EXPECT_NE(table_->seat(0).actions().Find("three"), nullptr) << "there is room again";
}

TEST_F(RemoteTableTest, ActionsMayHaveOnlySoManyBytes) {
  NeuroOptions options;
  options.registration = NeuroOptions::Registration::kReplace;
  const PeerLimits limits{.max_schema_bytes = 300};
  Make(options, &limits);
  Say("startup");
  const auto with = [this](const std::string& name, std::size_t bytes) {
    Say("actions/register", R"({"actions":[{"name":")" + name +
                                R"(","description":"d","schema":{"type":"object","title":")" + std::string(bytes, 'x') +
                                R"("}}]})");
    const ActionPtr action = table_->seat(0).actions().Find(name);
    return action ? json::Write(*action->schema).size() : 0;
  };
  EXPECT_GT(with("a", 150), 150u);
  EXPECT_EQ(with("b", 150), 0u);
  EXPECT_THAT(Message(Keys().size() - 1), HasSubstr("max_schema_bytes"));
  EXPECT_THAT(metrics_.Text(), HasSubstr(R"(openseat_refused_total{budget="max_schema_bytes"} 1)"));
  EXPECT_GT(with("a", 200), 200u) << "it takes the place of the former";
  EXPECT_GT(with("a", 20), 20u);
  EXPECT_GT(with("b", 150), 150u) << "what was replaced does not count any more";
  Say("actions/unregister", R"({"action_names":["b"]})");
  EXPECT_GT(with("c", 150), 150u);
  Say("startup");
  EXPECT_GT(with("d", 220), 220u);
}

TEST_F(RemoteTableTest, ListsBeyondWhatThereCanBeAreCut) {
  const PeerLimits limits{.max_actions = 100};
  Make({}, &limits);
  Begin();
  std::string names = "\"pass\"";
  for (int i = 0; i < 1'500; ++i) names += ",\"n" + std::to_string(i) + "\"";
  Force("[" + names + "]");
  EXPECT_EQ(player_.decisions.size(), 1u);
  EXPECT_THAT(Keys(), ElementsAre("prot/limit", "prot/force/some_invalid"));
  EXPECT_THAT(Message(1), HasSubstr(R"("n7" and 91 more)"));
  Say("actions/unregister", R"({"action_names":[)" + names + "]}");
  EXPECT_EQ(table_->Info().at("diagnostics").to_number<int>(), 2 + 1 + 99);
}

TEST_F(RemoteTableTest, ContextThatWaitsForAResultIsLimited) {
  const PeerLimits limits{.max_waiting_items = 3};
  Make({}, &limits);
  Begin();
  Force();
  Choose("pass");
  for (int i = 0; i < 5; ++i) Say("context", R"({"message":"m","silent":true})");
  EXPECT_THAT(Keys(), ElementsAre("prot/context/while_pending", "prot/limit"));
  EXPECT_THAT(metrics_.Text(), HasSubstr(R"(openseat_refused_total{budget="max_waiting_items"} 2)"));
  Result(SentId(), true);
  EXPECT_EQ(player_.contexts.size(), 3u);
}

TEST_F(RemoteTableTest, ForcesCountInTheMemoryOfTheirAddress) {
  const PeerLimits limits{.max_table_bytes_per_address = 200'000};
  Make({}, &limits);
  Begin();
  const auto force = [this](std::size_t bytes) {
    Say("actions/force", R"({"query":"q","action_names":["pass"],"state":")" + std::string(bytes, 'x') + R"("})");
  };
  force(60'000);
  ASSERT_EQ(player_.decisions.size(), 1u);
  Choose("pass");
  Result(SentId(), true);
  force(90'000);
  EXPECT_EQ(player_.decisions.size(), 2u) << "the former is not kept";
  Choose("pass");
  Result(SentId(), true);
  EXPECT_THAT(Keys(), Not(Contains("prot/limit")));
  force(110'000);
  EXPECT_EQ(player_.decisions.size(), 2u);
  EXPECT_EQ(Keys().back(), "prot/limit");
  EXPECT_THAT(Message(Keys().size() - 1), HasSubstr("max_table_bytes_per_address"));
  force(90'000);
  EXPECT_EQ(player_.decisions.size(), 3u) << "there is room again";
}

TEST_F(RemoteTableTest, NamesOfForcesCount) {
  const PeerLimits limits{.max_table_bytes_per_address = 200'000};
  Make({}, &limits);
  Begin();
  std::string names = "\"pass\"";
  for (int i = 0; i < 25; ++i) names += ",\"" + std::to_string(i) + std::string(8'000, 'n') + "\"";
  Force("[" + names + "]");
  EXPECT_TRUE(player_.decisions.empty());
  EXPECT_EQ(Keys().back(), "prot/limit");
  Force();
  EXPECT_EQ(player_.decisions.size(), 1u);
}

TEST_F(RemoteTableTest, WhatIsRemovedCountsWhileItsDecisionIsOpen) {
  const PeerLimits limits{.max_table_bytes_per_address = 40'000};
  Make({}, &limits);
  Begin();
  const auto add = [this](const std::string& name) {
    Say("actions/register",
        R"({"actions":[{"name":")" + name + R"(","description":")" + std::string(15'000, 'd') + R"("}]})");
    return table_->seat(0).actions().Find(name) != nullptr;
  };
  const auto remove = [this](const std::string& name) {
    Say("actions/unregister", R"({"action_names":[")" + name + R"("]})");
  };
  ASSERT_TRUE(add("a"));
  Force(R"(["pass","a"])");
  // However often it comes and goes, one of its name is kept.
  for (int i = 0; i < 5; ++i) {
    remove("a");
    ASSERT_TRUE(add("a")) << i;
  }
  remove("a");
  EXPECT_TRUE(add("b"));
  EXPECT_FALSE(add("c")) << "the seat still has the former a";
  Choose("pass");
  Result(SentId(), true);
  EXPECT_TRUE(add("c"));
}

TEST_F(RemoteTableTest, ListsLeaveOutWhatIsLong) {
  Begin();
  const auto force = [this](std::size_t bytes) {
    Say("actions/force", R"({"query":"q","action_names":["pass"],"state":")" + std::string(bytes, 'x') + R"("})");
  };
  force(15'000);
  EXPECT_EQ(table_->ListedInfo(), table_->Info());
  Choose("pass");
  Result(SentId(), true);
  force(70'000);
  const json::Object info = table_->Info();
  const json::Object listed = table_->ListedInfo();
  EXPECT_FALSE(info.contains("partial"));
  EXPECT_EQ(listed.at("partial"), json::Value(true));
  const json::Value& seat = listed.at("seats").at(0);
  EXPECT_EQ(seat.at("action_count").to_number<std::size_t>(), table_->seat(0).actions().size());
  EXPECT_FALSE(seat.as_object().contains("actions"));
  EXPECT_TRUE(seat.as_object().contains("decision"));
  EXPECT_LT(json::Write(listed).size(), 1'000u);
  EXPECT_GT(json::Write(info).size(), 70'000u);
}

TEST_F(RemoteTableTest, ContextsThatWaitCountForTheirAddress) {
  const PeerLimits limits{.max_waiting_bytes_per_address = 100'000};
  Make({}, &limits);
  Begin();
  Force();
  Choose("pass");
  for (int i = 0; i < 3; ++i) Say("context", R"({"silent":true,"message":")" + std::string(60'000, 'x') + R"("})");
  EXPECT_THAT(Keys(), ElementsAre("prot/context/while_pending", "prot/limit"));
  EXPECT_THAT(Message(1), HasSubstr("max_waiting_bytes_per_address"));
  Result(SentId(), true);
  EXPECT_EQ(player_.contexts.size(), 2u);
}

TEST_F(RemoteTableTest, WhatAGameSaysIsQuotedInShort) {
  Begin();
  Say("actions/unregister", R"({"action_names":[")" + std::string(100'000, 'x') + R"("]})");
  Say("actions/register", R"({"actions":[{"name":")" + std::string(100'000, 'y') + R"(","description":"d"}]})");
  for (const json::Value& entry : table_->Diagnostics()) EXPECT_LE(entry.at("message").as_string().size(), 2'010u);
}

}  // namespace
}  // namespace openseat::neuro

#include "protocols/console/past_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testing/fake_scheduler.h"
#include "testing/memory_journal.h"

namespace openseat::console {
namespace {

class PastTable : public ::testing::Test {
 protected:
  void Add(EventKind kind, std::string payload) {
    scheduler_.Advance(std::chrono::seconds(1));
    journal_.Append(id_, last_, {{kind, scheduler_.clock().Now(), std::move(payload)}}, scheduler_, nullptr);
    ++last_;
  }
  void Find(const std::string& key, Seq seq = 0) {
    Add(EventKind::kDiagnostic, R"({"key":")" + key + R"(","severity":"warn","message":"of )" + key + '"' +
                                    (seq == 0 ? "" : ",\"seq\":" + std::to_string(seq)) + "}");
  }
  // "key×count" of each.
  std::vector<std::string> Findings(std::optional<Seq> since = {}) {
    std::vector<std::string> out;
    answer_ = *RecordedDiagnostics(journal_, [](std::string_view) { return "fix it"; }, *journal_.Find(id_), since);
    for (const json::Value& each : answer_.at("diagnostics").as_array()) {
      out.push_back(std::string(json::View(each.at("key").as_string())) + "×" + json::Write(each.at("count")));
    }
    return out;
  }

  const TableId id_{"game-1"};
  testing::FakeScheduler scheduler_;
  testing::MemoryJournal journal_;
  Seq last_ = 0;
  json::Object answer_;
};

TEST_F(PastTable, ItsFindingsAreThoseOfTheLastRunUnlessAskedFor) {
  Add(EventKind::kOpened, R"({"kind":"remote","protocol":"neuro","game":"Game"})");
  Find("a");
  Add(EventKind::kReceived, "what it said");
  Find("b", 3);
  Find("a");
  EXPECT_EQ(Findings(), (std::vector<std::string>{"a×2", "b×1"}));
  const json::Object& b = answer_.at("diagnostics").at(1).as_object();
  EXPECT_EQ(b.at("advice"), "fix it");
  EXPECT_EQ(b.at("seq"), 3);
  EXPECT_EQ(b.at("excerpt"), "what it said");
  EXPECT_EQ(b.at("severity"), "warn");
  EXPECT_NE(answer_.at("diagnostics").at(0).at("first"), answer_.at("diagnostics").at(0).at("last"));

  Add(EventKind::kNote, R"({"text":"run 2 of the game","run":2})");
  EXPECT_TRUE(Findings().empty());
  Find("c");
  Add(EventKind::kNote, R"({"text":"a note"})");
  EXPECT_EQ(Findings(), std::vector<std::string>{"c×1"});
  EXPECT_EQ(Findings(0), (std::vector<std::string>{"a×2", "b×1", "c×1"}));
  EXPECT_EQ(Findings(4), (std::vector<std::string>{"a×1", "c×1"}));
  EXPECT_TRUE(Findings(1'000).empty());
  EXPECT_EQ(answer_.if_contains("next"), nullptr);
}

TEST_F(PastTable, ALongRecordIsReadInParts) {
  Add(EventKind::kOpened, "{}");
  std::vector<Event> notes(kMaxScannedEvents, Event{EventKind::kNote, scheduler_.clock().Now(), "{}"});
  journal_.Append(id_, last_, std::move(notes), scheduler_, nullptr);
  last_ += kMaxScannedEvents;
  Find("late");
  EXPECT_TRUE(Findings(0).empty());
  const auto next = answer_.at("next").to_number<Seq>();
  EXPECT_EQ(Findings(next), std::vector<std::string>{"late×1"});
  EXPECT_EQ(Findings(), std::vector<std::string>{"late×1"}) << "the last run is at the end";
}

TEST_F(PastTable, WhatItWasIsInItsFirstEvent) {
  Add(EventKind::kOpened, R"({"kind":"remote","protocol":"neuro","game":"Game"})");
  const json::Object table = RecordedTable(*journal_.Find(id_));
  EXPECT_EQ(table.at("status"), "recorded");
  EXPECT_EQ(table.at("game"), "Game");
  EXPECT_EQ(table.at("events"), 1);
  EXPECT_FALSE(journal_.Find(TableId("other")));
}

}  // namespace
}  // namespace openseat::console

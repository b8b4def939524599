#include "protocols/neuro/earlier_table.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "testing/fake_scheduler.h"
#include "testing/memory_journal.h"

namespace openseat::neuro {
namespace {

class EarlierTableTest : public ::testing::Test {
 protected:
  std::optional<EarlierTable> Read(std::vector<Event> events) {
    const TableId id("table-" + std::to_string(++tables_));
    journal_.Append(id, 0, std::move(events), scheduler_, {});
    return ReadEarlier(journal_, *journal_.Find(id)).value();
  }
  static Event Of(EventKind kind, std::string payload) { return {kind, Time(), std::move(payload)}; }
  static Event Opened(const std::string& more = R"(,"owner":"192.0.2.7")") {
    return Of(EventKind::kOpened, R"({"kind":"remote","protocol":"neuro","game":"Game")" + more + "}");
  }

  testing::FakeScheduler scheduler_;
  testing::MemoryJournal journal_;
  int tables_ = 0;
};

TEST_F(EarlierTableTest, TheRecordSaysHowItGoesOn) {
  std::vector<Event> events{Opened(), Of(EventKind::kHandedOver, R"({"seat":0,"agent":{"kind":"random","seed":7}})"),
                            Of(EventKind::kDecision, R"({"seat":0,"decision":3})"),
                            Of(EventKind::kChoice, R"({"seat":0,"choice":4})"),
                            Of(EventKind::kNote, R"({"text":"run 2 of the game","run":2})")};
  // More than is read at once, and what no table wrote.
  for (int i = 0; i < 1'000; ++i) events.push_back(Of(EventKind::kReceived, "not JSON"));
  events.push_back(Of(EventKind::kDecision, "not JSON"));
  const auto table = Read(events);
  ASSERT_TRUE(table.has_value());
  EXPECT_EQ(table->game, "Game");
  EXPECT_EQ(table->owner, "192.0.2.7");
  EXPECT_EQ(table->last_seq, events.size());
  ASSERT_TRUE(table->agent.has_value());
  EXPECT_EQ(table->agent->kind, "random");
  EXPECT_EQ(json::Write(table->agent->options), R"({"seed":7})");
  EXPECT_EQ(table->decision, DecisionId(3));
  EXPECT_EQ(table->choice, ChoiceId(4));
  EXPECT_EQ(table->run, 2);
  EXPECT_EQ(table->run_since, 5u);
  // The agent resigned.
  events.push_back(Of(EventKind::kHandedOver, R"({"seat":0,"default":true,"agent":{"kind":"random"}})"));
  EXPECT_FALSE(Read(events)->agent.has_value());
}

TEST_F(EarlierTableTest, OthersDoNotGoOn) {
  EXPECT_TRUE(Read({Opened()}).has_value());
  EXPECT_FALSE(Read({Opened("")}).has_value()) << "nobody's";
  EXPECT_FALSE(Read({Opened(), Of(EventKind::kClosed, "{}")}).has_value());
  EXPECT_FALSE(Read({Of(EventKind::kOpened, R"({"kind":"hosted","game":"rps"})")}).has_value());
  EXPECT_FALSE(Read({Of(EventKind::kOpened, "not JSON")}).has_value());
}

}  // namespace
}  // namespace openseat::neuro

#include "arena/recording_journal.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "testing/fake_scheduler.h"

namespace openseat::arena {
namespace {

TEST(RecordingJournalTest, KeepsEventsUntilTheyAreTaken) {
  std::vector<std::string> models;
  RecordingJournal journal([&](const Event& event) { models.push_back(event.payload); });
  testing::FakeScheduler scheduler;
  const TableId table("game-1");
  std::vector<Result<Seq>> answers;
  const auto answer = [&](Result<Seq> seq) { answers.push_back(std::move(seq)); };
  journal.Append(table, 0, {{EventKind::kOpened, Time(), "{}"}, {EventKind::kModel, Time(), "{\"step\":1}"}}, scheduler,
                 answer);
  journal.Append(table, 2, {{EventKind::kNote, Time(), "[]"}}, scheduler, answer, {.failures_only = true});
  EXPECT_TRUE(answers.empty()) << "answers come later";
  scheduler.Run();
  ASSERT_EQ(answers.size(), 1U);
  EXPECT_EQ(*answers[0], 2U);
  journal.Append(table, 2, {{EventKind::kNote, Time(), "[]"}}, scheduler, answer);
  scheduler.Run();
  EXPECT_EQ(answers[1].error().code, ErrorCode::kConflict);
  EXPECT_EQ(models, std::vector<std::string>{"{\"step\":1}"});
  EXPECT_EQ(journal.bytes(), 14U);
  EXPECT_EQ(journal.Read(table, 1, 1)->at(0).seq, 2U);
  EXPECT_EQ(journal.Read(table, 9, 9)->size(), 0U);
  EXPECT_EQ(journal.Tables(10)->size(), 1U);
  const std::vector<StoredEvent> events = journal.Take(table);
  ASSERT_EQ(events.size(), 3U);
  EXPECT_EQ(events[2].seq, 3U);
  EXPECT_EQ(journal.bytes(), 0U);
  EXPECT_TRUE(journal.Take(table).empty());
  EXPECT_EQ(journal.Read(table, 0, 1).error().code, ErrorCode::kNotFound);
  journal.Put(table, events);
  EXPECT_EQ(journal.Read(table, 0, 10)->size(), 3U);
}

}  // namespace
}  // namespace openseat::arena

#include "core/transcript.h"

#include <gtest/gtest.h>

#include "testing/fake_scheduler.h"
#include "testing/memory_journal.h"

namespace openseat {
namespace {

TEST(Transcript, AppendsWhatATurnOfTheLoopGathered) {
  testing::FakeScheduler scheduler;
  testing::MemoryJournal journal;
  Transcript transcript(journal, scheduler, TableId("t"));
  EXPECT_EQ(transcript.Add(EventKind::kOpened, "{}"), 1u);
  EXPECT_EQ(transcript.Add(EventKind::kNote, "a"), 2u);
  EXPECT_FALSE(journal.Read(TableId("t"), 0, 10).has_value());
  scheduler.Run();
  EXPECT_EQ(journal.Read(TableId("t"), 0, 10)->size(), 2u);
  EXPECT_EQ(transcript.Add(EventKind::kNote, "b"), 3u);
  scheduler.Run();
  EXPECT_EQ(journal.Read(TableId("t"), 2, 10)->front().event.payload, "b");
}

TEST(Transcript, AppendsTheRestWhenItGoes) {
  testing::FakeScheduler scheduler;
  testing::MemoryJournal journal;
  {
    Transcript(journal, scheduler, TableId("t")).Add(EventKind::kOpened, "{}");
  }
  EXPECT_EQ(journal.Read(TableId("t"), 0, 10)->size(), 1u);
  scheduler.Run();
  EXPECT_EQ(journal.Read(TableId("t"), 0, 10)->size(), 1u);
}

}  // namespace
}  // namespace openseat

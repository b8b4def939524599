#include "core/journal.h"

#include <gtest/gtest.h>

#include <string>

namespace openseat {
namespace {

StoredEvent Note(Seq seq, std::size_t bytes) {
  return {seq, {EventKind::kNote, Time(), std::string(bytes, 'x')}};
}

TEST(EventPage, TakesSoManyEventsAndBytes) {
  EventPage few(2);
  EXPECT_TRUE(few.Add(Note(1, 0)));
  EXPECT_FALSE(few.full());
  EXPECT_TRUE(few.Add(Note(2, 0)));
  EXPECT_TRUE(few.full());
  EXPECT_FALSE(few.Add(Note(3, 0)));
  EXPECT_EQ(few.Take().size(), 2u);

  EventPage large(10);
  EXPECT_TRUE(large.Add(Note(1, Journal::kReadBytes - 1)));
  EXPECT_TRUE(large.Add(Note(2, 1)));
  EXPECT_FALSE(large.Add(Note(3, 1)));
  EXPECT_FALSE(large.Add(Note(4, 0))) << "none is left out";
  EXPECT_EQ(large.Take().size(), 2u);

  EventPage one(10);
  EXPECT_TRUE(one.Add(Note(1, Journal::kReadBytes + 1))) << "every event can be read";
  EXPECT_FALSE(one.Add(Note(2, 0)));
  EXPECT_EQ(EventPage(0).full(), true);
}

}  // namespace
}  // namespace openseat

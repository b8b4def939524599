#include "base/waiting.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>

namespace openseat {
namespace {

TEST(WaitingTest, EmptyItemsAreNotFree) {
  WaitingQueue<std::string> queue({.items = 1000, .bytes = 10 * WaitingCount::kOverhead});
  std::size_t taken = 0;
  while (taken < 1000 && queue.Push("", 0)) ++taken;
  EXPECT_EQ(taken, 10u);
}

TEST(WaitingTest, ItemsAreLimitedHoweverSmall) {
  WaitingQueue<int> queue({.items = 3, .bytes = 1u << 20});
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(queue.Push(i, 0));
  EXPECT_FALSE(queue.Push(3, 0));
  EXPECT_EQ(queue.size(), 3u) << "a refused item leaves everything as it was";
  EXPECT_EQ(queue.Pop(), 0);
  EXPECT_TRUE(queue.Push(4, 0));
  EXPECT_EQ(queue.front(), 1);
}

TEST(WaitingTest, OneItemAlwaysFits) {
  WaitingQueue<int> queue({.items = 10, .bytes = 100});
  EXPECT_TRUE(queue.Push(1, 1'000'000));
  EXPECT_FALSE(queue.Push(2, 0));
  queue.Pop();
  EXPECT_EQ(queue.count().bytes(), 0u);
}

TEST(WaitingTest, TheOldestMakeRoom) {
  WaitingQueue<int> queue({.items = 100, .bytes = 3 * (WaitingCount::kOverhead + 100)});
  for (int i = 0; i < 3; ++i) queue.PushOverOldest(i, 100);
  queue.PushOverOldest(3, 250);
  EXPECT_EQ(queue.Pop(), 2);
  EXPECT_EQ(queue.Pop(), 3);
  EXPECT_TRUE(queue.empty());
}

TEST(WaitingTest, TheRefusalNamesTheSettingAndFitsIntoACloseFrame) {
  constexpr std::size_t kMax = std::numeric_limits<std::size_t>::max();
  WaitingCount items({.items = 1, .bytes = kMax});
  WaitingCount bytes({.items = kMax, .bytes = 1});
  for (WaitingCount* count : {&items, &bytes}) {
    EXPECT_TRUE(count->Add(0));
    EXPECT_FALSE(count->Add(0));
  }
  EXPECT_EQ(items.setting(), "max_waiting_items");
  EXPECT_EQ(items.Refusal(), "the limit max_waiting_items is reached: 1 messages of one connection wait already");
  EXPECT_EQ(bytes.setting(), "max_waiting_bytes");
  EXPECT_LE(bytes.Refusal().size() + 19, 123u) << "also with the longest number";
}

}  // namespace
}  // namespace openseat

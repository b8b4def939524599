#include "base/waiting.h"

#include <gtest/gtest.h>

#include <memory>
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

TEST(WaitingTest, WhatWaitsForOneAddressIsLimited) {
  Metrics metrics;
  constexpr std::size_t kItem = WaitingCount::kFree - WaitingCount::kOverhead;
  Budget budget({.others = {.max_waiting_bytes_per_address = 3 * WaitingCount::kFree}, .loopback = {}}, &metrics);
  const std::shared_ptr<Payer> payer = budget.PayerOf("192.0.2.7", Instant());
  auto first = std::make_unique<WaitingQueue<int>>(payer);
  WaitingQueue<int> second(payer);
  EXPECT_TRUE(first->Push(0, kItem));
  EXPECT_TRUE(second.Push(0, kItem));
  constexpr std::size_t kEach = WaitingCount::kUncounted;
  EXPECT_EQ(budget.waiting(), 2 * (WaitingCount::kFree - kEach));
  EXPECT_TRUE(first->Push(1, kItem));
  EXPECT_TRUE(first->Push(2, kItem));
  EXPECT_TRUE(second.Push(1, kItem)) << "each may have so much besides";
  EXPECT_EQ(budget.waiting(), 5 * WaitingCount::kFree - 2 * kEach);
  EXPECT_FALSE(second.Push(2, 0));
  EXPECT_EQ(second.count().Refuse(payer.get()).limit, Limit::kWaitingBytesOfAddress);
  EXPECT_NE(metrics.Text().find(R"(openseat_refused_total{budget="max_waiting_bytes_per_address"} 1)"),
            std::string::npos);
  WaitingQueue<int> third(payer);
  EXPECT_FALSE(third.Push(0, 10 * kItem)) << "even where nothing waits";
  EXPECT_TRUE(third.Push(0, 0));
  EXPECT_TRUE(WaitingQueue<int>(budget.PayerOf("192.0.2.8", Instant())).Push(0, 2 * kItem));
  EXPECT_EQ(budget.waiting(), 5 * WaitingCount::kFree - 2 * kEach);
  first.reset();
  EXPECT_EQ(budget.waiting(), 2 * WaitingCount::kFree - kEach) << "what is destroyed waits no longer";
  EXPECT_TRUE(second.Push(2, kItem));
  while (!second.empty()) second.Pop();
  EXPECT_EQ(budget.waiting(), 0u);
}

TEST(WaitingTest, WhatWaitsForAllIsLimited) {
  constexpr std::size_t kFree = WaitingCount::kFree;
  Budget budget({.max_waiting_bytes_in_all = 8 * kFree, .others = {}, .loopback = {}});
  const auto payer = [&budget](int i) { return budget.PayerOf("192.0.2." + std::to_string(i), Instant()); };
  WaitingQueue<int> one(payer(1));
  WaitingQueue<int> two(payer(2));
  EXPECT_TRUE(one.Push(0, 4 * kFree));
  EXPECT_FALSE(two.Push(0, 4 * kFree)) << "strangers may have 7/8";
  EXPECT_EQ(two.count().Refuse(payer(2).get()).limit, Limit::kWaitingBytesInAll);
  EXPECT_TRUE(two.Push(0, 3 * kFree));
  WaitingQueue<int> own(budget.OwnPayer());
  EXPECT_TRUE(own.Push(0, kFree + 1'000)) << "the rest is for this machine";
  WaitingQueue<int> small(payer(3));
  EXPECT_TRUE(small.Push(0, kFree / 2)) << "little is always taken";
}

TEST(WaitingTest, NothingLargeWaitsWhereMemoryIsShort) {
  Budget budget({.max_memory = 16'000'000, .others = {}, .loopback = {}});
  const std::shared_ptr<Payer> payer = budget.PayerOf("192.0.2.7", Instant());
  budget.MeasureWith([] { return 15'200'000; });
  budget.Measure();
  WaitingQueue<int> queue(payer);
  EXPECT_TRUE(queue.Push(0, 1'000));
  EXPECT_FALSE(queue.Push(1, 5'000));
  EXPECT_EQ(queue.count().Refuse(payer.get()).limit, Limit::kMemory);
  EXPECT_TRUE(WaitingQueue<int>(budget.OwnPayer()).Push(1, 5'000));
}

TEST(WaitingTest, TheRefusalNamesItsSettingAndIsCounted) {
  Metrics metrics;
  Budget budget({.others = {}, .loopback = {.max_waiting_items = 1, .max_waiting_bytes = 0}}, &metrics);
  const std::shared_ptr<Payer> payer = budget.PayerOf("127.0.0.1", Instant());
  WaitingCount items(WaitingLimits::Of(payer.get()));
  WaitingCount bytes({.items = 10, .bytes = 1});
  for (WaitingCount* count : {&items, &bytes}) {
    EXPECT_TRUE(count->Add(0));
    EXPECT_FALSE(count->Add(0));
  }
  EXPECT_EQ(items.Refuse(payer.get()).limit, Limit::kWaitingItems);
  EXPECT_EQ(bytes.Refuse(nullptr).limit, Limit::kWaitingBytes);
  EXPECT_NE(metrics.Text().find(R"(openseat_refused_total{budget="max_waiting_items"} 1)"), std::string::npos);
  EXPECT_LE(bytes.Refuse(nullptr).Text().size(), 123u) << "a close reason";
}

}  // namespace
}  // namespace openseat

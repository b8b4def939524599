#include "base/lazy.h"

#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

namespace openseat {
namespace {

TEST(LazyTest, MakesItsValueOnceAndOnlyIfAsked) {
  int made = 0;
  const auto make = [&made] { return "made " + std::to_string(++made); };
  const Lazy<std::string> never;
  const Lazy<std::string> text;
  EXPECT_EQ(made, 0);
  EXPECT_EQ(text.Get(make), "made 1");
  EXPECT_EQ(text.Get(make), "made 1");
  EXPECT_EQ(made, 1);
}

TEST(LazyTest, ThreadsThatAskAtTheSameTimeGetTheSameValue) {
  constexpr int kThreads = 4;
  for (int round = 0; round < 100; ++round) {
    const Lazy<std::vector<int>> numbers;
    std::atomic<int> made = 0;
    std::atomic<int> ready = 0;
    std::vector<const std::vector<int>*> seen(kThreads);
    std::vector<std::thread> threads;
    for (int i = 0; i < kThreads; ++i) {
      threads.emplace_back([&, i] {
        ++ready;
        while (ready < kThreads) std::this_thread::yield();
        seen[static_cast<std::size_t>(i)] = &numbers.Get([&made] { return std::vector<int>(1000, ++made); });
        EXPECT_EQ(seen[static_cast<std::size_t>(i)]->back(), 1);
      });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(made, 1);
    for (const auto* each : seen) EXPECT_EQ(each, seen.front());
  }
}

}  // namespace
}  // namespace openseat

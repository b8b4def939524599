#include "net/timer_queue.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <memory>
#include <vector>

namespace openseat::net {
namespace {

Instant At(int microseconds) {
  return Instant(Duration(microseconds));
}

void RunDue(TimerQueue& queue, Instant now) {
  const std::uint64_t mark = queue.mark();
  while (Task task = queue.PopDue(now, mark)) task();
}

TEST(TimerQueue, RunsInOrderOfDeadlineThenOfAdding) {
  TimerQueue queue;
  std::vector<int> ran;
  for (const auto& [id, when] : {std::pair{1, 30}, {2, 10}, {3, 30}, {4, 20}}) {
    queue.Add(At(when), [&ran, value = id] { ran.push_back(value); });
  }
  RunDue(queue, At(19));
  EXPECT_EQ(ran, (std::vector{2}));
  EXPECT_EQ(queue.next(), At(20));
  RunDue(queue, At(30));
  EXPECT_EQ(ran, (std::vector{2, 4, 1, 3}));
  EXPECT_TRUE(queue.empty());
}

TEST(TimerQueue, CancelDestroysTheTaskAndSaysWhetherItWasThere) {
  TimerQueue queue;
  auto owned = std::make_shared<int>(1);
  const TimerId timer = queue.Add(At(1), [owned] {});
  EXPECT_EQ(owned.use_count(), 2);
  EXPECT_TRUE(queue.Cancel(timer));
  EXPECT_EQ(owned.use_count(), 1);
  EXPECT_FALSE(queue.Cancel(timer));
  EXPECT_FALSE(queue.Cancel(TimerId()));
  EXPECT_FALSE(queue.Cancel(TimerId(77)));
}

TEST(TimerQueue, AnOldIdDoesNotCancelTheTimerInItsPlace) {
  TimerQueue queue;
  const TimerId old = queue.Add(At(1), [] {});
  queue.Cancel(old);
  queue.Add(At(2), [] {});
  EXPECT_FALSE(queue.Cancel(old));
  EXPECT_EQ(queue.size(), 1u);
}

TEST(TimerQueue, ATimerThatSetsItselfAgainWaitsForTheNextRound) {
  TimerQueue queue;
  int runs = 0;
  std::function<void()> again = [&] {
    ++runs;
    queue.Add(At(0), again);
  };
  queue.Add(At(0), again);
  RunDue(queue, At(5));
  EXPECT_EQ(runs, 1);
}

TEST(TimerQueue, ADyingTaskMayCancelAnotherTimer) {
  TimerQueue queue;
  struct Canceller {
    ~Canceller() { queue->Cancel(other); }
    TimerQueue* queue;
    TimerId other;
  };
  const TimerId second = queue.Add(At(2), [] {});
  auto canceller = std::make_shared<Canceller>(&queue, second);
  const TimerId first = queue.Add(At(1), [canceller] {});
  canceller.reset();
  EXPECT_TRUE(queue.Cancel(first));
  EXPECT_TRUE(queue.empty());
}

RC_GTEST_PROP(TimerQueueProperty, AgreesWithASortedList, ()) {
  struct Timer {
    int when;
    int order;
    TimerId id;
  };
  TimerQueue queue;
  std::vector<Timer> model;
  std::vector<int> ran;
  int now = 0;
  int order = 0;
  for (const auto& [what, value] : *rc::gen::container<std::vector<std::pair<int, int>>>(
           rc::gen::pair(rc::gen::inRange(0, 3), rc::gen::inRange(0, 100)))) {
    if (what == 0) {
      const int mine = order++;
      model.push_back({now + value, mine, queue.Add(At(now + value), [&ran, mine] { ran.push_back(mine); })});
    } else if (what == 1 && !model.empty()) {
      const auto at = model.begin() + value % static_cast<int>(model.size());
      RC_ASSERT(queue.Cancel(at->id));
      model.erase(at);
    } else {
      now += value;
      std::ranges::stable_sort(model, {}, [](const Timer& t) { return std::pair(t.when, t.order); });
      std::vector<int> expected;
      std::erase_if(model, [&](const Timer& t) {
        if (t.when > now) return false;
        expected.push_back(t.order);
        return true;
      });
      ran.clear();
      RunDue(queue, At(now));
      RC_ASSERT(ran == expected);
    }
  }
}

}  // namespace
}  // namespace openseat::net

#include "net/shard.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <boost/asio/post.hpp>
#include <csignal>
#include <functional>
#include <future>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/log.h"
#include "base/work_note.h"
#include "net/connection.h"
#include "net/shard_impl.h"
#include "net/test_work.h"

namespace openseat::net {
namespace {

using std::chrono::milliseconds;

TEST(Shard, RunsWhatOneThreadPostsInOrder) {
  Shards shards(1);
  std::vector<int> ran;
  for (int i = 0; i < 3; ++i) shards.at(0).Post([&ran, i] { ran.push_back(i); });
  shards.Start();
  std::promise<void> done;
  shards.at(0).Post([&] {
    // From the shard itself: after what is already there, also in order.
    shards.at(0).Post([&] { ran.push_back(4); });
    shards.at(0).Post([&] { done.set_value(); });
    ran.push_back(3);
  });
  done.get_future().wait();
  shards.Stop();
  EXPECT_EQ(ran, (std::vector{0, 1, 2, 3, 4}));
}

TEST(Shard, TakesPostsOfManyThreads) {
  Shards shards(2);
  shards.Start();
  constexpr int kEach = 20'000;
  int counted[2] = {0, 0};  // each shard writes its own
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < kEach; ++i) {
        shards.at(static_cast<std::size_t>(i % 2)).Post([&counted, i] { ++counted[i % 2]; });
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (std::size_t i = 0; i < 2; ++i) {
    std::promise<void> done;
    shards.at(i).Post([&] { done.set_value(); });
    done.get_future().wait();
  }
  shards.Stop();
  EXPECT_EQ(counted[0] + counted[1], 4 * kEach);
}

// Busy for this long, like a task that does too much.
void Spin(milliseconds time) {
  const auto end = std::chrono::steady_clock::now() + time;
  while (std::chrono::steady_clock::now() < end) {
  }
}

TEST(Shard, SocketsHaveTheirTurnWhileManyTimersAreDue) {
  constexpr int kTimers = 64;
  Shards shards(1);
  auto& shard = static_cast<ShardImpl&>(shards.at(0));
  int ran = 0;
  int ran_before = kTimers;
  std::promise<void> done;
  shard.After(milliseconds(0), [&] { asio::post(shard.io(), [&] { ran_before = ran; }); });
  for (int i = 0; i < kTimers; ++i) {
    shard.After(milliseconds(0), [&] {
      Spin(milliseconds(1));
      if (++ran == kTimers) done.set_value();
    });
  }
  shards.Start();
  done.get_future().wait();
  shards.Stop();
  EXPECT_LT(ran_before, kTimers);
}

TEST(Shard, WhatIsPostedDoesNotWaitForEverySocket) {
  constexpr int kSockets = 16;
  Shards shards(1);
  auto& shard = static_cast<ShardImpl&>(shards.at(0));
  std::promise<void> done;
  std::vector<int> after;  // how many sockets had had their turns when each task ran
  int turns = 0;
  for (int i = 0; i < kSockets; ++i) {
    asio::post(shard.io(), [&] {
      const ShardImpl::Turn turn(shard);
      Spin(milliseconds(2));
      if (++turns == 1) {
        shard.Post([&] { after.push_back(turns); });
        shard.Post([&] { Spin(milliseconds(1)); });
        shard.Post([&] { Spin(milliseconds(1)); });
      }
      if (turns == 3) {
        shard.Post([&] { after.push_back(turns); });
      }
      if (turns == kSockets) {
        shard.Post([&] {
          after.push_back(turns);
          done.set_value();
        });
      }
    });
  }
  shards.Start();
  done.get_future().wait();
  shards.Stop();
  ASSERT_EQ(after.size(), 3u);
  EXPECT_EQ(after.front(), 1);
  EXPECT_GE(after[1], 3);
}

TEST(Shard, WhatATurnLeavesPostedIsRunLater) {
  Shards shards(1);
  auto& shard = static_cast<ShardImpl&>(shards.at(0));
  std::promise<void> done;
  std::vector<int> ran;
  // Many times more than the turn itself takes.
  asio::post(shard.io(), [&] {
    const ShardImpl::Turn turn(shard);
    Spin(milliseconds(2));
    for (int i = 0; i < 20; ++i) {
      shard.Post([&, i] {
        Spin(milliseconds(1));
        ran.push_back(i);
        if (i < 3) shard.Post([&, i] { ran.push_back(20 + i); });
        if (i == 19) shard.Post([&] { done.set_value(); });
      });
    }
  });
  shards.Start();
  done.get_future().wait();
  shards.Stop();
  ASSERT_EQ(ran.size(), 23u);
  EXPECT_TRUE(std::ranges::is_sorted(ran));
}

TEST(Shard, WhatIsPostedWhileMuchIsPostedComesBehindIt) {
  Shards shards(1);
  std::vector<int> ran;
  std::promise<void> done;
  for (int i = 0; i < 40; ++i) {
    shards.at(0).Post([&, i] {
      Spin(milliseconds(1));
      ran.push_back(i);
      if (i == 0) {
        shards.at(0).Post([&] {
          ran.push_back(40);
          done.set_value();
        });
      }
    });
  }
  shards.Start();
  done.get_future().wait();
  shards.Stop();
  ASSERT_EQ(ran.size(), 41u);
  EXPECT_TRUE(std::ranges::is_sorted(ran));
}

TEST(Shard, KnowsItsThread) {
  Shards shards(2);
  shards.Start();
  EXPECT_FALSE(shards.at(0).IsCurrent());
  std::promise<std::pair<bool, bool>> seen;
  shards.at(1).Post([&] { seen.set_value({shards.at(0).IsCurrent(), shards.at(1).IsCurrent()}); });
  EXPECT_EQ(seen.get_future().get(), std::pair(false, true));
  EXPECT_EQ(shards.at(1).index(), 1u);
}

// How many turns a histogram of the loop's counted up to a bound; -1: it has no such bound.
int TurnsWithin(Metrics& metrics, const std::string& histogram, const std::string& bound) {
  const std::string text = metrics.Text();
  const std::string name = histogram + "_bucket{le=\"" + bound + "\"} ";
  const std::size_t at = text.find(name);
  return at == std::string::npos ? -1 : std::stoi(text.substr(at + name.size()));
}

TEST(Shard, WhatHoldsTheLoopUpIsCountedAndNamed) {
  Metrics metrics;
  std::string said;
  {
    Shards shards(1, &metrics);
    shards.at(0).Post([] { WorkNote::Set("some-innocent-table"); });
    shards.at(0).Post([] {
      WorkNote::Set("the-busy-table");
      Spin(milliseconds(60));
    });
    shards.Start();
    ::testing::internal::CaptureStderr();
    std::promise<void> done;
    shards.at(0).Post([&] { done.set_value(); });
    done.get_future().wait();
    shards.Stop();
    log::Flush();
    said = ::testing::internal::GetCapturedStderr();
  }
  EXPECT_NE(said.find("mostly because of the table the-busy-table"), std::string::npos) << said;
  // Other turns may have been slow on a busy machine, but none was as slow as that one.
  const int within = TurnsWithin(metrics, "openseat_loop_stall_seconds", "0.05");
  EXPECT_GE(within, 0);
  EXPECT_GT(TurnsWithin(metrics, "openseat_loop_stall_seconds", "+Inf"), within);
}

// With many tasks the clock is read only now and then: the slow task is not known at once, but the next time.
TEST(Shard, WhoHoldsABusyLoopUpAgainIsNamed) {
  std::string said;
  {
    Shards shards(1);
    ::testing::internal::CaptureStderr();
    const auto post = [&](const std::string& busy) {
      for (int i = 0; i < 50; ++i) {
        shards.at(0).Post([i, busy] {
          WorkNote::Set(i == 21 ? busy : "innocent-" + std::to_string(i));
          if (i == 21) Spin(milliseconds(60));
        });
      }
    };
    post("the-busy-table");
    std::promise<void> first;
    shards.at(0).Post([&] { first.set_value(); });
    shards.Start();
    first.get_future().wait();
    // The log warns once a second.
    Spin(milliseconds(1'100));
    std::promise<void> second;
    shards.at(0).Post([&] {
      post("the-busy-table");
      shards.at(0).Post([&] { second.set_value(); });
    });
    second.get_future().wait();
    shards.Stop();
    log::Flush();
    said = ::testing::internal::GetCapturedStderr();
  }
  EXPECT_NE(said.find("mostly because of the table the-busy-table"), std::string::npos) << said;
  EXPECT_EQ(said.find("innocent"), std::string::npos) << "nobody is named who did nothing";
}

TEST(Shard, TurnsThatWorkAreToldFromTurnsThatWait) {
  constexpr const char* kRan = "openseat_loop_stall_cpu_seconds";
  Metrics metrics;
  Shards shards(1, &metrics);
  shards.Start();
  const auto run = [&shards](const std::function<void()>& task) {
    std::promise<void> done;
    shards.at(0).Post([&] {
      task();
      // In a turn of its own, when that of the task has been counted.
      shards.at(0).After(milliseconds(1), [&] { done.set_value(); });
    });
    done.get_future().wait();
  };
  run([] { std::this_thread::sleep_for(milliseconds(60)); });
  EXPECT_GE(TurnsWithin(metrics, kRan, "+Inf"), 1);
  EXPECT_EQ(TurnsWithin(metrics, kRan, "+Inf"), TurnsWithin(metrics, kRan, "0.05"));
  run([] { UseCore(milliseconds(60)); });
  EXPECT_EQ(TurnsWithin(metrics, kRan, "+Inf"), TurnsWithin(metrics, kRan, "0.05") + 1);
}

TEST(Shard, ALongBatchOfTasksGivesWayInBetween) {
  Shards shards(1);
  std::vector<int> ran;
  std::promise<void> done;
  shards.at(0).Post([&] {
    // A timer that is due waits for no more than one of them.
    shards.at(0).After(Duration(0), [&] { ran.push_back(-1); });
  });
  for (int i = 0; i < 4; ++i) {
    shards.at(0).Post([&, i] {
      ran.push_back(i);
      Spin(milliseconds(10));
      if (i == 3) done.set_value();
    });
  }
  shards.Start();
  done.get_future().wait();
  shards.Stop();
  const auto timer = std::find(ran.begin(), ran.end(), -1);
  EXPECT_LT(timer - ran.begin(), 4) << "it had to wait for all of them";
  std::erase(ran, -1);
  EXPECT_EQ(ran, (std::vector{0, 1, 2, 3}));
}

TEST(Shard, SocketsHaveTheirTurnHoweverMuchIsPosted) {
  Shards shards(1);
  auto& shard = static_cast<ShardImpl&>(shards.at(0));
  int turns = 0;  // of sockets
  std::map<int, int> ran;
  int left = 60;
  std::promise<void> done;
  std::function<void()> on_socket = [&] {
    ++turns;
    if (left > 0) asio::post(shard.io(), on_socket);
  };
  // Each is as long as the mail's share, and there is always more.
  std::function<void()> task = [&] {
    Spin(milliseconds(6));
    ++ran[turns];
    if (--left > 0) return shard.Post(task);
    if (left == 0) done.set_value();
  };
  asio::post(shard.io(), on_socket);
  for (int i = 0; i < 4; ++i) shard.Post(task);
  shards.Start();
  done.get_future().wait();
  shards.Stop();
  for (const auto& [turn, tasks] : ran) EXPECT_LE(tasks, 2) << "after turn " << turn;
}

// What it has to send takes 3 ms.
class LongSender final : public Connection {
 public:
  LongSender(ConnectionRegistry& registry, std::function<void(LongSender*)> sent)
      : Connection(registry), sent_(std::move(sent)) {}
  void Flush() override {
    Spin(milliseconds(3));
    sent_(this);
  }
  void OnTick() override {}
  void BeginShutdown() override {}
  void Cut(std::string_view) override { Leave(); }

 private:
  std::function<void(LongSender*)> sent_;
};

TEST(Shard, OthersHaveTheirTurnWhileMuchIsSent) {
  constexpr std::size_t kSenders = 20;
  Shards shards(1);
  auto& shard = static_cast<ShardImpl&>(shards.at(0));
  std::optional<ConnectionRegistry> registry;
  std::vector<std::shared_ptr<LongSender>> senders;
  std::vector<LongSender*> sent;
  std::size_t before_mail = 0;
  std::size_t before_sockets = 0;
  std::promise<void> done;
  shard.Post([&] {
    registry.emplace(shard, WebSocketTimes());
    for (std::size_t i = 0; i < kSenders; ++i) {
      senders.push_back(std::make_shared<LongSender>(*registry, [&](LongSender* sender) {
        sent.push_back(sender);
        if (sent.size() == kSenders) done.set_value();
      }));
      shard.FlushLater(senders.back());
    }
    shard.Post([&] { before_mail = sent.size(); });
    asio::post(shard.io(), [&] { before_sockets = sent.size(); });
  });
  shards.Start();
  done.get_future().wait();
  shards.Stop();
  ASSERT_EQ(sent.size(), kSenders);
  for (std::size_t i = 0; i < kSenders; ++i) EXPECT_EQ(sent[i], senders[i].get()) << i;
  EXPECT_LT(before_mail, kSenders / 2);
  EXPECT_LT(before_sockets, kSenders / 2);
  senders.clear();
  registry.reset();
}

TEST(Shard, WorkElsewhereHoldsNobodyUp) {
  Shards shards(1);
  shards.Start();
  std::promise<void> go;
  std::promise<bool> elsewhere;
  std::promise<void> back;
  shards.at(0).Post([&] {
    shards.at(0).Offload([&] {
      elsewhere.set_value(!shards.at(0).IsCurrent());
      go.get_future().wait();
      shards.at(0).Post([&] { back.set_value(); });
    });
    // The loop runs on, although the work has not ended.
    shards.at(0).Post([&] { go.set_value(); });
  });
  back.get_future().wait();
  EXPECT_TRUE(elsewhere.get_future().get());
}

TEST(Shard, TimersRunInOrderAndNotBeforeTheirTime) {
  Shards shards(1);
  std::promise<void> done;
  std::vector<int> ran;
  Shard& shard = shards.at(0);
  const Instant begin = shard.clock().Monotonic();
  Instant end{};
  shard.Post([&] {
    shard.After(milliseconds(20), [&] {
      end = shard.clock().Monotonic();
      ran.push_back(3);
      done.set_value();
    });
    shard.After(milliseconds(1), [&] { ran.push_back(1); });
    const TimerId canceled = shard.After(milliseconds(2), [&] { ran.push_back(2); });
    EXPECT_TRUE(shard.Cancel(canceled));
    shard.After(milliseconds(-5), [&] { ran.push_back(0); });
  });
  shards.Start();
  done.get_future().wait();
  shards.Stop();
  EXPECT_EQ(ran, (std::vector{0, 1, 3}));
  EXPECT_GE(end - begin, milliseconds(20));
}

TEST(ShardDeathTest, RefusesTimersOfOtherThreads) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(
      {
        Shards shards(1);
        shards.Start();
        std::promise<void> runs;
        shards.at(0).Post([&] { runs.set_value(); });
        runs.get_future().wait();
        shards.at(0).After(milliseconds(1), [] {});
      },
      "only Post may be called from other threads");
}

TEST(Shard, RunsOnTheCallersThreadUntilStopped) {
  Shards shards(2);
  std::thread::id ran_on;
  shards.at(0).Post([&] {
    ran_on = std::this_thread::get_id();
    shards.Stop();  // on a shard's own thread: only ends the loops
  });
  shards.RunFirstHere();
  EXPECT_EQ(ran_on, std::this_thread::get_id());
  EXPECT_FALSE(shards.running());
}

TEST(Shard, StopDestroysTasksThatHaveNotRun) {
  auto owned = std::make_shared<int>();
  {
    Shards shards(1);
    shards.at(0).Post([owned] {});
    shards.at(0).After(milliseconds(1), [owned] {});
    EXPECT_EQ(owned.use_count(), 3);
    shards.Stop();
    EXPECT_EQ(owned.use_count(), 1);
    shards.at(0).Post([owned] {});
  }
  EXPECT_EQ(owned.use_count(), 1);
}

TEST(SignalWatch, CallsItsHandlerOnTheFirstShard) {
  Shards shards(2);
  std::promise<std::pair<int, bool>> seen;
  const SignalWatch watch(shards, [&](int signal) { seen.set_value({signal, shards.at(0).IsCurrent()}); });
  shards.Start();
  std::raise(SIGTERM);
  EXPECT_EQ(seen.get_future().get(), std::pair(SIGTERM, true));
  shards.Stop();
}

TEST(SignalWatch, HangupsAreIgnoredFromItsEndOn) {
  std::signal(SIGHUP, SIG_IGN);
  for (const bool started : {false, true}) {
    {
      Shards shards(1);
      std::promise<int> seen;
      const SignalWatch watch(shards, [&](int signal) { seen.set_value(signal); }, true);
      if (started) {
        shards.Start();
        std::raise(SIGHUP);
        EXPECT_EQ(seen.get_future().get(), SIGHUP);
        shards.Stop();
      }
    }
    EXPECT_EQ(std::raise(SIGHUP), 0) << "which would end this process";
  }
  EXPECT_EQ(std::signal(SIGHUP, SIG_DFL), SIG_IGN);
}

}  // namespace
}  // namespace openseat::net

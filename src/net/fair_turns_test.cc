// Those who take long turns of a loop wait for the others: what is charged to whom, and in what order it is read.
#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "net/shard.h"
#include "net/shard_impl.h"
#include "net/test_work.h"

namespace openseat::net {
namespace {

using std::chrono::milliseconds;

void Take(ShardImpl& shard, const LoopSharePtr& share, milliseconds time) {
  const ShardImpl::Charge charge(shard, share);
  UseCore(time);
}

// Those who take long turns wait for everybody else's, and then for those of them who have used less.
TEST(FairTurns, WhoTakesLongTurnsWaits) {
  Shards shards(1);
  auto& shard = static_cast<ShardImpl&>(shards.at(0));
  const auto light = std::make_shared<LoopShare>();
  const auto heavy = std::make_shared<LoopShare>();
  const auto heavier = std::make_shared<LoopShare>();
  std::vector<std::string> ran;
  std::promise<void> done;
  shard.Post([&] {
    Take(shard, light, milliseconds(0));
    Take(shard, heavy, milliseconds(10));
    Take(shard, heavier, milliseconds(30));
    EXPECT_FALSE(ShardImpl::MustWait(*light));
    EXPECT_TRUE(ShardImpl::MustWait(*heavy));
    EXPECT_TRUE(ShardImpl::MustWait(*heavier));
    shard.Defer(heavier, [&] {
      ran.emplace_back("heavier");
      done.set_value();
    });
    shard.Defer(heavy, [&] {
      ran.emplace_back("heavy");
      UseCore(milliseconds(5));  // still less than the other one
    });
    shard.Defer(heavy, [&] { ran.emplace_back("heavy again"); });
  });
  shards.Start();
  done.get_future().wait();
  shards.Stop();
  EXPECT_EQ(ran, (std::vector<std::string>{"heavy", "heavy again", "heavier"}));
}

// Another thread may have had the core meanwhile.
TEST(FairTurns, OnlyWhatAThreadRanIsCharged) {
  Shards shards(1);
  auto& shard = static_cast<ShardImpl&>(shards.at(0));
  const auto sleeper = std::make_shared<LoopShare>();
  const auto posts = std::make_shared<LoopShare>();
  std::promise<void> done;
  shard.Post([&] {
    for (int i = 0; i < 3; ++i) {
      Take(shard, std::make_shared<LoopShare>(), milliseconds(2));
      const ShardImpl::Charge charge(shard, sleeper);
      std::this_thread::sleep_for(milliseconds(5));
    }
    const ShardImpl::Charge charge(shard, posts);
    shard.Post([] { std::this_thread::sleep_for(milliseconds(5)); });
    shard.Post([&] { done.set_value(); });
  });
  shards.Start();
  done.get_future().wait();
  shards.Stop();
  EXPECT_FALSE(ShardImpl::MustWait(*sleeper));
  EXPECT_FALSE(ShardImpl::MustWait(*posts));
}

TEST(FairTurns, OneLongTurnOfWhoIsKnownForShortOnesIsForgiven) {
  Shards shards(1);
  auto& shard = static_cast<ShardImpl&>(shards.at(0));
  const auto light = std::make_shared<LoopShare>();
  std::promise<void> done;
  shard.Post([&] {
    for (int i = 0; i < 100; ++i) Take(shard, light, milliseconds(0));
    Take(shard, light, milliseconds(10));
    EXPECT_FALSE(ShardImpl::MustWait(*light));
    Take(shard, light, milliseconds(10));
    EXPECT_TRUE(ShardImpl::MustWait(*light));
    done.set_value();
  });
  shards.Start();
  done.get_future().wait();
  shards.Stop();
}

// What somebody sends may be read in no time, and then take long somewhere else.
TEST(FairTurns, WhatComesOfAReadIsChargedToItsSender) {
  Shards shards(2);
  auto& shard = static_cast<ShardImpl&>(shards.at(0));
  const auto light = std::make_shared<LoopShare>();
  const auto posts = std::make_shared<LoopShare>();
  const auto goes_around = std::make_shared<LoopShare>();
  std::promise<void> done;
  shard.Post([&] {
    {
      const ShardImpl::Charge charge(shard, light);
      shard.Post([] {});
    }
    {
      const ShardImpl::Charge charge(shard, posts);
      shard.Post([] { UseCore(milliseconds(10)); });
    }
    const ShardImpl::Charge charge(shard, goes_around);
    // To another loop, to the worker, and back.
    shards.at(1).Post([&] {
      shards.at(1).Offload([&] {
        shard.Post([&] {
          UseCore(milliseconds(10));
          shard.Post([&] { done.set_value(); });
        });
      });
    });
  });
  shards.Start();
  done.get_future().wait();
  shards.Stop();
  EXPECT_FALSE(ShardImpl::MustWait(*light));
  EXPECT_TRUE(ShardImpl::MustWait(*posts));
  EXPECT_TRUE(ShardImpl::MustWait(*goes_around));
}

// What one has deferred stays in its order, however much it has used meanwhile.
TEST(FairTurns, WhatOneHasDeferredStaysInOrder) {
  Shards shards(1);
  auto& shard = static_cast<ShardImpl&>(shards.at(0));
  const auto heavy = std::make_shared<LoopShare>();
  std::vector<int> ran;
  std::promise<void> done;
  shard.Post([&] {
    for (int i = 0; i < 5; ++i) {
      shard.Defer(heavy, [&, i] {
        ran.push_back(i);
        UseCore(milliseconds(2));
        if (i == 1) {
          shard.Defer(heavy, [&] {
            ran.push_back(5);
            done.set_value();
          });
        }
      });
    }
  });
  shards.Start();
  done.get_future().wait();
  shards.Stop();
  EXPECT_EQ(ran, (std::vector{0, 1, 2, 3, 4, 5}));
}

// What goes on in pieces is charged for each of them.
TEST(FairTurns, WhoGoesOnInPiecesLosesToOthers) {
  Shards shards(1);
  auto& shard = static_cast<ShardImpl&>(shards.at(0));
  const auto greedy = std::make_shared<LoopShare>();
  const auto other = std::make_shared<LoopShare>();
  std::vector<std::string> ran;
  std::promise<void> done;
  std::function<void(int)> piece = [&](int left) {
    shard.Defer(greedy, [&, left] {
      UseCore(milliseconds(3));
      ran.emplace_back("greedy");
      if (left > 1) return piece(left - 1);
      done.set_value();
    });
  };
  shard.Post([&] {
    Take(shard, other, milliseconds(4));
    piece(4);
    shard.Defer(other, [&] { ran.emplace_back("other"); });
  });
  shards.Start();
  done.get_future().wait();
  shards.Stop();
  EXPECT_EQ(ran, (std::vector<std::string>{"greedy", "greedy", "other", "greedy", "greedy"}));
}

// A loop with mail all the time still gets to what is deferred.
TEST(FairTurns, WhatIsDeferredIsReadEvenIfThereIsAlwaysMail) {
  Shards shards(1);
  auto& shard = static_cast<ShardImpl&>(shards.at(0));
  const auto heavy = std::make_shared<LoopShare>();
  std::atomic<bool> read = false;
  std::function<void()> post = [&] {
    if (!read) shard.Post([&] { post(); });
  };
  std::promise<void> done;
  shards.at(0).Post([&] {
    post();
    shard.Defer(heavy, [&] {
      read = true;
      done.set_value();
    });
  });
  shards.Start();
  done.get_future().wait();
  shards.Stop();
}

// What waits when the program ends is dropped, and what its end defers as well.
TEST(FairTurns, WhatIsDeferredAtTheEndIsDropped) {
  struct AtEnd {
    explicit AtEnd(std::function<void()> act) : act_(std::move(act)) {}
    AtEnd(const AtEnd&) = delete;
    AtEnd& operator=(const AtEnd&) = delete;
    ~AtEnd() { act_(); }
    std::function<void()> act_;
  };
  const auto heavy = std::make_shared<LoopShare>();
  bool ran = false;
  bool dropped = false;
  {
    Shards shards(1);
    auto& shard = static_cast<ShardImpl&>(shards.at(0));
    shard.Defer(heavy, [&, held = std::make_shared<AtEnd>([&] {
                             shard.Defer(heavy,
                                         [&, inner = std::make_shared<AtEnd>([&] { dropped = true; })] { ran = true; });
                           })] { ran = true; });
  }
  EXPECT_TRUE(dropped);
  EXPECT_FALSE(ran);
}

}  // namespace
}  // namespace openseat::net

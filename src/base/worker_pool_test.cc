#include "base/worker_pool.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>
#include <string>
#include <vector>

namespace openseat {
namespace {

using ::testing::ElementsAre;

TEST(WorkerPool, OwnersTakeTurnsAndEachIsServedInOrder) {
  std::vector<std::string> ran;
  std::promise<void> go;
  std::promise<void> done;
  WorkerPool pool(1);
  pool.Post([waiting = go.get_future()] { waiting.wait(); });
  const auto post = [&](const std::string& owner, const std::string& name) {
    pool.Post([&ran, name] { ran.push_back(name); }, owner);
  };
  for (const char* name : {"a1", "a2", "a3"}) post("a", name);
  post("b", "b1");
  post("c", "c1");
  pool.Post([&done] { done.set_value(); }, "a");
  go.set_value();
  done.get_future().wait();
  EXPECT_THAT(ran, ElementsAre("a1", "b1", "c1", "a2", "a3"));
}

TEST(WorkerPool, WhatItDoesIsChargedToWhoPosted) {
  const auto share = std::make_shared<LoopShare>();
  WorkerPool pool(1);
  std::promise<std::vector<LoopSharePtr>> seen;
  const auto post = [&](std::vector<LoopSharePtr> before) {
    pool.Post([&, before = std::move(before)]() mutable {
      before.push_back(LoopBill::Current());
      pool.Post([&seen, before]() mutable {
        before.push_back(LoopBill::Current());
        seen.set_value(before);
      });
    });
  };
  {
    const LoopBill bill(share);
    post({});
  }
  EXPECT_THAT(seen.get_future().get(), ElementsAre(share, share)) << "also what that posts";
  seen = {};
  post({});
  EXPECT_THAT(seen.get_future().get(), ElementsAre(nullptr, nullptr));
}

}  // namespace
}  // namespace openseat

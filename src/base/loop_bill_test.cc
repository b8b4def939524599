#include "base/loop_bill.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <utility>
#include <vector>

namespace openseat {
namespace {

using ::testing::ElementsAre;

TEST(Billed, IsCalledForWhomItWasMadeFor) {
  const auto maker = std::make_shared<LoopShare>();
  const auto caller = std::make_shared<LoopShare>();
  std::vector<LoopSharePtr> seen;
  Billed<std::function<void(int)>> billed;
  EXPECT_FALSE(billed);
  {
    const LoopBill bill(maker);
    billed = [&seen](int value) {
      EXPECT_EQ(value, 7);
      seen.push_back(LoopBill::Current());
    };
  }
  EXPECT_TRUE(billed);
  EXPECT_EQ(billed.payer(), maker);
  const LoopBill bill(caller);
  Billed<std::function<void(int)>> moved = std::move(billed);
  moved(7);
  EXPECT_THAT(seen, ElementsAre(maker));
  EXPECT_FALSE(moved) << "it was destroyed";
  EXPECT_EQ(LoopBill::Current(), caller);
}

// What a callback destroys may post, too.
TEST(Billed, IsDestroyedForThemAsWell) {
  const auto maker = std::make_shared<LoopShare>();
  std::vector<LoopSharePtr> seen;
  BilledTask task;
  {
    const LoopBill bill(maker);
    const auto note = [&seen](const int*) { seen.push_back(LoopBill::Current()); };
    static constexpr int kKept = 0;
    task = [kept = std::unique_ptr<const int, decltype(note)>(&kKept, note)] {};
  }
  task();
  EXPECT_THAT(seen, ElementsAre(maker));
}

}  // namespace
}  // namespace openseat

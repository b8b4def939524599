#include "agents/external/shared_reads.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "testing/fake_scheduler.h"

namespace openseat {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// Work for another thread runs with everything else, but never at once.
class SharedReadsTest : public ::testing::Test {
 protected:
  static SeatView View(std::uint64_t version, const ActionPtr& action = nullptr) {
    SeatView view;
    view.viewer = Viewer::Seat(0);
    view.names = {"player"};
    view.version = version;
    if (action != nullptr) view.free_actions.Put(action);
    return view;
  }
  void Ask(SeatView view, std::string_view what = "state") {
    reads_.Read(
        scheduler_, payer_, what, std::move(view),
        [this](const SeatView& seen) {
          ++written_;
          return "version " + std::to_string(seen.version);
        },
        [this](const SharedReads::Text& text) { got_.push_back(text); }, [this] { ++again_; });
  }
  std::vector<std::string> Got() const {
    std::vector<std::string> texts;
    for (const SharedReads::Text& text : got_) texts.push_back(*text);
    return texts;
  }

  testing::FakeScheduler scheduler_;
  std::shared_ptr<Payer> payer_;
  SharedReads reads_;
  std::vector<SharedReads::Text> got_;
  int written_ = 0;
  int again_ = 0;
};

TEST_F(SharedReadsTest, ManyWhoAskGetOneText) {
  for (int i = 0; i < 100; ++i) Ask(View(1));
  EXPECT_THAT(got_, IsEmpty()) << "it is written elsewhere";
  scheduler_.Run();
  Ask(View(1));  // later, and at once
  ASSERT_THAT(got_, SizeIs(101));
  EXPECT_EQ(written_, 1);
  for (const SharedReads::Text& text : got_) EXPECT_EQ(text, got_.front()) << "without a copy";
}

TEST_F(SharedReadsTest, WhoSeesSomethingElseLooksAgainWhenTheFirstIsWritten) {
  Ask(View(1));
  Ask(View(2));
  Ask(View(3));
  EXPECT_EQ(again_, 0);
  scheduler_.Run();
  EXPECT_THAT(Got(), ElementsAre("version 1"));
  EXPECT_EQ(again_, 2);
  Ask(View(3));
  scheduler_.Run();
  EXPECT_THAT(Got(), ElementsAre("version 1", "version 3"));
  EXPECT_EQ(written_, 2);
}

TEST_F(SharedReadsTest, OtherActionsOfTheSameNameAreSomethingElse) {
  const auto action = std::make_shared<const Action>("go", "", std::nullopt);
  Ask(View(0, action));
  scheduler_.Run();
  Ask(View(0, action));
  EXPECT_EQ(written_, 1);
  Ask(View(0, std::make_shared<const Action>("go", "", std::nullopt)));
  scheduler_.Run();
  EXPECT_EQ(written_, 2);
  EXPECT_THAT(got_, SizeIs(3));
}

TEST_F(SharedReadsTest, DifferentKindsDoNotWaitForEachOther) {
  Ask(View(1), "state");
  Ask(View(2), "log");
  scheduler_.Run();
  EXPECT_THAT(Got(), ElementsAre("version 1", "version 2"));
  EXPECT_EQ(again_, 0);
}

TEST_F(SharedReadsTest, WhatIsKeptCountsForWhoAsked) {
  BudgetLimits limits;
  limits.others.max_table_bytes_per_address = 1'000;
  Budget budget(limits);
  payer_ = budget.PayerOf("192.0.2.1", scheduler_.clock().Monotonic());
  Ask(View(1));
  scheduler_.Run();
  EXPECT_EQ(payer_->held(Holding::kTableBytes), std::string("version 1").size());
  // What does not fit is not kept.
  Ask(View(2, std::make_shared<const Action>("go", std::string(1'000, 'x'), std::nullopt)));
  scheduler_.Run();
  EXPECT_EQ(payer_->held(Holding::kTableBytes), 0u);
  EXPECT_THAT(Got(), ElementsAre("version 1", "version 2"));
  payer_.reset();
  reads_ = SharedReads();
}

TEST_F(SharedReadsTest, WhoAskedIsAnsweredThoughTheSeatIsGone) {
  auto reads = std::make_unique<SharedReads>();
  bool got = false;
  reads->Read(
      scheduler_, nullptr, "state", View(1), [](const SeatView&) { return "x"; },
      [&](const SharedReads::Text&) { got = true; }, [] {});
  reads.reset();
  scheduler_.Run();
  EXPECT_TRUE(got);
}

}  // namespace
}  // namespace openseat

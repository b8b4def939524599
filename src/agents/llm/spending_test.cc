#include "agents/llm/spending.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>

#include "testing/fake_scheduler.h"

namespace openseat::llm {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;

TEST(Spending, StopsAtItsCaps) {
  Model model;
  Spending spending;
  EXPECT_EQ(*spending.Allow(model, {}, 1'000'000, 500), 500u);
  const Cap tokens{.tokens = 1'000, .what = "this table"};
  EXPECT_EQ(*spending.Allow(model, tokens, 700, 500), 300u) << "not more than is left";
  spending.Settle(model, {}, {.input = 600, .output = 200});
  EXPECT_EQ(*spending.Allow(model, tokens, 150, 500), 50u);
  EXPECT_EQ(spending.Allow(model, tokens, 190, 500).error().code, ErrorCode::kDenied);
  model.input_price = 1'000'000;  // a dollar a token
  model.output_price = 1'000'000;
  const Cap cost{.cost = 1'000, .what = "this table"};
  Spending money;
  EXPECT_EQ(*money.Allow(model, cost, 800, 500), 200u);
  money.Settle(model, {}, {.input = 900, .output = 50});
  EXPECT_THAT(money.Allow(model, cost, 40, 500).error().message, HasSubstr("the cap of $1000 for this table"));
}

class PurseTest : public ::testing::Test {
 protected:
  static Model Capped() {
    Model model;
    model.table_tokens = 1'000;
    model.daily_tokens = 1'500;
    return model;
  }
  std::unique_ptr<Purse> AtATable(std::shared_ptr<Spending> table = std::make_shared<Spending>()) {
    return std::make_unique<Purse>(model_, std::move(table), day_, stats_, scheduler_.clock());
  }
  // What the first answer of another table may have, if it is asked for with no more than a word.
  std::uint64_t LeftOfTheDay() { return AtATable()->SetAside(0, 1'000'000).value_or(0); }

  testing::FakeScheduler scheduler_;
  Model model_ = Capped();
  DailySpending day_;
  SharedStats stats_;
};

TEST_F(PurseTest, CountsWhatIsInProgressAtItsTableAndOnItsDay) {
  const auto table = std::make_shared<Spending>();
  const auto first = AtATable(table);
  const auto second = AtATable(table);
  const auto elsewhere = AtATable();
  EXPECT_EQ(*first->SetAside(100, 500), 500u);
  EXPECT_EQ(*second->SetAside(100, 500), 300u) << "what is left of the table's thousand";
  const Result<std::uint64_t> none = AtATable(table)->SetAside(100, 500);
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code, ErrorCode::kDenied);
  EXPECT_EQ(none.error().message, "the cap of 1000 tokens for this table is reached, with the calls in progress");
  EXPECT_EQ(*elsewhere->SetAside(100, 500), 400u) << "what is left of the day's 1,500";
  first->Settle({.input = 110, .output = 20});
  EXPECT_EQ(*first->SetAside(100, 500), 370u);
  EXPECT_FALSE(AtATable()->SetAside(100, 500));
  second->Settle({});
  elsewhere->Settle({.input = 500});
  first->Settle({.input = 290, .output = 80});
  EXPECT_EQ(LeftOfTheDay(), 500u);
  EXPECT_THAT(AtATable(table)->SetAside(490, 500).error().message, EndsWith("for this table is reached"));
}

TEST_F(PurseTest, CountsMoney) {
  model_ = {};
  model_.input_price = 1;
  model_.output_price = 10;
  model_.daily_cost = 0.01;
  const auto first = AtATable();
  EXPECT_EQ(*first->SetAside(2'000, 600), 600u);
  EXPECT_NEAR(static_cast<double>(*AtATable()->SetAside(1'000, 600)), 100, 1);
  first->Settle({.input = 2'000, .output = 100});
  EXPECT_EQ(*AtATable()->SetAside(1'000, 600), 600u);
}

TEST_F(PurseTest, GivesBackWhatIsNotSpentWhenItGoes) {
  EXPECT_TRUE(AtATable()->SetAside(100, 500));
  EXPECT_EQ(LeftOfTheDay(), 1'000u) << "all that a table may have";
}

TEST_F(PurseTest, CountsWhatAProviderHasReadAndMayHaveWritten) {
  const auto purse = AtATable();
  ASSERT_TRUE(purse->SetAside(100, 800));
  purse->SettleUnanswered(std::chrono::milliseconds(500));
  EXPECT_EQ(stats_.Get().unanswered, 200u) << "a hundred in half a second";
  ASSERT_TRUE(purse->SetAside(100, 300));
  purse->SettleUnanswered(std::chrono::minutes(5));
  EXPECT_EQ(stats_.Get().unanswered, 600u) << "no more than it may write";
  model_.stream = false;
  ASSERT_TRUE(purse->SetAside(100, 200));
  purse->SettleUnanswered(Duration(0));
  EXPECT_EQ(stats_.Get().unanswered, 900u) << "nobody tells it to stop";
  EXPECT_FALSE(purse->SetAside(100, 200));
  EXPECT_EQ(LeftOfTheDay(), 600u);
}

TEST_F(PurseTest, AllowsAnotherTryOnlyIfAllOfItFits) {
  const auto purse = AtATable();
  ASSERT_TRUE(purse->SetAside(100, 400));
  purse->Settle({});
  EXPECT_TRUE(purse->SetAsideAgain());
  purse->Settle({.input = 100, .output = 400});
  EXPECT_TRUE(purse->SetAsideAgain());
  purse->Settle({.input = 100, .output = 1});
  EXPECT_FALSE(purse->SetAsideAgain());
  EXPECT_EQ(LeftOfTheDay(), 899u) << "and sets nothing aside otherwise";
}

TEST_F(PurseTest, ANewDayForgetsWhatWasSpentAndNotWhatIsInProgress) {
  const auto spender = AtATable();
  const auto purse = AtATable();
  ASSERT_TRUE(spender->SetAside(100, 500));
  spender->Settle({.input = 600});
  ASSERT_TRUE(purse->SetAside(100, 700));
  scheduler_.Advance(std::chrono::hours(24));
  EXPECT_EQ(LeftOfTheDay(), 700u);
  purse->Settle({.input = 100, .output = 600});
  EXPECT_EQ(LeftOfTheDay(), 800u);
}

}  // namespace
}  // namespace openseat::llm

#include "base/turns.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace openseat {
namespace {

using ::testing::ElementsAre;

TEST(Turns, OwnersAreServedInTurnAndEachInOrder) {
  Turns<std::string> turns;
  for (const char* item : {"a1", "a2", "a3"}) turns.Add("a", item);
  turns.Add("b", "b1");
  turns.Add("", "1");
  std::vector<std::string> taken;
  for (int i = 0; i < 3; ++i) taken.push_back(turns.Take());
  turns.Add("b", "b2");
  while (!turns.empty()) taken.push_back(turns.Take());
  EXPECT_THAT(taken, ElementsAre("a1", "b1", "1", "a2", "b2", "a3"));
}

TEST(Turns, TheNewestOfWhoHasMostCanBeTaken) {
  Turns<int> turns;
  for (int i = 0; i < 5; ++i) turns.Add(i < 2 ? "a" : "b", i);
  EXPECT_EQ(turns.Largest(), "b");
  EXPECT_EQ(turns.SizeOf("b"), 3u);
  EXPECT_EQ(turns.TakeNewest("b"), 4);
  EXPECT_EQ(turns.TakeNewest("b"), 3);
  EXPECT_EQ(turns.TakeNewest("b"), 2);
  EXPECT_EQ(turns.SizeOf("b"), 0u);
  EXPECT_EQ(turns.Largest(), "a");
  EXPECT_EQ(turns.size(), 2u);
}

TEST(Turns, SomeCanBeTakenOut) {
  Turns<int> turns;
  for (int i = 0; i < 6; ++i) turns.Add(i < 4 ? "a" : "b", i);
  EXPECT_THAT(turns.TakeIf([](int item) { return item % 2 == 1 || item == 4; }), ElementsAre(1, 3, 4, 5));
  EXPECT_EQ(turns.size(), 2);
  EXPECT_EQ(turns.Take(), 0);
  EXPECT_EQ(turns.Take(), 2);
}

}  // namespace
}  // namespace openseat

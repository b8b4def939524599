#include "core/action.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace openseat {
namespace {

ActionPtr Make(std::string name, std::string description = "") {
  auto action = std::make_shared<Action>();
  action->name = std::move(name);
  action->description = std::move(description);
  return action;
}

std::vector<std::string> NamesOf(const ActionSet& set) {
  std::vector<std::string> names;
  for (const ActionPtr& action : set.all()) names.push_back(action->name);
  return names;
}

TEST(ActionSet, KeepsTheOrderHoweverMany) {
  for (const int count : {3, 16, 17, 18, 1'000}) {
    ActionSet set;
    std::vector<std::string> names;
    for (int i = 0; i < count; ++i) set.Put(Make(names.emplace_back("a" + std::to_string(i))));
    EXPECT_EQ(NamesOf(set), names) << count;
    set.Put(Make("a1", "another"));
    EXPECT_EQ(NamesOf(set), names) << "a new one of that name is where the old one was";
    EXPECT_EQ(set.Find("a1")->description, "another");
    // From the front, so that everything found by position has to move.
    while (names.size() > 1) {
      EXPECT_TRUE(set.Remove(names.front()));
      EXPECT_FALSE(set.Remove(names.front()));
      EXPECT_EQ(set.Find(names.front()), nullptr);
      names.erase(names.begin());
      ASSERT_EQ(set.size(), names.size());
      ASSERT_EQ(set.Find(names.back())->name, names.back());
    }
    EXPECT_EQ(NamesOf(set), names);
    EXPECT_EQ(set.Names(), names.front());
    set.Clear();
    EXPECT_TRUE(set.empty());
  }
}

TEST(ActionSet, NamesStayGoodInACopyAndAfterAMove) {
  ActionSet set;
  for (int i = 0; i < 40; ++i) set.Put(Make("a" + std::to_string(i)));
  ActionSet copy = set;
  set.Clear();
  EXPECT_EQ(copy.Find("a39")->name, "a39");
  copy.Put(Make("more"));
  EXPECT_EQ(set.Find("more"), nullptr);
  set = copy;
  EXPECT_TRUE(copy.Remove("a0"));
  EXPECT_EQ(set.Find("a0")->name, "a0") << "a copy has its own index";
  const ActionSet moved = std::move(copy);
  EXPECT_EQ(moved.Find("a20")->name, "a20");
  EXPECT_EQ(moved.size(), 40u);
}

// Removes by the name that the action itself owns.
TEST(ActionSet, AnActionIsRemovedByItsOwnName) {
  ActionSet set;
  for (int i = 0; i < 40; ++i) set.Put(Make("a" + std::to_string(i)));
  for (int i = 0; i < 40; ++i) EXPECT_TRUE(set.Remove(set.all().front()->name)) << i;
  EXPECT_TRUE(set.empty());
}

RC_GTEST_PROP(ActionSet, IsAListOfPairs, (const std::vector<std::pair<int, bool>>& steps)) {
  ActionSet set;
  std::vector<std::string> expected;
  for (const auto& [number, put] : steps) {
    const std::string name = std::to_string(std::abs(number % 40));
    const auto found = std::ranges::find(expected, name);
    if (put) {
      if (found == expected.end()) expected.push_back(name);
      set.Put(Make(name));
    } else {
      RC_ASSERT(set.Remove(name) == (found != expected.end()));
      if (found != expected.end()) expected.erase(found);
    }
    RC_ASSERT(set.size() == expected.size());
    RC_ASSERT(set.empty() == expected.empty());
  }
  RC_ASSERT(NamesOf(set) == expected);
}

// What is escaped takes six times as much as it says.
TEST(ActionSet, IsMeasuredAsItIsWritten) {
  ActionSet set;
  const json::Value schema = json::Object{{"title", std::string(1'000, '\x7f')}};
  for (int i = 0; i < 20; ++i) {
    set.Put(std::make_shared<Action>("a" + std::to_string(i), std::string(10, '\x7f'), schema));
  }
  const std::size_t bytes = WrittenBytes(set, 1'000'000);
  EXPECT_GT(bytes, 20 * (json::Write(schema).size() + 60));
  EXPECT_LT(bytes, 20 * (json::Write(schema).size() + 120));
  EXPECT_GT(WrittenBytes(set, 10'000), 10'000u);
  EXPECT_LT(WrittenBytes(set, 10'000), 20'000u) << "the rest was not looked at";
  EXPECT_EQ(WrittenBytes(ActionSet(), 0), 0u);
}

}  // namespace
}  // namespace openseat

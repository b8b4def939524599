#include "base/json_members.h"

#include <gtest/gtest.h>

namespace openseat::json {
namespace {

TEST(JsonMembers, WhatIsMissingOrOfAnotherTypeIsAbsent) {
  const Object object{{"half", 0.5}, {"seven", 7}, {"text", "7"}, {"yes", true}, {"nothing", nullptr}};
  EXPECT_EQ(NumberOf(object, "half", 1), 0.5);
  EXPECT_EQ(NumberOf(object, "seven", 1), 7);
  EXPECT_EQ(NumberOf(object, "text", 1), 1);
  EXPECT_EQ(NumberOf(object, "other", 1), 1);
  EXPECT_EQ(FindNumber(object, "text"), std::nullopt);
  EXPECT_EQ(FindText(object, "text"), "7");
  EXPECT_EQ(FindText(object, "seven"), std::nullopt);
  EXPECT_EQ(FindObject(object, "text"), nullptr);
  EXPECT_NE(FindObject(Object{{"o", Object()}}, "o"), nullptr);
  EXPECT_TRUE(BoolOf(object, "yes", false));
  EXPECT_TRUE(BoolOf(object, "seven", true));
  EXPECT_FALSE(BoolOf(object, "nothing", false));
}

TEST(JsonMembers, WholeNumbersFit) {
  const auto whole = [](Value value) { return WholeOf(Object{{"n", std::move(value)}}, "n"); };
  EXPECT_EQ(whole(7), 7u);
  EXPECT_EQ(whole(7.0), 7u);
  EXPECT_EQ(whole(18446744073709551615u), 18446744073709551615u);
  EXPECT_EQ(whole(18446744073709549568.0), 18446744073709549568u);
  for (const Value& none : {Value(-1), Value(-1.0), Value(0.5), Value(18446744073709551616.0), Value(1e300), Value("7"),
                            Value(nullptr), Value(true)}) {
    EXPECT_EQ(whole(none), std::nullopt) << Write(none);
  }
  EXPECT_EQ(WholeOf({}, "n"), std::nullopt);
}

}  // namespace
}  // namespace openseat::json

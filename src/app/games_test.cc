#include "app/games.h"

#include <gtest/gtest.h>

namespace openseat::app {
namespace {

TEST(Games, FixturesAreRefusedWhereTheServerDoesNotTakeThem) {
  const Game* netrunner = FindGame("netrunner");
  ASSERT_NE(netrunner, nullptr);
  EXPECT_TRUE(RefuseFixtures(*netrunner, nullptr).has_value());
  EXPECT_TRUE(RefuseFixtures(*netrunner, json::Object{{"format", "system-gateway-beginner"}}).has_value());
  const Result<void> refused = RefuseFixtures(*netrunner, json::Object{{"points", 3}});
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, ErrorCode::kInvalid);
  EXPECT_TRUE(RefuseFixtures(*FindGame("connectm"), json::Object{{"points", 3}}).has_value());
}

}  // namespace
}  // namespace openseat::app

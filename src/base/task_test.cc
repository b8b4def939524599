#include "base/task.h"

#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <string>

namespace openseat {
namespace {

TEST(Task, HoldsAMoveOnlyCallable) {
  auto owned = std::make_unique<int>(7);
  int seen = 0;
  Task task([&seen, owned = std::move(owned)] { seen = *owned; });
  Task moved = std::move(task);
  EXPECT_FALSE(task);  // NOLINT(bugprone-use-after-move): that it is empty is the point
  moved();
  EXPECT_EQ(seen, 7);
}

TEST(Task, DestroysWhatItHoldsOnce) {
  auto counted = std::make_shared<int>(0);
  {
    std::array<char, 200> large{};
    Task small([counted] {});
    Task heap([counted, large] { (void)large; });
    EXPECT_EQ(counted.use_count(), 3);
    small = std::move(heap);
    EXPECT_EQ(counted.use_count(), 2);
  }
  EXPECT_EQ(counted.use_count(), 1);
}

TEST(Function, PassesArgumentsAndGivesBack) {
  const Function<int(std::unique_ptr<int>, const std::string&)> sum(
      [](std::unique_ptr<int> a, const std::string& b) { return *a + static_cast<int>(b.size()); });
  EXPECT_EQ(sum(std::make_unique<int>(40), "ab"), 42);
  EXPECT_FALSE(Function<void(int)>(nullptr));
}

}  // namespace
}  // namespace openseat

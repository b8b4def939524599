#include "core/retries.h"

#include <gtest/gtest.h>

#include <string>

namespace openseat {
namespace {

TEST(RetriesTest, AKeyIsForOneRequest) {
  Retries retries;
  const std::string credit = RequestTag("key", "credit");
  EXPECT_EQ(retries.Find(credit), Retries::Known::kNew);
  retries.Add(credit);
  EXPECT_EQ(retries.Find(credit), Retries::Known::kSame);
  EXPECT_EQ(retries.Find(RequestTag("key", "draw")), Retries::Known::kOther);
  EXPECT_EQ(retries.Find(RequestTag("another", "credit")), Retries::Known::kNew);
}

TEST(RetriesTest, RemembersTheLatest) {
  Retries retries;
  for (std::size_t i = 0; i <= Retries::kMost; ++i) retries.Add(RequestTag(std::to_string(i), "credit"));
  EXPECT_EQ(retries.Find(RequestTag("0", "credit")), Retries::Known::kNew);
  EXPECT_EQ(retries.Find(RequestTag("1", "credit")), Retries::Known::kSame);
  EXPECT_EQ(retries.Find(RequestTag(std::to_string(Retries::kMost), "credit")), Retries::Known::kSame);
}

}  // namespace
}  // namespace openseat

#include "net/memory_cuts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace openseat::net {
namespace {

using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;

TEST(MemoryCuts, TheAddressThatHoldsMostInAllComesFirst) {
  std::vector<HeldMemory> held(128, {.address = "192.0.2.1", .bytes = 400});
  held.push_back({.address = "192.0.2.2", .bytes = 520});
  EXPECT_THAT(ChooseCuts(held, 10'000, 10'000), UnorderedElementsAre(Pair("192.0.2.1", 400)));
  EXPECT_THAT(ChooseCuts(held, 51'200, 51'200), UnorderedElementsAre(Pair("192.0.2.1", 400)));
  EXPECT_THAT(ChooseCuts(held, 51'201, 51'201), UnorderedElementsAre(Pair("192.0.2.1", 400), Pair("192.0.2.2", 520)));
}

TEST(MemoryCuts, OfAnAddressItsLargestComeFirst) {
  const std::vector<HeldMemory> held{{.address = "192.0.2.1", .bytes = 10},
                                     {.address = "192.0.2.1", .bytes = 1'000},
                                     {.address = "192.0.2.1", .bytes = 100}};
  EXPECT_THAT(ChooseCuts(held, 1'000, 1'000), UnorderedElementsAre(Pair("192.0.2.1", 1'000)));
  EXPECT_THAT(ChooseCuts(held, 1'001, 1'001), UnorderedElementsAre(Pair("192.0.2.1", 100)));
}

TEST(MemoryCuts, ThisMachineComesLast) {
  const std::vector<HeldMemory> held{{.address = "loopback", .bytes = 1'000'000},
                                     {.address = "", .bytes = 1'000'000},
                                     {.address = "192.0.2.1", .bytes = 10}};
  EXPECT_THAT(ChooseCuts(held, 10, 10), UnorderedElementsAre(Pair("192.0.2.1", 10)));
  EXPECT_EQ(ChooseCuts(held, 3'000'000, 3'000'000).size(), 3u) << "all of it, if that is not enough";
  EXPECT_THAT(ChooseCuts(held, 500'000, 0), UnorderedElementsAre(Pair("192.0.2.1", 10))) << "there is room for it";
}

TEST(MemoryCuts, NothingHeldOrWantedIsNothingCut) {
  EXPECT_THAT(ChooseCuts({}, 1'000, 1'000), IsEmpty());
  EXPECT_THAT(ChooseCuts({{.address = "192.0.2.1", .bytes = 10}}, 0, 0), IsEmpty());
}

}  // namespace
}  // namespace openseat::net

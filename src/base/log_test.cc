#include "base/log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <functional>
#include <string>

namespace openseat::log {
namespace {

using ::testing::HasSubstr;

std::string Logged(const std::function<void()>& run) {
  ::testing::internal::CaptureStderr();
  run();
  Flush();
  return ::testing::internal::GetCapturedStderr();
}

std::size_t Count(const std::string& text, const std::string& what) {
  std::size_t count = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++count;
  return count;
}

TEST(Log, WhatOneAddressCausesIsLimited) {
  const std::uint64_t before = LeftOut();
  const std::string text = Logged([] {
    const From one("203.0.113.200");
    for (int i = 0; i < 500; ++i) one.Warn("flood {}", i);
    From("203.0.113.201").Info("another's {}", "line");
  });
  EXPECT_GE(Count(text, "flood"), 100u);
  EXPECT_LE(Count(text, "flood"), 110u) << "one more every ten seconds";
  EXPECT_EQ(LeftOut() - before, 500 - Count(text, "flood"));
  EXPECT_THAT(text, HasSubstr("left out 1 line about 203.0.113.200: too many"));
  EXPECT_THAT(text, HasSubstr("another's line"));
}

TEST(Log, ThisMachinesOwnProgramsHaveNoLimit) {
  const std::string text = Logged([] {
    for (int i = 0; i < 200; ++i) {
      From("127.0.0.1").Warn("own {}", i);
      From("::1").Line(Level::kError, "own {}", i);
      From("loopback").Info("own {}", i);
      From("").Info("own {}", i);
    }
  });
  EXPECT_EQ(Count(text, "own"), 800u);
}

}  // namespace
}  // namespace openseat::log

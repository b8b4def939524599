#include "base/guesses.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/metrics.h"

namespace openseat {
namespace {

using std::chrono::seconds;

class HandClock final : public Clock {
 public:
  Time Now() const override { return Time(); }
  Instant Monotonic() const override { return now; }
  Instant now{seconds(1000)};
};

class GuessesTest : public ::testing::Test {
 protected:
  HandClock clock_;
  std::vector<std::string> seen_;
  Metrics metrics_;
  Guesses guesses_{{.per_second = 1, .burst = 3},
                   clock_,
                   [this](std::string_view what, std::string_view from, std::string_view who) {
                     seen_.push_back(std::string(what) + " from " + std::string(from));
                     if (!who.empty()) seen_.back() += " by " + std::string(who);
                   },
                   &metrics_};
};

TEST_F(GuessesTest, WhoIsWrongTooOftenIsNotHeardForAWhile) {
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(guesses_.MayTry("203.0.113.9").has_value());
    EXPECT_TRUE(guesses_.Wrong("key", "203.0.113.9").has_value());
  }
  const Result<void> refused = guesses_.MayTry("203.0.113.9");
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, ErrorCode::kBusy);
  EXPECT_EQ(refused.error().wait, std::chrono::microseconds(1'000'001));
  EXPECT_THAT(refused.error().message, ::testing::HasSubstr("try again in 2 s"));
  EXPECT_THAT(refused.error().message, ::testing::HasSubstr("wrong_per_minute"));
  EXPECT_FALSE(guesses_.Wrong("key", "203.0.113.9").has_value());
  EXPECT_THAT(metrics_.Text(), ::testing::HasSubstr(R"(openseat_refused_total{budget="access.wrong_per_minute"} 2)"));
  EXPECT_TRUE(guesses_.MayTry("203.0.113.10").has_value()) << "others are";
  clock_.now += seconds(2);
  EXPECT_TRUE(guesses_.MayTry("203.0.113.9").has_value());
  EXPECT_EQ(seen_, std::vector<std::string>(3, "key from 203.0.113.9")) << "what was too much is not recorded";
}

TEST_F(GuessesTest, WhoGuessesIsRecordedWhereThatIsKnown) {
  EXPECT_TRUE(guesses_.Wrong("match", "203.0.113.9", "key k-1").has_value());
  EXPECT_EQ(seen_, std::vector<std::string>{"match from 203.0.113.9 by key k-1"});
}

TEST_F(GuessesTest, AnIPv6NetworkIsOneAddress) {
  for (const char* from : {"2001:db8:1:2::1", "2001:db8:1:2::2", "2001:db8:1:2:3:4:5:6"}) {
    EXPECT_TRUE(guesses_.Wrong("key", from).has_value());
  }
  EXPECT_FALSE(guesses_.MayTry("2001:db8:1:2::7").has_value());
  EXPECT_TRUE(guesses_.MayTry("2001:db8:1:3::7").has_value());
}

TEST_F(GuessesTest, OnThisMachineOneProgramsMistakesAreNotAnothers) {
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(guesses_.Wrong("key", "127.0.0.1").has_value());
  EXPECT_FALSE(guesses_.Wrong("key", "127.0.0.1").has_value());
  EXPECT_TRUE(guesses_.MayTry("127.0.0.1").has_value());
  EXPECT_TRUE(guesses_.MayTry("::1").has_value());
}

}  // namespace
}  // namespace openseat

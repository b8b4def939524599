#include "protocols/agent_api/retries.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace openseat::agent_api {
namespace {

class RetriesTest : public ::testing::Test {
 protected:
  // The status of the answer, 0 if there is none yet. The act answers with `status`, 0: later.
  int Once(const std::string& seat, const std::string& key, const std::string& request, int status = 200) {
    const auto answered = std::make_shared<int>(0);
    retries_.Once(
        seat, key, request,
        [&](Answered done) {
          ++acted_;
          if (status != 0) return done({status, {{"acted", acted_}}});
          later_ = std::move(done);
        },
        [answered, this](const SeatAnswer& answer) {
          *answered = answer.status;
          last_ = answer.body;
          ++answers_;
        });
    return *answered;
  }

  Retries retries_;
  Answered later_;
  json::Object last_;
  int acted_ = 0;
  int answers_ = 0;
};

TEST_F(RetriesTest, ARequestThatComesAgainActsOnce) {
  EXPECT_EQ(Once("a", "k", "credit"), 200);
  EXPECT_EQ(Once("a", "k", "credit", 500), 200);
  EXPECT_EQ(acted_, 1);
  EXPECT_EQ(last_.at("acted"), json::Value(1)) << "the first one's answer";
  EXPECT_EQ(Once("a", "l", "credit"), 200);
  EXPECT_EQ(Once("b", "k", "credit"), 200);
  EXPECT_EQ(acted_, 3) << "another key, and another seat";
}

TEST_F(RetriesTest, AKeyIsForOneRequest) {
  EXPECT_EQ(Once("a", "k", "credit"), 200);
  EXPECT_EQ(Once("a", "k", "draw"), 400);
  EXPECT_EQ(acted_, 1);
}

TEST_F(RetriesTest, WhatFailedMayBeTriedAgain) {
  EXPECT_EQ(Once("a", "k", "credit", 500), 500);
  EXPECT_EQ(Once("a", "k", "credit"), 200);
  EXPECT_EQ(acted_, 2);
}

TEST_F(RetriesTest, OneThatComesMeanwhileGetsTheSameAnswer) {
  EXPECT_EQ(Once("a", "k", "credit", 0), 0);
  EXPECT_EQ(Once("a", "k", "credit", 0), 0);
  EXPECT_EQ(Once("a", "k", "draw", 0), 400);
  EXPECT_EQ(answers_, 1);
  later_({200, {}});
  EXPECT_EQ(answers_, 3);
  EXPECT_EQ(acted_, 1);
}

TEST_F(RetriesTest, WhatIsRememberedIsBounded) {
  for (std::size_t i = 0; i <= Retries::kKeys; ++i) Once("a", std::to_string(i), "credit");
  const int acted = acted_;
  Once("a", std::to_string(Retries::kKeys), "credit");
  EXPECT_EQ(acted_, acted) << "the latest is known";
  Once("a", "0", "credit");
  EXPECT_EQ(acted_, acted + 1) << "the oldest is not";
  for (std::size_t i = 0; i < Retries::kSeats; ++i) Once("seat " + std::to_string(i), "k", "credit");
  const int all = acted_;
  Once("a", "0", "credit");
  EXPECT_EQ(acted_, all + 1);
}

TEST_F(RetriesTest, NobodyWhoWaitsIsForgotten) {
  EXPECT_EQ(Once("a", "k", "credit", 0), 0);
  EXPECT_EQ(Once("a", "k", "credit", 0), 0);
  const Answered first = std::exchange(later_, {});
  for (std::size_t i = 0; i <= Retries::kSeats; ++i) Once("seat " + std::to_string(i), "k", "credit");
  const int answers = answers_;
  first({200, {}});
  EXPECT_EQ(answers_, answers + 2);
}

}  // namespace
}  // namespace openseat::agent_api

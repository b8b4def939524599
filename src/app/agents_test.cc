#include "app/agents.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agents/make_agent.h"

namespace openseat::app {
namespace {

using ::testing::HasSubstr;

std::string Made(std::string_view spec) {
  const auto agent = MakeAgent(*ParseAgentSpec(spec));
  return agent ? std::string((*agent)->kind()) : agent.error().message;
}

TEST(Agents, EveryKindOfTheTableIsMade) {
  EXPECT_EQ(Made("random"), "random");
  EXPECT_EQ(Made("random:seed=7,invalid=0.5"), "random");
  EXPECT_EQ(Made("neuro:ws://127.0.0.1:8000"), "neuro");
  EXPECT_EQ(Made("neuro:url=wss://neuro.example/x?key=1,game=My Game,patience_ms=5000"), "neuro");
  EXPECT_THAT(Made("script:/no/such/file"), HasSubstr("cannot read"));
}

TEST(Agents, WhatIsWrongIsSaid) {
  EXPECT_EQ(Made("robot"), "no agent \"robot\"; there are random, script and neuro");
  EXPECT_THAT(Made("neuro"), HasSubstr("needs the url"));
  EXPECT_THAT(Made("neuro:url=http://127.0.0.1"), HasSubstr("it must begin with ws:// or wss://"));
  EXPECT_THAT(Made("neuro:ws://x,speed=1"), HasSubstr("got \"speed\""));
}

}  // namespace
}  // namespace openseat::app

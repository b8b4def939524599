#include "relay/standing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "protocols/neuro/codec.h"

namespace openseat::relay {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

FramePtr Read(std::string text) {
  std::vector<Step> steps = StepsOf(neuro::DecodeClient(text), "");
  return MakeFrame(std::move(text), false, std::move(steps));
}
FramePtr Startup(const std::string& game) {
  return Read(R"({"command":"startup","game":")" + game + "\"}");
}
FramePtr Register(const std::string& game, const std::vector<std::string>& names) {
  std::vector<neuro::ActionDefinition> actions;
  for (const std::string& name : names) actions.push_back({name, "Does it.", std::nullopt});
  std::string text;
  neuro::EncodeRegister(game, actions, text);
  return Read(text);
}
FramePtr Unregister(const std::string& game, const std::vector<std::string>& names) {
  std::string text;
  neuro::EncodeUnregister(game, names, text);
  return Read(text);
}
FramePtr Force(const std::string& game, const std::vector<std::string>& names) {
  std::string text;
  neuro::EncodeForce(game, {.query = "?", .action_names = names}, text);
  return Read(text);
}
FramePtr ResultOf(const std::string& game, const std::string& id, bool success) {
  std::string text;
  neuro::EncodeResult(game, {id, success, ""}, text);
  return Read(text);
}
std::vector<std::string> Texts(const std::vector<FramePtr>& frames) {
  std::vector<std::string> texts;
  for (const FramePtr& frame : frames) texts.push_back(frame->text);
  return texts;
}

TEST(Standing, StartupAndWhatIsRegistered) {
  Standing standing;
  const FramePtr startup = Startup("A");
  const FramePtr both = Register("A", {"a", "b"});
  const FramePtr again = Register("A", {"a"});
  standing.Apply(Register("A", {"old"}));
  standing.Apply(startup);
  standing.Apply(both);
  EXPECT_THAT(standing.Registration(), ElementsAre(startup, both));
  standing.Apply(again);
  EXPECT_THAT(standing.Registration(), ElementsAre(startup, both, again));
  standing.Apply(Unregister("A", {"a"}));
  EXPECT_THAT(Texts(standing.Registration()),
              ElementsAre(startup->text, both->text, HasSubstr(R"("action_names":["a"])")))
      << "one message registered what is gone and what is not";
  standing.Apply(Unregister("A", {"b"}));
  EXPECT_THAT(standing.Registration(), ElementsAre(startup));
}

TEST(OpenForces, AForceStandsUntilOneOfItsActionsSucceeds) {
  OpenForces forces;
  const FramePtr force = Force("A", {"a", "b"});
  forces.Apply(Startup("A"));
  forces.Apply(force);
  forces.OnAction("1", "c");
  forces.Apply(ResultOf("A", "1", true));
  EXPECT_THAT(forces.Forces(), ElementsAre(force)) << "another action";
  forces.OnAction("2", "a");
  forces.Apply(ResultOf("A", "2", false));
  EXPECT_THAT(forces.Forces(), ElementsAre(force)) << "to be tried again";
  forces.OnAction("3", "b");
  forces.Apply(Unregister("A", {"a"}));
  forces.Apply(ResultOf("A", "3", true));
  EXPECT_THAT(forces.Forces(), IsEmpty());
  forces.Apply(force);
  forces.Apply(Unregister("A", {"a", "b"}));
  EXPECT_THAT(forces.Forces(), IsEmpty());
  forces.Apply(force);
  forces.Apply(Startup("A"));
  EXPECT_THAT(forces.Forces(), IsEmpty());
}

TEST(Standing, GamesOfOneConnectionAreApart) {
  Standing standing;
  OpenForces forces;
  const FramePtr force = Force("B", {"x"});
  for (const FramePtr& frame : {Startup("A"), Startup("B"), force, Startup("A")}) {
    standing.Apply(frame);
    forces.Apply(frame);
  }
  EXPECT_EQ(standing.Registration().size(), 2u);
  EXPECT_THAT(forces.Forces(), ElementsAre(force));
}

TEST(Standing, RepeatsTheLatestRegistrationsOfAGameThatNeverStopsRegistering) {
  Standing standing;
  standing.Apply(Startup("A"));
  for (int i = 0; i < 2000; ++i) standing.Apply(Register("A", {"action_" + std::to_string(i)}));
  const std::vector<FramePtr> repeated = standing.Registration();
  EXPECT_EQ(repeated.size(), 513u) << "with the startup";
  EXPECT_THAT(repeated.back()->steps.front().names, ElementsAre("action_1999"));
}

TEST(Standing, KeepsNoMoreForManyGamesThanForOne) {
  Standing standing;
  OpenForces forces;
  const std::string long_text(3u << 19, 'x');
  const auto long_register = [&](const std::string& game) {
    std::string text;
    neuro::EncodeRegister(game, std::vector<neuro::ActionDefinition>{{"go", long_text, std::nullopt}}, text);
    return Read(text);
  };
  const auto long_force = [&](const std::string& game) {
    std::string text;
    neuro::EncodeForce(game, {.query = long_text, .action_names = {"go"}}, text);
    return Read(text);
  };
  const auto size_of = [](const std::vector<FramePtr>& frames) {
    std::size_t bytes = 0;
    for (const FramePtr& frame : frames) bytes += frame->text.size();
    return bytes;
  };
  for (const char* game : {"A", "B", "C", "D"}) {
    standing.Apply(Startup(game));
    standing.Apply(long_register(game));
    forces.Apply(long_force(game));
  }
  EXPECT_GT(size_of(standing.Registration()), 3u << 20);
  EXPECT_LE(size_of(standing.Registration()), kMaxStandingBytes);
  EXPECT_GT(size_of(forces.Forces()), 3u << 20);
  EXPECT_LE(size_of(forces.Forces()), kMaxForceBytes);
  for (const char* game : {"A", "B", "C", "D"}) {
    standing.Apply(Startup(game));
    forces.Apply(Startup(game));
  }
  standing.Apply(Register("D", {"go"}));
  EXPECT_EQ(standing.Registration().size(), 5u) << "a startup frees what its game held";
  forces.Apply(long_force("D"));
  EXPECT_EQ(forces.Forces().size(), 1u);
}

std::vector<std::string> Names(int first, int count) {
  std::vector<std::string> names;
  for (int i = first; i < first + count; ++i) names.push_back(std::to_string(i));
  return names;
}

TEST(Standing, CountsTheActionsAndNotOnlyTheirText) {
  Standing standing(1'000'000);
  for (int i = 0; i < 200; ++i) standing.Apply(Register("A", Names(2000 * i, 2000)));
  std::size_t names = 0;
  for (const FramePtr& frame : standing.Registration()) names += frame->steps.front().names.size();
  EXPECT_GT(names, 10'000u);
  EXPECT_LT(names, kMaxStandingBytes / 96) << "each takes a string and an entry of a map, in addition to its text";
  EXPECT_LE(standing.bytes(), kMaxStandingBytes);
  EXPECT_FALSE(standing.complete());
}

TEST(Standing, RepeatsNoMoreActionsThanAChannelMayHave) {
  Standing standing(500);
  for (int i = 0; i < 10; ++i) standing.Apply(Register(i % 2 == 0 ? "A" : "B", Names(100 * i, 100)));
  std::size_t names = 0;
  for (const FramePtr& frame : standing.Registration()) names += frame->steps.front().names.size();
  EXPECT_EQ(names, 500u);
  EXPECT_FALSE(standing.complete());
}

TEST(Standing, WhatIsRegisteredAgainOrUnregisteredTakesNoMore) {
  Standing standing(100);
  standing.Apply(Register("A", Names(0, 100)));
  const std::size_t bytes = standing.bytes();
  for (int i = 0; i < 10; ++i) {
    standing.Apply(Register("A", Names(0, 100)));
    standing.Apply(Register("A", Names(50, 50)));
    standing.Apply(Register("A", Names(0, 100)));
    standing.Apply(Unregister("A", Names(0, 100)));
    standing.Apply(Register("A", Names(0, 100)));
  }
  EXPECT_EQ(standing.bytes(), bytes);
  EXPECT_TRUE(standing.complete());
  standing.Apply(Unregister("A", Names(0, 100)));
  EXPECT_EQ(standing.bytes(), 0u);
}

TEST(Standing, LeavesOutAGameThatSaysItAgain) {
  Standing standing;
  const FramePtr b = Startup("B");
  standing.Apply(Startup("A"));
  standing.Apply(b);
  EXPECT_THAT(standing.Registration("A"), ElementsAre(b));
}

}  // namespace
}  // namespace openseat::relay

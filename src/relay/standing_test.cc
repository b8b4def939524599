#include "relay/standing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>

#include "base/budget.h"
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
FramePtr LongRegister(const std::string& game, const std::string& name, std::size_t bytes) {
  std::string text;
  neuro::EncodeRegister(game, std::vector<neuro::ActionDefinition>{{name, std::string(bytes, 'x'), std::nullopt}},
                        text);
  return Read(text);
}
FramePtr LongForce(const std::string& game, std::size_t bytes) {
  std::string text;
  neuro::EncodeForce(game, {.query = std::string(bytes, 'x'), .action_names = {"go"}}, text);
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
  constexpr std::size_t kLong = 3u << 19;
  const auto size_of = [](const std::vector<FramePtr>& frames) {
    std::size_t bytes = 0;
    for (const FramePtr& frame : frames) bytes += frame->text.size();
    return bytes;
  };
  for (const char* game : {"A", "B", "C", "D"}) {
    standing.Apply(Startup(game));
    standing.Apply(LongRegister(game, "go", kLong));
    forces.Apply(LongForce(game, kLong));
  }
  EXPECT_GT(size_of(standing.Registration()), 3u << 20);
  EXPECT_LE(size_of(standing.Registration()), kMaxStandingBytes);
  EXPECT_GT(size_of(forces.Forces()), 3u << 20);
  EXPECT_LE(size_of(forces.Forces()), kMaxForceBytes);
  EXPECT_FALSE(forces.complete());
  EXPECT_FALSE(forces.refusal().has_value()) << "the limit is ours";
  for (const char* game : {"A", "B", "C", "D"}) {
    standing.Apply(Startup(game));
    forces.Apply(Startup(game));
  }
  standing.Apply(Register("D", {"go"}));
  EXPECT_EQ(standing.Registration().size(), 5u) << "a startup frees what its game held";
  forces.Apply(LongForce("D", kLong));
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

std::shared_ptr<Payer> StrangerOf(Budget& budget) {
  return budget.PayerOf("192.0.2.7", Instant());
}

TEST(Standing, WhatIsKeptCountsForItsPayer) {
  Budget budget({.others = {.max_table_bytes_per_address = 100'000}, .loopback = {}});
  const std::shared_ptr<Payer> payer = StrangerOf(budget);
  const auto held = [&] { return payer->held(Holding::kTableBytes); };
  {
    Standing first(10, payer);
    Standing second(10, payer);
    OpenForces forces(payer);
    first.Apply(LongRegister("A", "a", 40'000));
    EXPECT_GT(held(), 40'000u);
    const FramePtr startup = Startup("B");
    second.Apply(startup);
    second.Apply(LongRegister("B", "b", 40'000));
    EXPECT_TRUE(second.complete());
    EXPECT_EQ(held(), first.bytes() + second.bytes());

    forces.Apply(LongForce("A", 30'000));
    EXPECT_THAT(forces.Forces(), IsEmpty());
    EXPECT_FALSE(forces.complete());
    ASSERT_TRUE(forces.refusal().has_value());
    EXPECT_EQ(forces.refusal()->limit, Limit::kTableBytesOfAddress);

    const FramePtr newer = LongRegister("B", "c", 40'000);
    second.Apply(newer);
    EXPECT_THAT(second.Registration(), ElementsAre(startup, newer)) << "instead of its oldest one";
    EXPECT_FALSE(second.complete());
    ASSERT_TRUE(second.refusal().has_value());
    EXPECT_EQ(second.refusal()->limit, Limit::kTableBytesOfAddress);
    EXPECT_TRUE(first.complete()) << "another channel";
    EXPECT_EQ(held(), first.bytes() + second.bytes());

    first.Apply(Unregister("A", {"a"}));
    EXPECT_EQ(held(), second.bytes());
    forces.Apply(LongForce("A", 30'000));
    EXPECT_EQ(forces.Forces().size(), 1u) << "there is room again";
    EXPECT_EQ(held(), second.bytes() + forces.bytes());
    forces.Apply(LongForce("A", 50'000));
    EXPECT_EQ(held(), second.bytes() + forces.bytes()) << "instead of the former";
    forces.Apply(Startup("A"));
    EXPECT_EQ(held(), second.bytes());
  }
  EXPECT_EQ(held(), 0u) << "all of it is given back";
}

TEST(Standing, AStartupThatDoesNotFitIsLeftOut) {
  Budget budget({.others = {.max_table_bytes_per_address = 10}, .loopback = {}});
  Standing standing(10, StrangerOf(budget));
  standing.Apply(Startup("A"));
  EXPECT_THAT(standing.Registration(), IsEmpty());
  EXPECT_EQ(standing.bytes(), 0u);
  EXPECT_FALSE(standing.complete());
}

TEST(OpenForces, ActionsOfTheServerWithLongIdsOrNamesAreNotKept) {
  OpenForces forces;
  const FramePtr force = Force("A", {"a"});
  forces.Apply(force);
  const std::string id(2'000, '1');
  forces.OnAction(id, "a");
  forces.Apply(ResultOf("A", id, true));
  EXPECT_THAT(forces.Forces(), ElementsAre(force)) << "it is not known what became of it";
  forces.OnAction("2", std::string(2'000, 'a'));
  forces.OnAction("3", "a");
  forces.Apply(ResultOf("A", "3", true));
  EXPECT_THAT(forces.Forces(), IsEmpty());
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

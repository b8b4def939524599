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
  return std::make_shared<const Frame>(Frame{.text = std::move(text), .steps = std::move(steps)});
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

TEST(Standing, AForceStandsUntilOneOfItsActionsSucceeds) {
  Standing standing;
  const FramePtr force = Force("A", {"a", "b"});
  standing.Apply(Startup("A"));
  standing.Apply(force);
  standing.OnAction("1", "c");
  standing.Apply(ResultOf("A", "1", true));
  EXPECT_THAT(standing.Forces(), ElementsAre(force)) << "another action";
  standing.OnAction("2", "a");
  standing.Apply(ResultOf("A", "2", false));
  EXPECT_THAT(standing.Forces(), ElementsAre(force)) << "to be tried again";
  standing.OnAction("3", "b");
  standing.Apply(Unregister("A", {"a"}));
  standing.Apply(ResultOf("A", "3", true));
  EXPECT_THAT(standing.Forces(), IsEmpty());
  standing.Apply(force);
  standing.Apply(Unregister("A", {"a", "b"}));
  EXPECT_THAT(standing.Forces(), IsEmpty());
  standing.Apply(force);
  standing.Apply(Startup("A"));
  EXPECT_THAT(standing.Forces(), IsEmpty());
}

TEST(Standing, GamesOfOneConnectionAreApart) {
  Standing standing;
  const FramePtr a = Startup("A");
  const FramePtr b = Startup("B");
  const FramePtr force = Force("B", {"x"});
  standing.Apply(a);
  standing.Apply(b);
  standing.Apply(force);
  standing.Apply(Startup("A"));
  EXPECT_EQ(standing.Registration().size(), 2u);
  EXPECT_THAT(standing.Forces(), ElementsAre(force));
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
  const std::string long_text(3u << 20, 'x');
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
  for (const char* game : {"A", "B", "C", "D"}) {
    standing.Apply(Startup(game));
    standing.Apply(long_register(game));
    standing.Apply(long_force(game));
  }
  std::size_t bytes = 0;
  for (const FramePtr& frame : standing.Registration()) bytes += frame->text.size();
  for (const FramePtr& frame : standing.Forces()) bytes += frame->text.size();
  EXPECT_GT(bytes, 6u << 20);
  EXPECT_LE(bytes, 8u << 20);
  for (const char* game : {"A", "B", "C", "D"}) standing.Apply(Startup(game));
  standing.Apply(Register("D", {"go"}));
  EXPECT_EQ(standing.Registration().size(), 5u) << "a startup frees what its game held";
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

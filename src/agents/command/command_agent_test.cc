#include "agents/command/command_agent.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agents/command/bot_line.h"

namespace openseat {
namespace {

using ::testing::HasSubstr;

Decision ADecision() {
  Decision decision;
  decision.id = DecisionId(7);
  decision.actions.Put(std::make_shared<Action>("go", "Goes", std::nullopt));
  return decision;
}

TEST(BotLine, TheQuestionNamesActionsWhereNoChoicesAreListed) {
  const json::Value line = *json::Parse(ChooseLine(ADecision()));
  EXPECT_EQ(line.at("type"), json::Value("choose"));
  EXPECT_EQ(line.at("decision").to_number<int>(), 7);
  EXPECT_EQ(line.at("actions").at(0).at("name"), json::Value("go"));
}

TEST(BotLine, AnswersAreReadOrNamed) {
  const Decision decision = ADecision();
  const auto go = ReadBotLine(R"({"action": "go", "data": {"x": 1}})", decision);
  ASSERT_TRUE(go);
  EXPECT_EQ(go->action, "go");
  EXPECT_EQ(json::Write(go->data), R"({"x":1})");
  EXPECT_EQ(go->decision, decision.id);
  // The referee refuses it, with the actions that there are.
  EXPECT_EQ(ReadBotLine("5", decision)->action, "choice 5");
  EXPECT_EQ(ReadBotLine(R"({"choice":-1})", decision)->action, "choice -1");
  for (const std::string_view line : {"", "go", "{}", R"({"choice":"x"})", "[1]", "1.5", "\xFF\x01"}) {
    const auto wrong = ReadBotLine(line, decision);
    ASSERT_FALSE(wrong) << line;
    EXPECT_THAT(wrong.error().message, HasSubstr("an answer is one line"));
  }
}

TEST(BotLine, HowBytesArriveChangesNothing) {
  const std::string longest(kMaxBotLine, 'x');
  const std::string all = "1\n\n{\"choice\": 2}\n" + longest + "\n" + longest + "x\n3\n";
  for (const std::size_t step : {std::size_t{1}, std::size_t{1000}, kMaxBotLine, kMaxBotLine + 1, all.size()}) {
    BotLines cutter;
    std::vector<std::string> lines;
    bool fits = true;
    for (std::size_t at = 0; at < all.size(); at += step) fits = cutter.Add(all.substr(at, step), lines);
    EXPECT_FALSE(fits) << step;
    EXPECT_EQ(lines, (std::vector<std::string>{"1", R"({"choice": 2})", longest})) << step;
  }
}

TEST(CommandKind, AProgramThatIsNotThereIsNamed) {
  const AgentKinds kinds({CommandKind()});
  const Result<AgentSpec> spec = kinds.Parse("cmd:/no/such/bot");
  ASSERT_TRUE(spec);
  const auto made = kinds.Make(*spec);
  ASSERT_FALSE(made);
  EXPECT_THAT(made.error().message, testing::AnyOf(HasSubstr("/no/such/bot"), HasSubstr("bubblewrap")));
  EXPECT_FALSE(kinds.Check(*spec, Namer::kAdmin)) << "only the operator has programs run";
}

}  // namespace
}  // namespace openseat

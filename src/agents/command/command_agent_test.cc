#include "agents/command/command_agent.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <ctime>
#include <thread>

#include "agents/command/bot_line.h"
#include "agents/command/cpu_time.h"

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

TEST(CpuTime, IsThatOfAProcessAndGrows) {
  const std::optional<Duration> before = CpuTimeOf(getpid());
  ASSERT_TRUE(before);
  // Until the clock has moved: work of any speed does.
  std::optional<Duration> after = before;
  while (after && *after == *before) after = CpuTimeOf(getpid());
  ASSERT_TRUE(after);
  EXPECT_GT(*after, *before);
}

TEST(CpuTime, ChildrenThatEndedCount) {
  std::array<int, 2> ended{};
  ASSERT_EQ(pipe(ended.data()), 0);
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    // A child of its own works for some ticks of the kernel's clock, ends, and is waited for.
    const pid_t worker = fork();
    if (worker == 0) {
      while (std::clock() < CLOCKS_PER_SEC / 10) continue;
      _exit(0);
    }
    waitpid(worker, nullptr, 0);
    static_cast<void>(write(ended[1], "x", 1));
    pause();
    _exit(0);
  }
  close(ended[1]);
  char byte = 0;
  EXPECT_EQ(read(ended[0], &byte, 1), 1);
  EXPECT_GE(CpuTimeOf(child).value_or(Duration()), std::chrono::milliseconds(50));
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  close(ended[0]);
  EXPECT_FALSE(CpuTimeOf(child)) << "it is gone";
}

TEST(CpuTime, ChildrenOfAnyThreadCount) {
  std::array<int, 2> worked{};
  ASSERT_EQ(pipe(worked.data()), 0);
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    std::thread([&worked] {
      if (fork() == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);  // it ends with who started it
        while (std::clock() < CLOCKS_PER_SEC / 10) continue;
        static_cast<void>(write(worked[1], "x", 1));
        pause();
      }
      pause();
    }).join();
    _exit(0);
  }
  close(worked[1]);
  char byte = 0;
  EXPECT_EQ(read(worked[0], &byte, 1), 1);
  EXPECT_GE(CpuTimeOf(child).value_or(Duration()), std::chrono::milliseconds(50));
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  close(worked[0]);
}

}  // namespace
}  // namespace openseat

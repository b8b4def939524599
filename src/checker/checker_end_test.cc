// When a run ends, how its log stays small, and its grade.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "checker/checker.h"
#include "checker/grade.h"
#include "testing/fake_scheduler.h"

namespace openseat::checker {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::Contains;
using ::testing::HasSubstr;

class CheckerEndTest : public ::testing::Test, public CheckerPort {
 protected:
  void Make(CheckerOptions options, std::string_view script = "{}") {
    options.script = *ParseScript(script);
    options.id_prefix = "t-";
    checker_ = std::make_unique<Checker>(std::move(options), scheduler_, *this);
    checker_->Start("ws://127.0.0.1:8000");
  }
  void Connect() {
    checker_->OnConnected("127.0.0.1");
    Say("startup");
    Say("actions/register", R"({"actions":[{"name":"a","description":"d"}]})");
  }
  void Say(std::string_view command, std::string_view data = {}) {
    std::string text = R"({"command":")" + std::string(command) + R"(","game":"Game")";
    if (!data.empty()) text += R"(,"data":)" + std::string(data);
    checker_->OnPacket(text + "}");
    scheduler_.Run();
  }
  void Tell() { Say("context", R"({"message":"m","silent":true})"); }
  void PlayTurn() {
    Say("actions/force", R"({"state":"s","query":"q","action_names":["a"]})");
    Say("action/result", R"({"id":"t-)" + std::to_string(++turns_) + R"(","success":true,"message":"Done."})");
  }
  std::vector<std::string> Keys() const {
    std::vector<std::string> out;
    for (const LogLine& line : lines_) {
      if (!line.key.empty()) out.push_back(line.key);
    }
    return out;
  }

  void Send(std::string_view) override {}
  void Log(const LogLine& line) override { lines_.push_back(line); }
  void ActionsChanged() override {}
  void ContextChanged() override {}
  void Finished() override { ended_ = true; }

  testing::FakeScheduler scheduler_;
  std::unique_ptr<Checker> checker_;
  std::vector<LogLine> lines_;
  int turns_ = 0;
  bool ended_ = false;
};

TEST_F(CheckerEndTest, AGameThatForcesForeverIsEnded) {
  Make({});
  Connect();
  for (int turn = 0; turn < 19; ++turn) PlayTurn();
  EXPECT_FALSE(ended_);
  PlayTurn();
  EXPECT_TRUE(ended_);
  EXPECT_EQ(checker_->result().exit_code, 0);
}

TEST_F(CheckerEndTest, ForcesBeforeTheScriptIsDoneDoNotCount) {
  Make({.max_forces = 1}, R"({"b":{}})");
  Connect();
  for (int turn = 0; turn < 5; ++turn) PlayTurn();
  EXPECT_FALSE(ended_);
  Say("actions/register", R"({"actions":[{"name":"b","description":"d"}]})");
  scheduler_.Advance(milliseconds(100));
  Say("action/result", R"({"id":"t-6","success":true})");
  turns_ = 6;
  EXPECT_FALSE(ended_);
  PlayTurn();
  EXPECT_TRUE(ended_);
}

TEST_F(CheckerEndTest, ContextKeepsNoRunGoing) {
  Make({});
  Connect();
  for (int i = 0; i < 20; ++i) {
    scheduler_.Advance(milliseconds(100));
    Tell();
  }
  EXPECT_TRUE(ended_);
}

TEST_F(CheckerEndTest, ARunWithoutForcesEndsThoughItRegistersOnAndOn) {
  Make({});
  Connect();
  for (int i = 0; i < 99; ++i) {
    scheduler_.Advance(milliseconds(100));
    Say("actions/unregister", R"({"action_names":["a"]})");
  }
  EXPECT_FALSE(ended_);
  scheduler_.Advance(milliseconds(100));
  EXPECT_TRUE(ended_);
}

TEST_F(CheckerEndTest, QuietWaitsForEveryPacket) {
  Make({.until = Until::kQuiet});
  Connect();
  for (int i = 0; i < 200; ++i) {
    scheduler_.Advance(seconds(1));
    Tell();
  }
  for (int turn = 0; turn < 50; ++turn) PlayTurn();
  EXPECT_FALSE(ended_);
  scheduler_.Advance(seconds(2));
  EXPECT_TRUE(ended_);
}

TEST_F(CheckerEndTest, TheRunsTimeBeginsWithTheConnection) {
  Make({.until = Until::kTimeout, .connect_timeout = seconds(60), .timeout = seconds(10)});
  scheduler_.Advance(seconds(59));
  Connect();
  scheduler_.Advance(milliseconds(9'999));
  EXPECT_FALSE(ended_);
  scheduler_.Advance(milliseconds(1));
  EXPECT_TRUE(ended_);
  EXPECT_EQ(checker_->result().exit_code, 0);
}

TEST_F(CheckerEndTest, AConnectionWithoutAPacketDoesNotStopTheWaiting) {
  Make({.connect_timeout = seconds(10)});
  scheduler_.Advance(seconds(5));
  checker_->OnConnected("127.0.0.1");
  checker_->OnClosed({.code = 1000});
  scheduler_.Advance(milliseconds(4'999));
  EXPECT_FALSE(ended_);
  scheduler_.Advance(milliseconds(1));
  EXPECT_THAT(Keys(), Contains("connection/none"));
}

TEST_F(CheckerEndTest, AGameThatFailedToStartIsThat) {
  Make({});
  checker_->Interrupt("The command of the game ended with exit code 127");
  EXPECT_THAT(Keys(), ::testing::ElementsAre("game/not-started"));
}

TEST_F(CheckerEndTest, AnHourOfLoopingStaysUnderAMegabyte) {
  Make({.until = Until::kTimeout, .timeout = std::chrono::hours(1)});
  Connect();
  const std::string data = R"({"message":")" + std::string(500, 'x');
  for (int i = 0; i < 36'000; ++i) {
    scheduler_.Advance(milliseconds(100));
    Say("context", data + std::to_string(i) + R"(","silent":true})");
    Say("actions/unregister", R"({"action_names":["zz"]})");
    PlayTurn();
  }
  EXPECT_TRUE(ended_);
  std::size_t bytes = 0;
  for (const LogLine& line : lines_) bytes += FormatLine(line).size() + 1;
  EXPECT_LT(bytes, 1'000'000u);
  EXPECT_THAT(lines_, Contains(::testing::Field(&LogLine::message, HasSubstr("Left out: "))));
  EXPECT_LT(json::Write(json::Value(checker_->context())).size(), 2'000'000u);
}

TEST(ScriptTest, RefusesAnExpectationThatItDoesNotKnow) {
  for (const char* script : {R"({"move": {"expect": "acepted"}})", R"({"move": {"data": {}, "expect": "acepted"}})",
                             R"({"move": {"data": {}, "expect": 5}})"}) {
    const auto read = ParseScript(script);
    ASSERT_FALSE(read) << script;
    EXPECT_THAT(read.error().message, HasSubstr("must be \"accepted\", \"refused\" or \"any\"; got ")) << script;
  }
  EXPECT_TRUE(ParseScript(R"({"move": {"expect": "acepted", "x": 1}, "look": {"expect": 5}})"));
  EXPECT_EQ(ParseScript(R"({"move": {"data": {"expect": "tea"}, "expect": "any"}})")->front().data,
            json::Parse(R"({"expect": "tea"})"));
}

TEST(GradeTest, CountsWhatWasFound) {
  CheckResult result;
  EXPECT_EQ(GradeText(GradeOf(result)), "none: nothing was tested");
  result.tested = true;
  EXPECT_EQ(GradeText(GradeOf(result)), "A (100 of 100)");
  using neuro::Diagnostic;
  result.rules = {{Diagnostic::kContextHeading, Level::kInfo, 1, "a"},
                  {Diagnostic::kActionsChurn, Level::kWarn, 3, "b"},
                  {Diagnostic::kUnregisterUnknown, Level::kInfo, 50, "the API permits it"},
                  {Diagnostic::kScriptData, Level::kWarn, 9, "the script's fault"}};
  const Grade grade = GradeOf(result);
  EXPECT_EQ(GradeText(grade), "B (86 of 100)");
  ASSERT_EQ(grade.costliest.size(), 2u);
  EXPECT_EQ(CostText(grade.costliest[0]), "perf/actions/churn, 3 times: b");
  EXPECT_EQ(grade.costliest[0].points, 12);
  result.exit_code = 1;
  EXPECT_EQ(GradeOf(result).letter, 'F');
  CheckResult nobody_came;
  nobody_came.exit_code = 1;
  EXPECT_EQ(GradeText(GradeOf(nobody_came)), "F: nothing was tested");
}

TEST(GradeTest, ListsTheFiveCostliest) {
  CheckResult result;
  result.tested = true;
  for (const neuro::DiagnosticInfo& info : neuro::AllDiagnostics()) {
    result.rules.push_back({info.diagnostic, Level::kWarn, 1, "x"});
  }
  const Grade grade = GradeOf(result);
  EXPECT_EQ(grade.costliest.size(), 5u);
  EXPECT_EQ(grade.points, 0);
  EXPECT_EQ(grade.letter, 'F');
}

TEST(LogLimitTest, TheFirstFindingOfEachRuleIsAlwaysWritten) {
  LogLimit limit;
  const LogLine line{{}, Level::kWarn, std::string(1'000, 'x'), {}};
  for (int rule = 0; rule < 300; ++rule) {
    LogLine finding = line;
    finding.key = "prot/" + std::to_string(rule);
    EXPECT_TRUE(limit.Admit(finding));
  }
  LogLine again = line;
  again.key = "prot/1";
  EXPECT_FALSE(limit.Admit(again));
  EXPECT_THAT(limit.LeftOut(), HasSubstr("1 lines beyond the log's size"));
}

}  // namespace
}  // namespace openseat::checker

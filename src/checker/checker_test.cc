#include "checker/checker.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testing/fake_scheduler.h"

namespace openseat::checker {
namespace {

using std::chrono::milliseconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

using Cause = net::Closing::Cause;

class CheckerTest : public ::testing::Test, public CheckerPort {
 protected:
  void Make(std::string_view script, Strictness strictness = Strictness::kDefault) {
    CheckerOptions options;
    options.script = *ParseScript(script);
    options.strictness = strictness;
    options.id_prefix = "t-";
    checker_ = std::make_unique<Checker>(std::move(options), scheduler_, *this);
    checker_->Start("ws://127.0.0.1:8000");
    checker_->OnConnected("127.0.0.1");
  }
  void Say(std::string_view command, std::string_view data = {}) {
    std::string text = R"({"command":")" + std::string(command) + R"(","game":"Game")";
    if (!data.empty()) text += R"(,"data":)" + std::string(data);
    checker_->OnPacket(text + "}");
    scheduler_.Run();
  }
  void Register(std::string_view name) {
    Say("actions/register", R"({"actions":[{"name":")" + std::string(name) + R"(","description":"d"}]})");
  }
  void Unregister(std::string_view name) {
    Say("actions/unregister", R"({"action_names":[")" + std::string(name) + R"("]})");
  }
  void Force(std::string_view name) {
    Say("actions/force", R"({"query":"q","action_names":[")" + std::string(name) + R"("]})");
  }
  void Result(std::string_view id, bool success) {
    Say("action/result", R"({"id":")" + std::string(id) + R"(","success":)" + (success ? "true" : "false") + "}");
  }
  // The findings of level warn and above, as "LEVEL KEY".
  std::vector<std::string> Findings() const {
    std::vector<std::string> out;
    for (const LogLine& line : lines_) {
      if (line.level >= Level::kWarn) out.push_back(std::string(LevelName(line.level)) + " " + line.key);
    }
    return out;
  }
  std::string LastLine() const { return lines_.back().message; }

  void Send(std::string_view packet) override { sent_.emplace_back(packet); }
  void Log(const LogLine& line) override { lines_.push_back(line); }
  void ActionsChanged() override {}
  void ContextChanged() override {}
  void Finished() override { ended_ = true; }

  testing::FakeScheduler scheduler_;
  std::unique_ptr<Checker> checker_;
  std::vector<std::string> sent_;
  std::vector<LogLine> lines_;
  bool ended_ = false;
};

TEST_F(CheckerTest, AScriptedActionWaitsForAMomentOfRest) {
  Make(R"({"a":{}})");
  Say("startup");
  Register("a");
  scheduler_.Advance(milliseconds(99));
  EXPECT_THAT(sent_, IsEmpty());
  scheduler_.Advance(milliseconds(1));
  EXPECT_THAT(sent_, SizeIs(1));
}

TEST_F(CheckerTest, AGameThatNeverRestsDoesNotHoldTheScriptUp) {
  Make(R"({"a":{},"b":{}})");
  Say("startup");
  Register("a");
  Register("b");
  for (int i = 0; i < 12; ++i) {
    scheduler_.Advance(milliseconds(40));
    Unregister("zz");
  }
  EXPECT_THAT(sent_, IsEmpty()) << "480 ms";
  scheduler_.Advance(milliseconds(20));
  ASSERT_THAT(sent_, SizeIs(1));
  Result("t-1", true);
  for (int i = 0; i < 12; ++i) {
    scheduler_.Advance(milliseconds(40));
    Unregister("zz");
  }
  EXPECT_THAT(sent_, SizeIs(1)) << "each entry has its own time";
  scheduler_.Advance(milliseconds(20));
  EXPECT_THAT(sent_, SizeIs(2));
}

TEST_F(CheckerTest, ABrokenRuleOrLimitFailsTheRunAndIsNotTheGamesDoing) {
  Make("{}");
  Say("startup");
  checker_->OnClosed({.code = net::close_code::kTooBig,
                      .reason = "a message is larger than 4194304 bytes",
                      .cause = Cause::kViolation});
  EXPECT_TRUE(ended_);
  EXPECT_THAT(Findings(), ElementsAre("error connection/violation"));
  EXPECT_EQ(checker_->result().exit_code, 1);
  EXPECT_EQ(checker_->result().findings.front().message,
            "the checker closed the connection (1009 a message is larger than 4194304 bytes)");
}

TEST_F(CheckerTest, ABrokenRuleBeforeTheFirstPacketFailsTheRunToo) {
  Make("{}");
  checker_->OnClosed({.code = net::close_code::kProtocolError, .reason = "unmasked", .cause = Cause::kViolation});
  EXPECT_TRUE(ended_);
  EXPECT_THAT(Findings(), ElementsAre("error connection/violation"));
}

TEST_F(CheckerTest, APacketThatWasNotFinishedIsSaid) {
  Make("{}");
  Say("startup");
  checker_->OnClosed({.code = net::close_code::kAbnormal, .cause = Cause::kLost, .unfinished = true});
  EXPECT_THAT(Findings(), ElementsAre("warn packet/unfinished"));
  EXPECT_EQ(checker_->result().exit_code, 0);
  lines_.clear();
  Make("{}", Strictness::kLetter);
  Say("startup");
  checker_->OnClosed({.unfinished = true});
  EXPECT_THAT(Findings(), ElementsAre("error packet/unfinished"));
  EXPECT_EQ(checker_->result().exit_code, 1);
}

TEST_F(CheckerTest, AForceWhoseActionsAllGoIsIgnoredFromThenOn) {
  for (const Strictness strictness : {Strictness::kDefault, Strictness::kLenient}) {
    lines_.clear();
    sent_.clear();
    Make("{}", strictness);
    Say("startup");
    Register("a");
    Register("b");
    Force("a");
    ASSERT_THAT(sent_, SizeIs(1));
    Unregister("a");
    EXPECT_THAT(Findings(), ElementsAre("warn force/emptied"));
    EXPECT_THAT(LastLine(), HasSubstr("`a`"));
    // No second one, since the first is none any more; but it came between an action and its result.
    Force("b");
    EXPECT_THAT(Findings(), ElementsAre("warn force/emptied", "error pending/unexpected"));
    Result("t-1", false);
    EXPECT_THAT(sent_, SizeIs(1)) << "nothing is retried";
    Force("b");
    EXPECT_THAT(sent_, SizeIs(2));
    EXPECT_THAT(Findings(), SizeIs(2));
  }
}

TEST_F(CheckerTest, AWrongPathIsSaidWithTheRightAddress) {
  Make("{}");
  checker_->OnWrongPath("/foo", "127.0.0.1");
  EXPECT_THAT(Findings(), ElementsAre("warn connection/path"));
  EXPECT_THAT(LastLine(), HasSubstr("`/foo`"));
  EXPECT_THAT(LastLine(), HasSubstr("ws://127.0.0.1:8000"));
}

TEST_F(CheckerTest, ARunThatCannotGoOnHasNoVerdict) {
  Make("{}");
  Say("startup");
  checker_->GiveUp("cannot write \"log\"");
  checker_->OnClosed({.code = net::close_code::kGoingAway, .cause = Cause::kUs});
  scheduler_.Advance(std::chrono::minutes(10));
  EXPECT_FALSE(ended_);
  EXPECT_EQ(LastLine(), "The run was aborted: cannot write \"log\"");
}

TEST_F(CheckerTest, AMisspelledMemberNextToTheRightOneIsReported) {
  Make("{}");
  Say("startup");
  Register("a");
  Say("actions/unregister", R"({"action_names":["a"],"aciton_names":["b"]})");
  EXPECT_THAT(Findings(), ElementsAre("warn packet/misspelt"));
  EXPECT_THAT(LastLine(), HasSubstr("takes precedence"));
  EXPECT_THAT(checker_->ActionsStore(), IsEmpty());
}

TEST_F(CheckerTest, KeywordsOfFormerDraftsAreKnown) {
  Make("{}");
  Say("startup");
  Say("actions/register",
      R"({"actions":[{"name":"a","description":"d","schema":{"type":"object","$recursiveAnchor":true,"definitions":{},)"
      R"("properties":{"x":{"$recursiveRef":"#"}}}}]})");
  EXPECT_THAT(Findings(), IsEmpty());
}

}  // namespace
}  // namespace openseat::checker

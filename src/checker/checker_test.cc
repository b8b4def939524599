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
  void Result(std::string_view id, bool success, std::string_view message = {}) {
    Say("action/result", R"({"id":")" + std::string(id) + R"(","success":)" + (success ? "true" : "false") +
                             (message.empty() ? "" : R"(,"message":")" + std::string(message) + "\"") + "}");
  }
  // The findings of level warn and above, as "LEVEL KEY".
  std::vector<std::string> Findings() const {
    std::vector<std::string> out;
    for (const LogLine& line : lines_) {
      if (line.level >= Level::kWarn) out.push_back(std::string(LevelName(line.level)) + " " + line.key);
    }
    return out;
  }
  // The keyed lines below that, alike.
  std::vector<std::string> Notes() const {
    std::vector<std::string> out;
    for (const LogLine& line : lines_) {
      if (line.level < Level::kWarn && !line.key.empty())
        out.push_back(std::string(LevelName(line.level)) + " " + line.key);
    }
    return out;
  }
  std::string LastLine() const { return lines_.back().message; }

  void Send(std::string_view packet) override {
    if (packet.starts_with(R"({"command":"startup")")) {
      ++acknowledged_;
    } else {
      sent_.emplace_back(packet);
    }
  }
  void Log(const LogLine& line) override { lines_.push_back(line); }
  void ActionsChanged() override {}
  void ContextChanged() override {}
  void Finished() override { ended_ = true; }

  testing::FakeScheduler scheduler_;
  std::unique_ptr<Checker> checker_;
  std::vector<std::string> sent_;
  int acknowledged_ = 0;
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
                      .reason = "the limit max_message_bytes is reached: 4194304 bytes of one message",
                      .cause = Cause::kViolation});
  EXPECT_TRUE(ended_);
  EXPECT_THAT(Findings(), ElementsAre("error prot/frame/violation"));
  EXPECT_EQ(checker_->result().exit_code, 1);
  EXPECT_EQ(
      checker_->result().findings.front().message,
      "the checker closed the connection (1009 the limit max_message_bytes is reached: 4194304 bytes of one message)");
}

TEST_F(CheckerTest, ABrokenRuleBeforeTheFirstPacketFailsTheRunToo) {
  Make("{}");
  checker_->OnClosed({.code = net::close_code::kProtocolError, .reason = "unmasked", .cause = Cause::kViolation});
  EXPECT_TRUE(ended_);
  EXPECT_THAT(Findings(), ElementsAre("error prot/frame/violation"));
}

TEST_F(CheckerTest, APacketThatWasNotFinishedIsSaid) {
  Make("{}");
  Say("startup");
  checker_->OnClosed({.code = net::close_code::kAbnormal, .cause = Cause::kLost, .unfinished = true});
  EXPECT_THAT(Findings(), ElementsAre("warn prot/frame/unfinished", "warn script/nothing-tested"));
  EXPECT_EQ(checker_->result().exit_code, 0);
  lines_.clear();
  Make("{}", Strictness::kLetter);
  Say("startup");
  checker_->OnClosed({.unfinished = true});
  EXPECT_THAT(Findings(), ElementsAre("error prot/frame/unfinished"));
  EXPECT_EQ(checker_->result().exit_code, 1);
}

TEST_F(CheckerTest, AForceWhoseActionsAllGoWaitsForItsResult) {
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
    EXPECT_THAT(Findings(), IsEmpty());
    // No second one, since nothing is left of the first; but it came between an action and its result.
    Force("b");
    EXPECT_THAT(Findings(), ElementsAre("error prot/force/while_pending_result"));
    Result("t-1", false, "Too late.");
    EXPECT_THAT(sent_, SizeIs(1)) << "nothing is retried";
    EXPECT_THAT(Findings(), ElementsAre("error prot/force/while_pending_result", "warn prot/force/emptied"));
    EXPECT_THAT(LastLine(), HasSubstr("`a`"));
    Force("b");
    EXPECT_THAT(sent_, SizeIs(2));
    EXPECT_THAT(Findings(), SizeIs(2));
  }
}

// As the official SDKs play each turn.
TEST_F(CheckerTest, UnregisteringBeforeASuccessfulResultIsNoFinding) {
  Make("{}");
  Say("startup");
  for (int turn = 1; turn <= 10; ++turn) {
    Register("a");
    Force("a");
    Unregister("a");
    Result("t-" + std::to_string(turn), true, "Done.");
  }
  EXPECT_THAT(sent_, SizeIs(10));
  EXPECT_THAT(Findings(), IsEmpty());
}

TEST_F(CheckerTest, AFailingResultWithoutAMessageIsSaid) {
  Make("{}");
  Say("startup");
  Register("a");
  Force("a");
  Result("t-1", false);
  EXPECT_THAT(Findings(), ElementsAre("warn prot/result/error_nomessage"));
}

TEST_F(CheckerTest, LateResultsAndStartupsAreSaid) {
  Make("{}");
  scheduler_.Advance(milliseconds(600));
  Say("startup");
  EXPECT_THAT(Notes(), ElementsAre("info perf/late/startup"));
  Register("a");
  Force("a");
  scheduler_.Advance(milliseconds(600));
  Result("t-1", true);
  EXPECT_THAT(Findings(), ElementsAre("warn perf/late/action_result"));
  Force("a");
  scheduler_.Advance(std::chrono::seconds(20));
  EXPECT_THAT(Findings(), ElementsAre("warn perf/late/action_result", "error perf/timeout/action_result"));
}

TEST_F(CheckerTest, TheStartupIsAcknowledged) {
  Make("{}");
  Say("startup");
  EXPECT_EQ(acknowledged_, 1);
  Make("{}", Strictness::kLetter);
  Say("startup");
  EXPECT_EQ(acknowledged_, 1) << "the document has no acknowledgement";
}

TEST_F(CheckerTest, ASecondNameIsASecondGameIfItStartsUp) {
  Make("{}");
  Say("startup");
  Register("sit");
  checker_->OnPacket(R"({"command":"startup","game":"Other"})");
  EXPECT_THAT(Notes(), ElementsAre("info prot/v1/game_renamed/startup"));
  EXPECT_THAT(checker_->ActionsStore(), SizeIs(1)) << "those of the first game";
  checker_->OnPacket(R"({"command":"context","game":"Third","data":{"message":"m","silent":true}})");
  EXPECT_THAT(Findings(), ElementsAre("error prot/v1/game_renamed"));
}

TEST_F(CheckerTest, WhatTheApiPermitsIsANote) {
  Make("{}");
  Say("startup");
  Say("actions/register", R"({"actions":[{"name":"sit","description":"d","schema":{}},)"
                          R"({"name":"run","description":"d","schema":{"type":"object","properties":{}}}]})");
  Unregister("zz");
  Unregister("sit");
  Unregister("sit");
  EXPECT_THAT(Findings(), IsEmpty());
  EXPECT_THAT(Notes(), ElementsAre("info prot/schema/prefer_omit_to_empty", "info prot/schema/additionalProperties",
                                   "info prot/unregister/unknown", "info prot/unregister/inactive"));
}

TEST_F(CheckerTest, AnEmptySchemaGetsNoData) {
  Make(R"({"a":{}})");
  Say("startup");
  Say("actions/register", R"({"actions":[{"name":"a","description":"d","schema":{}}]})");
  scheduler_.Advance(milliseconds(100));
  EXPECT_THAT(sent_, ElementsAre(R"({"command":"action","data":{"id":"t-1","name":"a"}})"));
}

TEST_F(CheckerTest, AdviceNeverFailsARun) {
  CheckerOptions options;
  options.fail_on_warn = true;
  options.id_prefix = "t-";
  checker_ = std::make_unique<Checker>(std::move(options), scheduler_, *this);
  checker_->Start("ws://127.0.0.1:8000");
  checker_->OnConnected("127.0.0.1");
  Say("startup");
  Register("a");
  Say("context", R"({"message":" ","silent":true})");
  checker_->OnClosed({.code = 1000, .cause = Cause::kPeer});
  EXPECT_THAT(Findings(), ElementsAre("warn perf/context/empty"));
  EXPECT_EQ(checker_->result().exit_code, 0);
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
  EXPECT_THAT(Findings(), ElementsAre("warn prot/field/misspelt"));
  EXPECT_THAT(LastLine(), HasSubstr("takes precedence"));
  EXPECT_THAT(checker_->ActionsStore(), IsEmpty());
}

TEST_F(CheckerTest, KeywordsOfFormerDraftsAreKnown) {
  Make("{}");
  Say("startup");
  Say("actions/register",
      R"({"actions":[{"name":"a","description":"d","schema":{"type":"object","$recursiveAnchor":true,"definitions":{},)"
      R"("properties":{"x":{"$recursiveRef":"#"}}}}]})");
  EXPECT_THAT(Findings(), ElementsAre("warn prot/schema/unsupported_keywords")) << "known, but discouraged";
}

}  // namespace
}  // namespace openseat::checker

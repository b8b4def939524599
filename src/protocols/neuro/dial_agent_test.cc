#include "protocols/neuro/dial_agent.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "net/fake_socket.h"
#include "testing/fake_scheduler.h"
#include "testing/memory_journal.h"

namespace openseat::neuro {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// A seat whose agent dials out, and the backend that it reaches.
class DialAgentTest : public ::testing::Test, public SeatHost {
 protected:
  void OnChoice(Seat&, const PendingChoice& choice) override { choices_.push_back(choice); }
  void OnDecisionEnded(Seat&, DecisionId, DecisionEnd end) override { ends_.emplace_back(DecisionEndName(end)); }
  void OnRefused(Seat&, const Choice&, const Error&) override {}

  void SetUp() override {
    seat_.SetBriefing({"Tic-Tac-Toe", "Three in a row wins."});
    Sit({});
  }
  void Sit(DialAgentOptions options) {
    options.url = "ws://backend/?key=secret";
    dials_.clear();
    socket_.reset();
    seat_.SetAgent(std::make_unique<DialAgent>(
        options, [this](Scheduler&, const std::string& url, std::unique_ptr<net::WebSocketSession> session,
                        std::function<void(Error)> failed) {
          EXPECT_EQ(url, "ws://backend/?key=secret");
          dials_.push_back({std::move(session), std::move(failed)});
        }));
    scheduler_.Run();
  }
  // The backend accepts the connection, or not.
  void Accept() {
    ASSERT_FALSE(dials_.empty());
    session_ = std::move(dials_.back().session);
    dials_.clear();
    socket_ = std::make_shared<net::FakeSocket>(scheduler_, ++sockets_);
    session_->OnOpen(socket_);
    scheduler_.Run();
  }
  void Refuse() {
    const auto failed = std::move(dials_.back().failed);
    dials_.clear();
    failed({ErrorCode::kIo, "nobody listens", {}});
    scheduler_.Run();
  }
  void Break() {
    session_->OnClosed({.code = net::close_code::kAbnormal});
    session_.reset();
    scheduler_.Run();
  }
  std::vector<std::string> Say(std::string_view text) {
    session_->OnText(text);
    scheduler_.Run();
    return socket_->Take();
  }
  std::vector<std::string> Act(std::string_view id, std::string_view name, std::string_view data = {}) {
    std::string text =
        R"({"command":"action","data":{"id":")" + std::string(id) + R"(","name":")" + std::string(name) + '"';
    if (!data.empty()) {
      text += ",\"data\":";
      json::WriteString(data, text);
    }
    return Say(text + "}}");
  }
  std::vector<std::string> Sent() {
    scheduler_.Run();
    return socket_->Take();
  }
  std::vector<std::string> Settle(Verdict::Kind kind, std::string message = {}) {
    Verdict verdict;
    verdict.kind = kind;
    verdict.message = std::move(message);
    seat_.Settle(choices_.back().id, verdict);
    return Sent();
  }
  static ActionPtr MakeAction(std::string name, const char* schema = nullptr) {
    auto action = std::make_shared<Action>();
    action->name = std::move(name);
    action->description = "Does it";
    if (schema != nullptr) {
      action->schema = *json::Parse(schema);
    }
    return action;
  }
  void Ask(std::optional<Duration> limit = std::nullopt) {
    Decision decision;
    decision.query = "Your turn.";
    decision.sight = std::make_shared<Sight>("The board is empty.");
    decision.ephemeral = true;
    decision.priority = Priority::kHigh;
    decision.time_limit = limit;
    decision.actions.Put(
        MakeAction("move", R"({"type":"object","properties":{"cell":{"enum":[1,2]}},"required":["cell"],
                             "additionalProperties":false})"));
    decision.actions.Put(MakeAction("pass"));
    seat_.Ask(std::move(decision));
    scheduler_.Run();
  }

  void AskWhileConnecting(bool early);

  static constexpr char kStartup[] = R"({"command":"startup","game":"Tic-Tac-Toe"})";
  static constexpr char kBriefing[] =
      R"({"command":"context","game":"Tic-Tac-Toe","data":{"message":"Three in a row wins.","silent":true}})";
  static constexpr char kRegister[] =
      R"({"command":"actions/register","game":"Tic-Tac-Toe","data":{"actions":[{"name":"move","description":"Does it",)"
      R"("schema":{"type":"object","properties":{"cell":{"enum":[1,2]}},"required":["cell"]}},)"
      R"({"name":"pass","description":"Does it"}]}})";
  static constexpr char kForce[] =
      R"({"command":"actions/force","game":"Tic-Tac-Toe","data":{"state":"The board is empty.","query":"Your turn.",)"
      R"("ephemeral_context":true,"priority":"high","action_names":["move","pass"]}})";
  static constexpr char kUnregister[] =
      R"({"command":"actions/unregister","game":"Tic-Tac-Toe","data":{"action_names":["move","pass"]}})";
  static std::string Result(std::string_view id, bool success, std::string_view message = {}) {
    std::string text = R"({"command":"action/result","game":"Tic-Tac-Toe","data":{"id":")" + std::string(id) +
                       R"(","success":)" + (success ? "true" : "false");
    if (!message.empty()) {
      text += ",\"message\":";
      json::WriteString(message, text);
    }
    return text + "}}";
  }

  struct Dialed {
    std::unique_ptr<net::WebSocketSession> session;
    std::function<void(Error)> failed;
  };
  testing::FakeScheduler scheduler_;
  testing::MemoryJournal journal_;
  Transcript transcript_{journal_, scheduler_, TableId("table")};
  std::vector<Dialed> dials_;
  std::unique_ptr<net::WebSocketSession> session_;
  std::shared_ptr<net::FakeSocket> socket_;
  std::uint64_t sockets_ = 0;
  std::vector<PendingChoice> choices_;
  std::vector<std::string> ends_;
  Seat seat_{0, "Alex", *this, scheduler_, transcript_, SeatRules{}};
};

TEST_F(DialAgentTest, ATurnFromTheStartupToTheResult) {
  Accept();
  EXPECT_THAT(Sent(), ElementsAre(kStartup, kBriefing));
  Ask();
  EXPECT_THAT(Sent(), ElementsAre(kRegister, kForce));
  EXPECT_THAT(Act("1", "move", R"({"cell": 2})"), IsEmpty()) << "the verdict is not in yet";
  ASSERT_EQ(choices_.size(), 1u);
  EXPECT_EQ(choices_[0].choice.action, "move");
  EXPECT_EQ(json::Write(choices_[0].choice.data), R"({"cell":2})");
  EXPECT_EQ(choices_[0].agent, "neuro");
  EXPECT_THAT(Settle(Verdict::Kind::kAccepted), ElementsAre(Result("1", true), kUnregister));
  Ask();
  EXPECT_THAT(Sent(), ElementsAre(kRegister, kForce)) << "the next turn is the same";
}

TEST_F(DialAgentTest, WhatIsWrongIsSaidAndTheBackendTriesAgain) {
  Accept();
  Ask();
  Sent();
  EXPECT_THAT(Act("1", "fly"), ElementsAre(Result("1", false, R"(The action must be move or pass; got "fly".)")));
  EXPECT_THAT(Act("2", "move", R"({"cell":9})"),
              ElementsAre(HasSubstr(R"("id":"2","success":false,"message":"The data of)")));
  EXPECT_THAT(Act("3", "move", "{oops"),
              ElementsAre(HasSubstr(R"("success":false,"message":"The data must be JSON, and is not)")));
  Act("4", "pass");
  EXPECT_THAT(Act("5", "pass"), ElementsAre(HasSubstr("still awaits its result")));
  EXPECT_THAT(Settle(Verdict::Kind::kRefused, "passing is not allowed"),
              ElementsAre(Result("4", false, "Passing is not allowed.")));
  Act("6", "move", R"({"cell":1})");
  EXPECT_THAT(Settle(Verdict::Kind::kAccepted), ElementsAre(Result("6", true), kUnregister));
  EXPECT_THAT(Act("7", "pass"), ElementsAre(HasSubstr("There is no action to choose now")))
      << "and outside of its turn it is told so";
}

TEST_F(DialAgentTest, ABackendThatIsWrongForEverIsGivenUp) {
  Accept();
  Ask();
  for (int i = 0; i < 5; ++i) Act(std::to_string(i), "move", "{}");
  EXPECT_THAT(ends_, ElementsAre("gave-up"));
  EXPECT_EQ(socket_->Take(), std::vector<std::string>{});
  ends_.clear();
  Ask();
  Sent();
  for (int i = 0; i < 4; ++i)
    EXPECT_THAT(Act(std::to_string(i), "move", "no JSON"), ElementsAre(HasSubstr("must be JSON")));
  EXPECT_THAT(Act("4", "move", "no JSON"), ElementsAre(HasSubstr("must be JSON"), kUnregister));
  EXPECT_THAT(ends_, ElementsAre("gave-up"));
}

TEST_F(DialAgentTest, ARefusedBackendThatGoesSilentIsForcedAgain) {
  Accept();
  Ask();
  Sent();
  scheduler_.Advance(seconds(300));
  EXPECT_THAT(Sent(), IsEmpty()) << "as long as it has not answered, its force is open";
  Act("1", "pass");
  Settle(Verdict::Kind::kRefused, "not now");
  scheduler_.Advance(seconds(59));
  EXPECT_THAT(Sent(), IsEmpty());
  scheduler_.Advance(seconds(1));
  EXPECT_THAT(Sent(), ElementsAre(HasSubstr(R"("query":"Your turn. Your last choice was refused: Not now.")")));
  scheduler_.Advance(seconds(300));
  EXPECT_THAT(Sent(), IsEmpty());
}

TEST_F(DialAgentTest, AfterALostConnectionEverythingIsSaidAnew) {
  Accept();
  Ask();
  Sent();
  Break();
  seat_.Tell({.message = "Sam has moved.", .silent = true});
  scheduler_.Run();
  EXPECT_THAT(dials_, IsEmpty());
  scheduler_.Advance(milliseconds(250));
  ASSERT_EQ(dials_.size(), 1u);
  Accept();
  EXPECT_THAT(Sent(), ElementsAre(kStartup, kBriefing, HasSubstr("Sam has moved."), kRegister, kForce));
  Act("1", "pass");
  EXPECT_THAT(Settle(Verdict::Kind::kAccepted), ElementsAre(Result("1", true), kUnregister));
}

TEST_F(DialAgentTest, TheNewestContextsAreKeptWhileThereIsNoConnection) {
  Accept();
  Ask();
  Sent();
  Break();
  for (int n = 1; n <= 40; ++n) seat_.Tell({.message = "News " + std::to_string(n) + '.', .silent = true});
  scheduler_.Run();
  scheduler_.Advance(milliseconds(250));
  Accept();
  const std::vector<std::string> sent = Sent();
  ASSERT_EQ(sent.size(), 36u) << "startup, briefing, 32 contexts, register, force";
  EXPECT_THAT(sent[2], HasSubstr("News 9."));
  EXPECT_THAT(sent[33], HasSubstr("News 40."));
}

TEST_F(DialAgentTest, WhatWasToldBeforeTheQuestionComesBeforeIt) {
  // The connection opens before both, or while both are on their way to the agent.
  for (const bool early : {true, false}) {
    SCOPED_TRACE(early);
    Sit({});
    AskWhileConnecting(early);
  }
}

void DialAgentTest::AskWhileConnecting(bool early) {
  ASSERT_FALSE(dials_.empty());
  session_ = std::move(dials_.back().session);
  socket_ = std::make_shared<net::FakeSocket>(scheduler_, ++sockets_);
  if (early) session_->OnOpen(socket_);
  seat_.Tell({.message = "The match begins.", .silent = true});
  Decision decision;
  decision.query = "Your turn.";
  decision.actions.Put(MakeAction("pass"));
  seat_.Ask(std::move(decision));
  if (!early) session_->OnOpen(socket_);
  const std::vector<std::string> sent = Sent();
  ASSERT_GE(sent.size(), 2u);
  EXPECT_THAT(sent.back(), HasSubstr("actions/force"));
  EXPECT_THAT(sent, ::testing::Contains(HasSubstr("The match begins.")));
  EXPECT_EQ(std::ranges::count_if(sent, [](const std::string& text) { return text.find("force") != text.npos; }), 1);
}

TEST_F(DialAgentTest, TheVerdictOfAChoiceWhoseConnectionIsGoneIsNotToldToTheNext) {
  Accept();
  Ask();
  Sent();
  Act("1", "pass");
  Break();
  scheduler_.Advance(milliseconds(250));
  Accept();
  EXPECT_THAT(Sent(), ElementsAre(kStartup, kBriefing, kRegister)) << "a choice is under way";
  EXPECT_THAT(Settle(Verdict::Kind::kRefused, "not now"),
              ElementsAre(HasSubstr(R"("query":"Your turn. Your last choice was refused: Not now.")")));
  Act("2", "pass");
  Break();
  scheduler_.Advance(milliseconds(500));
  Accept();
  Sent();
  EXPECT_THAT(Settle(Verdict::Kind::kAccepted), ElementsAre(kUnregister));
}

TEST_F(DialAgentTest, ItConnectsAgainMoreAndMoreSlowly) {
  int dials = 0;
  std::vector<int> by_minute;
  for (int minute = 0; minute < 4; ++minute) {
    for (int tick = 0; tick < 600; ++tick) {
      if (!dials_.empty()) {
        ++dials;
        Refuse();
      }
      scheduler_.Advance(milliseconds(100));
    }
    by_minute.push_back(std::exchange(dials, 0));
  }
  EXPECT_THAT(by_minute[0], ::testing::AllOf(::testing::Ge(7), ::testing::Le(13)));
  for (int minute = 1; minute < 4; ++minute) {
    EXPECT_THAT(by_minute[static_cast<std::size_t>(minute)], ::testing::AllOf(::testing::Ge(1), ::testing::Le(4)));
  }
  // A backend that accepts connections but sends nothing does not count as back; one that sends something does.
  scheduler_.Advance(seconds(30));
  Accept();
  Say(R"({"command":"startup","data":{"session":{"sessionId":"s","characterId":"c","displayName":"d"}}})");
  Break();
  scheduler_.Advance(milliseconds(250));
  EXPECT_EQ(dials_.size(), 1u);
}

TEST_F(DialAgentTest, ASeatWhoseBackendIsOutOfReachForTooLongIsGivenUp) {
  Ask();
  scheduler_.Advance(seconds(30));
  Refuse();
  scheduler_.Advance(seconds(29));
  EXPECT_THAT(ends_, IsEmpty());
  scheduler_.Advance(seconds(1));
  EXPECT_THAT(ends_, ElementsAre("gave-up"));
  ends_.clear();
  Sit({.url = {}, .game = {}, .patience = Duration(0)});
  Ask();
  scheduler_.Advance(std::chrono::hours(24));
  EXPECT_THAT(ends_, IsEmpty()) << "unless it may wait forever";
}

TEST_F(DialAgentTest, ABackendThatComesBackInTimeIsNotGivenUp) {
  Ask();
  scheduler_.Advance(seconds(59));
  Accept();
  scheduler_.Advance(seconds(600));
  EXPECT_THAT(ends_, IsEmpty());
  Break();
  scheduler_.Advance(seconds(59));
  EXPECT_THAT(ends_, IsEmpty());
}

TEST_F(DialAgentTest, ABackendThatNeverAnswersRunsIntoTheTimeLimit) {
  Accept();
  Ask(seconds(10));
  Sent();
  scheduler_.Advance(seconds(10));
  EXPECT_THAT(ends_, ElementsAre("timed-out"));
  EXPECT_THAT(Sent(), ElementsAre(kUnregister)) << "which ends its force";
}

TEST_F(DialAgentTest, ADecisionThatSomebodyElseSettlesEndsTheForce) {
  Accept();
  Ask();
  Sent();
  Choice choice;
  choice.action = "pass";
  choice.by = "console";
  ASSERT_TRUE(seat_.Choose(choice).has_value());
  EXPECT_THAT(Settle(Verdict::Kind::kAccepted), ElementsAre(kUnregister));
}

TEST_F(DialAgentTest, ADecisionThatIsReplacedIsForcedAnew) {
  Accept();
  Ask();
  Sent();
  Ask();
  EXPECT_THAT(Sent(), ElementsAre(kUnregister, kRegister, kForce));
}

TEST_F(DialAgentTest, ActionsOutsideOfDecisionsComeAndGo) {
  Accept();
  Sent();
  seat_.AddAction(MakeAction("Wave!"));
  seat_.AddAction(MakeAction("bid", R"({"type":"integer"})"));
  EXPECT_THAT(Sent(), ElementsAre(HasSubstr(R"("actions":[{"name":"wave","description":"Does it"},{"name":"bid")")));
  EXPECT_THAT(Act("1", "wave"), IsEmpty());
  EXPECT_EQ(choices_.back().choice.action, "Wave!");
  EXPECT_THAT(Settle(Verdict::Kind::kAccepted, "They wave back."), ElementsAre(Result("1", true, "They wave back.")));
  Act("2", "bid", R"({"value":3})");
  EXPECT_EQ(choices_.back().choice.data, json::Value(3));
  EXPECT_THAT(Settle(Verdict::Kind::kTimedOut),
              ElementsAre(HasSubstr(R"("success":true,"message":"The game did not say)")));
  seat_.RemoveAction("Wave!");
  EXPECT_THAT(Sent(), ElementsAre(HasSubstr(R"("action_names":["wave"])")));
  EXPECT_THAT(Say(R"({"command":"actions/reregister_all"})"), ElementsAre(HasSubstr(R"("actions":[{"name":"bid")")));
}

TEST_F(DialAgentTest, WhatABackendMaySayElseChangesNothing) {
  Accept();
  Ask();
  Sent();
  EXPECT_THAT(Say("nonsense"), IsEmpty());
  EXPECT_THAT(Say(R"({"command":"vendor/dance"})"), IsEmpty());
  EXPECT_THAT(Say(R"({"command":"speech_finished","data":{"isFinal":true}})"), IsEmpty());
  EXPECT_THAT(Say(R"({"command":"action","data":{"name":"pass"}})"), IsEmpty());
  EXPECT_THAT(Say(R"({"command":"shutdown/graceful","data":{"wants_shutdown":true}})"), IsEmpty());
  session_->OnBinary(R"({"command":"action","data":{"id":"1","name":"pass"}})");
  EXPECT_EQ(choices_.size(), 1u);
}

TEST_F(DialAgentTest, WhatIsTooLongForABackendIsCut) {
  constexpr std::size_t kMost = 1u << 20;
  Accept();
  Sent();
  seat_.Tell({.message = std::string(4u << 20, '\x7F'), .silent = true});
  std::vector<std::string> sent = Sent();
  ASSERT_EQ(sent.size(), 1u);
  EXPECT_LT(sent[0].size(), kMost);
  EXPECT_THAT(sent[0], HasSubstr(R"(\u2026","silent":true)"));
  Decision decision;
  decision.query = "Your turn.";
  decision.sight = std::make_shared<Sight>(std::string(500'000, '\x7F'));
  auto wordy = std::make_shared<Action>();
  wordy->name = "wordy";
  wordy->description = std::string(400'000, '\x7F');
  decision.actions.Put(std::move(wordy));
  decision.actions.Put(MakeAction("pass"));
  seat_.Ask(decision);
  sent = Sent();
  ASSERT_EQ(sent.size(), 2u);
  EXPECT_THAT(sent[0], HasSubstr(R"("actions":[{"name":"pass",)"));
  EXPECT_LT(sent[1].size(), kMost);
  EXPECT_THAT(sent[1], HasSubstr(R"("action_names":["pass"])"));
  Act("1", "pass");
  EXPECT_THAT(Settle(Verdict::Kind::kAccepted, std::string(4u << 20, 'x')),
              ElementsAre(HasSubstr(R"("success":true)"), HasSubstr(R"("action_names":["pass"])")));
  // Nothing that it could choose fits.
  decision.actions.Remove("pass");
  seat_.Ask(std::move(decision));
  EXPECT_THAT(Sent(), IsEmpty());
  EXPECT_EQ(ends_.back(), "gave-up");
}

TEST_F(DialAgentTest, ManyActionsAreRegisteredInPieces) {
  Accept();
  Sent();
  Decision decision;
  decision.query = "Your turn.";
  decision.sight = Sight::None();
  for (int i = 0; i < 40; ++i) {
    auto action = std::make_shared<Action>();
    action->name = "a" + std::to_string(i);
    action->description = std::string(100'000, 'x');
    decision.actions.Put(std::move(action));
  }
  seat_.Ask(std::move(decision));
  const std::vector<std::string> sent = Sent();
  ASSERT_EQ(sent.size(), 3u) << "two pieces, and the force";
  EXPECT_LE(std::max(sent[0].size(), sent[1].size()), std::size_t{1} << 20);
  EXPECT_THAT(sent[2], HasSubstr(R"("a19"])")) << "more would be too much";
}

TEST_F(DialAgentTest, ABackendIsToldEverythingAgainOnceASecond) {
  Accept();
  Ask();
  Sent();
  constexpr char kAgain[] = R"({"command":"actions/reregister_all"})";
  EXPECT_THAT(Say(kAgain), ElementsAre(kRegister));
  EXPECT_THAT(Say(kAgain), IsEmpty());
  EXPECT_THAT(Say(kAgain), IsEmpty());
  scheduler_.Advance(seconds(1));
  EXPECT_THAT(Sent(), ElementsAre(kRegister));
  scheduler_.Advance(seconds(2));
  EXPECT_THAT(Sent(), IsEmpty());
}

TEST_F(DialAgentTest, TheEndOfTheGameEndsTheConnection) {
  Accept();
  Ask();
  Sent();
  seat_.Tell({.message = "The match is over.", .silent = false});
  seat_.End();
  EXPECT_THAT(Sent(), ElementsAre(HasSubstr("The match is over."), kUnregister));
  EXPECT_EQ(socket_->closed_with, net::close_code::kNormal);
  session_->OnClosed({});
  scheduler_.Advance(seconds(600));
  EXPECT_THAT(dials_, IsEmpty());
}

TEST_F(DialAgentTest, ATableThatIsOverIsNotDialedFor) {
  seat_.SetAgent(nullptr);
  seat_.SetAgent(std::make_unique<DialAgent>(DialAgentOptions{.url = "ws://backend", .game = {}},
                                             [](Scheduler&, const std::string&, std::unique_ptr<net::WebSocketSession>,
                                                const std::function<void(Error)>&) { FAIL() << "it dialed"; }));
  seat_.End();
  scheduler_.Advance(seconds(600));
}

TEST_F(DialAgentTest, AGracefulShutdownWaitsForTheEndOfTheGame) {
  Accept();
  Say(R"({"command":"shutdown/graceful","data":{"wants_shutdown":true}})");
  EXPECT_EQ(socket_->closed_with, 0);
  seat_.End();
  EXPECT_THAT(Sent(), ElementsAre(R"({"command":"shutdown/ready","game":"Tic-Tac-Toe"})"));
  EXPECT_EQ(socket_->closed_with, net::close_code::kNormal);

  Sit({});
  Accept();
  Say(R"({"command":"shutdown/graceful","data":{"wants_shutdown":true}})");
  Say(R"({"command":"shutdown/graceful","data":{"wants_shutdown":false}})");
  Sent();
  seat_.End();
  EXPECT_THAT(Sent(), IsEmpty());
}

TEST_F(DialAgentTest, AnImmediateShutdownLeavesTheGame) {
  Accept();
  Ask();
  Sent();
  EXPECT_THAT(Say(R"({"command":"shutdown/immediate"})"),
              ElementsAre(R"({"command":"shutdown/ready","game":"Tic-Tac-Toe"})", kUnregister));
  EXPECT_EQ(socket_->closed_with, net::close_code::kNormal);
  EXPECT_THAT(ends_, ElementsAre("gave-up"));
  ends_.clear();
  Ask();
  EXPECT_THAT(ends_, ElementsAre("gave-up"));
  scheduler_.Advance(seconds(600));
  EXPECT_THAT(dials_, IsEmpty());
}

TEST_F(DialAgentTest, AnAgentThatIsReplacedLeavesPolitely) {
  Accept();
  Ask();
  Sent();
  seat_.SetAgent(nullptr);
  EXPECT_THAT(socket_->Take(), ElementsAre(kUnregister));
  EXPECT_EQ(socket_->closed_with, net::close_code::kNormal);
  session_->OnText(R"({"command":"action","data":{"id":"1","name":"pass"}})");
  EXPECT_THAT(choices_, IsEmpty());
  session_->OnClosed({});

  Sit({});
  seat_.SetAgent(nullptr);
  Accept();
  EXPECT_THAT(socket_->Take(), IsEmpty()) << "a connection that comes too late";
  EXPECT_EQ(socket_->closed_with, net::close_code::kNormal);
}

TEST_F(DialAgentTest, TheGameMayHaveAnotherName) {
  Sit({.url = {}, .game = "My Game"});
  Accept();
  EXPECT_THAT(Sent().front(), R"({"command":"startup","game":"My Game"})");
}

TEST(DialAgentOptions, AreCheckedWhenTheyAreGiven) {
  const AgentKinds kinds({DialKind()});
  const auto parse = [&kinds](const char* text) -> Result<DialAgentOptions> {
    const AgentSpec spec{"neuro", json::Parse(text)->as_object()};
    if (Result<void> fits = kinds.Check(spec, Namer::kAdmin); !fits) return Fail(fits.error());
    return ReadDialAgentOptions(spec.options);
  };
  const auto options =
      parse(R"({"url":"wss://neuro.example:8000/x?k=1","game":"G","patience_ms":0,"force_again_ms":5})");
  ASSERT_TRUE(options.has_value()) << options.error().message;
  EXPECT_EQ(options->url, "wss://neuro.example:8000/x?k=1");
  EXPECT_EQ(options->patience, Duration(0));
  EXPECT_EQ(options->force_again, milliseconds(5));
  for (const char* wrong :
       {"{}", R"({"url":""})", R"({"url":7})", R"({"url":"http://x"})", R"({"url":"ws://"})", R"({"url":"ws://u@x"})",
        R"({"url":"file:///etc/passwd"})", R"({"url":"ws://x y"})", R"({"url":"ws://x:0"})"}) {
    const auto refused = parse(wrong);
    ASSERT_FALSE(refused.has_value()) << wrong;
    EXPECT_EQ(refused.error().code, ErrorCode::kInvalid) << wrong;
    EXPECT_EQ(refused.error().path, "url") << wrong;
  }
  EXPECT_EQ(parse(R"({"url":"ws://x","patience":1})").error().path, "patience");
  EXPECT_EQ(parse(R"({"url":"ws://x","patience_ms":-1})").error().path, "patience_ms");
  EXPECT_EQ(parse(R"({"url":"ws://x","force_again_ms":0})").error().path, "force_again_ms");
}

}  // namespace
}  // namespace openseat::neuro

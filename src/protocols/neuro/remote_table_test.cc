#include "protocols/neuro/remote_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "protocols/neuro/codec.h"
#include "protocols/neuro/fake_game.h"
#include "testing/fake_scheduler.h"
#include "testing/memory_journal.h"

namespace openseat::neuro {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

class RemoteTableTest : public ::testing::Test {
 protected:
  void SetUp() override { Make({}); }

  // If `limits` is null, there is no payer.
  void Make(const NeuroOptions& options, const PeerLimits* limits = nullptr) {
    table_.reset();
    budget_.reset();
    profiles_.all.front() = options;
    if (limits != nullptr)
      budget_ = std::make_unique<Budget>(BudgetLimits{.others = {}, .loopback = *limits}, &metrics_);
    const std::shared_ptr<Payer> payer = budget_ ? budget_->PayerOf("127.0.0.1", Instant()) : nullptr;
    table_ = std::make_unique<RemoteTable>(TableId("game-" + std::to_string(++tables_)), "Game", profiles_, agents_,
                                           scheduler_, journal_, payer, &counts_);
    Connect();
  }
  void Connect() {
    socket_ = std::make_shared<FakeSocket>(scheduler_, ++sockets_);
    table_->Attach(std::make_unique<Link>(socket_, scheduler_), scheduler_.clock().Monotonic());
    scheduler_.Run();
  }
  void Drop() { End({.code = net::close_code::kGoingAway, .cause = net::Closing::Cause::kLost}); }
  void Quit() { End({.code = net::close_code::kNormal}); }
  void End(const net::Closing& closing) {
    table_->Detach(socket_->id(), closing);
    scheduler_.Run();
  }
  void Say(std::string_view command, std::string_view data = {}) {
    std::string text = R"({"command":")" + std::string(command) + R"(","game":"Game")";
    if (!data.empty()) text += R"(,"data":)" + std::string(data);
    text += '}';
    bool first = true;
    for (const Decoded& decoded : DecodeClient(text)) table_->OnMessage(text, decoded, std::exchange(first, false));
    scheduler_.Run();
  }
  void Begin() {
    Say("startup");
    Say("actions/register", R"({"actions":[
        {"name":"move","description":"Moves","schema":{"type":"object","properties":{"x":{"type":"integer"}},"required":["x"],"additionalProperties":false}},
        {"name":"pass","description":"Passes"}]})");
    socket_->Take();
  }
  void Force(std::string_view names = R"(["move","pass"])", std::string_view more = {}) {
    Say("actions/force",
        R"({"query":"Your turn","state":"board","action_names":)" + std::string(names) + std::string(more) + "}");
  }
  void Choose(std::string action, const char* data = nullptr) {
    Choice choice;
    choice.action = std::move(action);
    if (data != nullptr) choice.data = *json::Parse(data);
    ASSERT_TRUE(table_->seat(0).Choose(std::move(choice)).has_value());
    scheduler_.Run();
  }
  // The id of the action that was sent last.
  std::string SentId() {
    const json::Value sent = *json::Parse(socket_->sent.back());
    return sent.at("data").at("id").as_string().c_str();
  }
  // Of the last action; she may have said something after it.
  std::string SentIdOfAction() {
    for (auto sent = socket_->sent.rbegin(); sent != socket_->sent.rend(); ++sent) {
      const json::Value message = *json::Parse(*sent);
      if (message.at("command") == "action") return message.at("data").at("id").as_string().c_str();
    }
    return {};
  }
  void Result(const std::string& id, bool success, std::string_view message = "m") {
    Say("action/result", R"({"id":")" + id + R"(","success":)" + (success ? "true" : "false") + R"(,"message":")" +
                             std::string(message) + R"("})");
  }
  std::string Message(std::size_t diagnostic) {
    return table_->Diagnostics().at(diagnostic).at("message").as_string().c_str();
  }
  // Without advice on results, which here are short.
  std::vector<std::string> Keys() {
    std::vector<std::string> keys;
    for (const json::Value& entry : table_->Diagnostics()) {
      std::string key = entry.at("key").as_string().c_str();
      if (!key.starts_with("perf/result/")) keys.push_back(std::move(key));
    }
    return keys;
  }

  testing::FakeScheduler scheduler_;
  testing::MemoryJournal journal_;
  Metrics metrics_;
  std::unique_ptr<Budget> budget_;
  NeuroMetrics counts_{metrics_};
  NeuroProfiles profiles_;
  FakePlayer::Log player_;
  FakePlayer::Log named_;
  const RemoteAgents agents_{.by_default = [this](const std::string&) { return std::make_unique<FakePlayer>(player_); },
                             .make = [this](const AgentSpec& spec) -> openseat::Result<std::unique_ptr<Agent>> {
                               if (spec.kind != "named")
                                 return Fail(ErrorCode::kInvalid, "there is no such agent", "kind");
                               return std::make_unique<FakePlayer>(named_);
                             }};
  std::unique_ptr<RemoteTable> table_;
  std::shared_ptr<FakeSocket> socket_;
  std::uint64_t sockets_ = 0;
  int tables_ = 0;
};

// {"type":"object","properties":{...}} with this many properties.
std::string LargeSchema(int properties) {
  std::string out = R"({"type":"object","properties":{)";
  for (int i = 0; i < properties; ++i) {
    out +=
        (i == 0 ? "\"p" : ",\"p") + std::to_string(i) + R"(":{"type":"integer","minimum":)" + std::to_string(i) + "}";
  }
  return out + R"(},"additionalProperties":false})";
}

TEST_F(RemoteTableTest, WhatIsLongToCheckIsCheckedElsewhereAndTheRestWaitsInOrder) {
  Begin();
  // Nothing runs between these, as in one read of the socket.
  const auto say = [&](const std::string& text) {
    for (const Decoded& decoded : DecodeClient(text)) table_->OnMessage(text, decoded, true);
  };
  say(R"({"command":"actions/register","game":"Game","data":{"actions":[{"name":"small","description":"d"},
      {"name":"large","description":"d","schema":)" +
      LargeSchema(5'000) + R"(},{"name":"after","description":"d"}]}})");
  EXPECT_NE(table_->seat(0).actions().Find("small"), nullptr);
  EXPECT_EQ(table_->seat(0).actions().Find("large"), nullptr) << "not on this thread";
  say(R"({"command":"actions/unregister","game":"Game","data":{"action_names":["small"]}})");
  say(R"({"command":"actions/force","game":"Game","data":{"query":"q","action_names":["large","after"]}})");
  EXPECT_NE(table_->seat(0).actions().Find("small"), nullptr) << "what came later waits";
  scheduler_.Run();
  EXPECT_EQ(table_->seat(0).actions().Find("small"), nullptr);
  EXPECT_NE(table_->seat(0).actions().Find("large")->compiled(), nullptr);
  ASSERT_EQ(player_.decisions.size(), 1u);
  EXPECT_EQ(player_.decisions[0].actions.Names(), "large or after");
  EXPECT_THAT(Keys(), Not(Contains("perf/schema/costly")));
  EXPECT_THAT(Keys(), Not(Contains("prot/force/some_invalid")));
}

TEST_F(RemoteTableTest, ManyActionsAreRegisteredInSeveralTurns) {
  PeerLimits limits = PeerLimits::Loopback();
  limits.max_actions = 5'000;
  Make({}, &limits);
  Begin();
  std::string actions;
  for (int i = 0; i < 2'000; ++i) {
    actions += std::string(i == 0 ? "" : ",") + R"({"name":"a)" + std::to_string(i) + R"(","description":"d"})";
  }
  const auto say = [&](const std::string& text) {
    for (const Decoded& decoded : DecodeClient(text)) table_->OnMessage(text, decoded, true);
  };
  say(R"({"command":"actions/register","game":"Game","data":{"actions":[)" + actions + "]}}");
  say(R"({"command":"actions/unregister","game":"Game","data":{"action_names":["a1999"]}})");
  EXPECT_LT(table_->seat(0).actions().size(), 1'500u) << "not all in one turn";
  scheduler_.Run();
  EXPECT_EQ(table_->seat(0).actions().size(), 2'001u);
  EXPECT_EQ(table_->seat(0).actions().Find("a1999"), nullptr) << "what came later came later";
  EXPECT_THAT(Keys(), Not(Contains("perf/register/identical_duplicate")));
}

TEST_F(RemoteTableTest, WhoeverSaysTooMuchMeanwhileIsCutOff) {
  Begin();
  const auto say = [&](const std::string& text) {
    for (const Decoded& decoded : DecodeClient(text)) table_->OnMessage(text, decoded, true);
  };
  say(R"({"command":"actions/register","game":"Game","data":{"actions":[
      {"name":"large","description":"d","schema":)" +
      LargeSchema(5'000) + "}]}}");
  const std::string context =
      R"({"command":"context","game":"Game","data":{"message":")" + std::string(1u << 20, 'x') + R"("}})";
  for (int i = 0; i < 10; ++i) say(context);
  scheduler_.Run();
  EXPECT_EQ(socket_->closed_with, net::close_code::kPolicy);
  EXPECT_NE(table_->seat(0).actions().Find("large"), nullptr);
}

TEST_F(RemoteTableTest, AConnectionThatIsReplacedIsNotHeardAnyMore) {
  Begin();
  const auto say = [&](const std::string& text) {
    for (const Decoded& decoded : DecodeClient(text)) table_->OnMessage(text, decoded, true);
  };
  say(R"({"command":"actions/register","game":"Game","data":{"actions":[
      {"name":"large","description":"d","schema":)" +
      LargeSchema(5'000) + "}]}}");
  say(R"({"command":"actions/force","game":"Game","data":{"query":"q","action_names":["large"]}})");
  table_->Detach(socket_->id(), {.code = net::close_code::kGoingAway});
  Connect();
  EXPECT_THAT(player_.decisions, IsEmpty());
  Begin();
  EXPECT_EQ(table_->seat(0).actions().Names(), "move or pass");
}

TEST_F(RemoteTableTest, ASchemaThatTakesTooMuchIsSaidAndItsDataIsNotChecked) {
  Begin();
  std::string chain = R"({"$defs":{"d0":{"type":"object","required":["x"]})";
  for (int i = 1; i < 40; ++i) {
    const std::string inner = R"({"$ref":"#/$defs/d)" + std::to_string(i - 1) + R"("})";
    chain += R"(,"d)" + std::to_string(i) + R"(":{"allOf":[)" + inner + "," + inner + "]}";
  }
  Say("actions/register",
      R"({"actions":[{"name":"climb","description":"d","schema":)" + chain + R"(},"$ref":"#/$defs/d39"}}]})");
  Force(R"(["climb"])");
  Choose("climb", R"({"x":1})");
  EXPECT_THAT(socket_->sent.back(), HasSubstr("climb"));
  EXPECT_THAT(Keys(), Contains("perf/schema/costly"));
}

TEST_F(RemoteTableTest, WhoTakesTheSeatMayLeaveItToTheServersAgent) {
  Begin();
  Table& table = *table_;
  std::string seated;
  const auto told = [&](const openseat::Result<SeatIndex>& taken) {
    seated = taken ? std::to_string(*taken) : std::string(ErrorCodeName(taken.error().code));
  };
  table.SeatAgent(0, "", {"unknown", {}}, told);
  EXPECT_EQ(seated, "invalid");
  const std::uint64_t server = table.seat(0).sitting();
  table.SeatAgent(0, "", {"named", {}}, told);
  EXPECT_EQ(seated, "0");
  scheduler_.Run();
  EXPECT_NE(named_.seat, nullptr);

  std::string left;
  const auto done = [&](const openseat::Result<void>& gone) {
    left = gone ? "done" : ErrorCodeName(gone.error().code);
  };
  table.Resign(0, "tired", {.sitting = server}, done);
  EXPECT_EQ(left, "closed") << "it was replaced meanwhile";
  player_.seat = nullptr;
  table.Resign(0, "tired", {.sitting = table.seat(0).sitting()}, done);
  EXPECT_EQ(left, "done");
  scheduler_.Run();
  EXPECT_NE(player_.seat, nullptr);
  EXPECT_EQ(table.outcome(), nullptr);
  EXPECT_FALSE(table.Say(0, "bye"));
}

TEST_F(RemoteTableTest, AGameIsPlayed) {
  Say("startup");
  EXPECT_EQ(
      socket_->Take(),
      std::vector<std::string>{
          R"({"command":"startup","data":{"session":{"sessionId":"game-1","characterId":"openseat","displayName":"Openseat"}}})"});
  EXPECT_EQ(table_->seat(0).briefing().game, table_->game_name());
  Begin();
  Force();
  ASSERT_EQ(player_.decisions.size(), 1u);
  EXPECT_EQ(player_.decisions[0].query, "Your turn");
  EXPECT_EQ(player_.decisions[0].sight->text(), "board");
  EXPECT_EQ(player_.decisions[0].actions.Names(), "move or pass");
  Choose("move", R"({"x":1})");
  const json::Value action = *json::Parse(socket_->sent.back());
  EXPECT_EQ(action.at("command"), json::Value("action"));
  EXPECT_EQ(action.at("data").at("name"), json::Value("move"));
  EXPECT_EQ(action.at("data").at("data"), json::Value(R"({"x":1})"));
  Result(SentId(), true, "");
  EXPECT_THAT(player_.verdicts, ElementsAre("move accepted"));
  EXPECT_EQ(table_->seat(0).decision(), nullptr);
  EXPECT_THAT(Keys(), ElementsAre("prot/startup/multiple"));  // Begin sends a second one
}

TEST_F(RemoteTableTest, AForceIsGivenUpWhenItsTimeIsUp) {
  NeuroOptions options;
  options.force_limit = seconds(30);
  Make(options);
  Begin();
  Force();
  const Time now = scheduler_.clock().Now();
  const json::Value seat = table_->Info().at("seats").at(0);
  EXPECT_EQ(seat.at("decision").at("asked"), json::Value(FormatIso8601(now)));
  EXPECT_EQ(seat.at("decision").at("deadline"), json::Value(FormatIso8601(now + seconds(30))));
  scheduler_.Advance(seconds(29));
  EXPECT_NE(table_->seat(0).decision(), nullptr);
  scheduler_.Advance(seconds(1));
  EXPECT_EQ(table_->seat(0).decision(), nullptr);
  Force();
  EXPECT_NE(table_->seat(0).decision(), nullptr) << "the game may ask again";
}

TEST_F(RemoteTableTest, AForceHasNoDeadlineUnlessOneIsSet) {
  Begin();
  Force();
  const json::Value decision = table_->Info().at("seats").at(0).at("decision");
  EXPECT_NE(json::Find(decision.as_object(), "asked"), nullptr);
  EXPECT_EQ(json::Find(decision.as_object(), "deadline"), nullptr);
}

TEST_F(RemoteTableTest, AnActionWithoutSchemaIsSentWithoutData) {
  Begin();
  Choose("pass");
  EXPECT_THAT(socket_->sent.back(), ::testing::Not(HasSubstr(R"("data":")")));
}

// The Rust SDK's unit type: a root of {"type":"null"}.
TEST_F(RemoteTableTest, AnActionWhoseSchemaIsNullIsSentWithNull) {
  Begin();
  Say("actions/register", R"({"actions":[{"name":"skip","description":"Skips","schema":{"type":"null"}}]})");
  Force(R"(["skip"])");
  Choose("skip");
  EXPECT_EQ(json::Parse(socket_->sent.back())->at("data").at("data"), json::Value("null"));
  Result(SentId(), true, "");
  EXPECT_THAT(player_.verdicts, ElementsAre("skip accepted"));
}

TEST_F(RemoteTableTest, AForceThatTheAgentCannotAnswerIsNotTheGamesFailure) {
  Begin();
  Force();
  for (int i = 0; i < 5; ++i) {
    Choice choice;
    choice.action = "move";
    EXPECT_FALSE(table_->seat(0).Choose(std::move(choice)));
    scheduler_.Run();
  }
  EXPECT_THAT(Keys(), ElementsAre("agent/invalid_choice", "agent/gave_up"));
  const std::string message(json::View(table_->Diagnostics().at(1).at("message").as_string()));
  EXPECT_THAT(message, HasSubstr("5 invalid choices"));
  EXPECT_THAT(message, HasSubstr("the property \"x\""));
  Force();
  ASSERT_TRUE(table_->seat(0).GiveUp(table_->seat(0).decision()->id, "nothing fits the schema"));
  scheduler_.Run();
  EXPECT_EQ(table_->Diagnostics().at(2).at("message"), "the agent gave the force up: nothing fits the schema");
}

TEST_F(RemoteTableTest, AForceIsGivenUpAfterAsManyAttemptsAsAreSet) {
  Make({.force_attempts = 3});
  Begin();
  Force();
  for (int i = 0; i < 3; ++i) {
    Choose("pass");
    Result(SentId(), false, "no");
  }
  EXPECT_EQ(player_.decisions.size(), 3u);
  EXPECT_EQ(player_.decisions.back().refusal, "no");
  EXPECT_TRUE(player_.decisions.back().last);
  EXPECT_THAT(Keys(), ElementsAre("prot/force/gave_up"));
  EXPECT_EQ(table_->seat(0).decision(), nullptr);
  EXPECT_EQ(counts_.given_up.value(), 1u);
}

TEST_F(RemoteTableTest, ARefusedForceIsAskedAgainEverMoreSlowly) {
  Begin();
  Force();
  std::vector<std::int64_t> pauses;
  for (std::size_t i = 1; i <= 20; ++i) {
    Choose("pass");
    Result(SentId(), false, "no");
    std::int64_t ms = 0;
    while (player_.decisions.size() == i && ms < 10'000) {
      scheduler_.Advance(milliseconds(100));
      ms += 100;
    }
    pauses.push_back(ms);
  }
  EXPECT_THAT(pauses, ElementsAre(0, 0, 0, 0, 0, 100, 200, 400, 800, 1600, 3200, 5000, 5000, 5000, 5000, 5000, 5000,
                                  5000, 5000, 5000));
  EXPECT_THAT(Keys(), ElementsAre("prot/force/refused", "prot/force/refused", "prot/force/refused"));
  EXPECT_EQ(Message(2), "the game has refused 10 choices of one force; the last refusal said: no");
  EXPECT_EQ(counts_.retries.value(), 20u);
  Choose("pass");
  Result(SentId(), true);
  EXPECT_EQ(table_->seat(0).decision(), nullptr);
}

TEST_F(RemoteTableTest, AForceThatTheAgentGaveUpIsAskedAgainLater) {
  Begin();
  Force();
  const auto give_up = [&] {
    ASSERT_TRUE(table_->seat(0).GiveUp(table_->seat(0).decision()->id, "the provider is down", {{"code", "provider"}}));
    scheduler_.Run();
  };
  give_up();
  EXPECT_EQ(Message(0), "the agent gave the force up: the provider is down; it is asked again in 5 s");
  scheduler_.Advance(seconds(5));
  ASSERT_EQ(player_.decisions.size(), 2u);
  give_up();
  scheduler_.Advance(seconds(9));
  EXPECT_EQ(player_.decisions.size(), 2u);
  scheduler_.Advance(seconds(1));
  ASSERT_EQ(player_.decisions.size(), 3u);
  EXPECT_EQ(player_.decisions.back().query, "Your turn");
  // Not if the game has gone on.
  give_up();
  Say("actions/unregister", R"({"action_names":["move","pass"]})");
  scheduler_.Advance(std::chrono::hours(1));
  EXPECT_EQ(player_.decisions.size(), 3u);
}

TEST_F(RemoteTableTest, AForceThatIsSkippedByHandIsNotAskedAgain) {
  Begin();
  Force();
  ASSERT_TRUE(table_->seat(0).GiveUp(table_->seat(0).decision()->id, "skipped"));
  scheduler_.Advance(std::chrono::hours(1));
  EXPECT_EQ(player_.decisions.size(), 1u);
}

TEST_F(RemoteTableTest, AForceThatCrossedAnUnaskedActionIsNotBlamedOnTheGame) {
  Begin();
  Choose("pass");  // unasked
  const std::string first = SentId();
  Force();  // sent before the game read the action
  Result(first, true);
  scheduler_.Run();
  EXPECT_TRUE(player_.decisions.empty()) << "the game may take that action for the answer, and go on";
  Force(R"(["pass"])");
  EXPECT_THAT(Keys(), IsEmpty());
  scheduler_.Run();
  ASSERT_EQ(player_.decisions.size(), 1u);
  EXPECT_EQ(player_.decisions[0].actions.Names(), "pass");
  Choose("pass");
  Result(SentId(), true);
  Force();
  Force();
  EXPECT_THAT(Keys(), ElementsAre("prot/force/multiple")) << "nothing crossed this one";
}

TEST_F(RemoteTableTest, AForceThatCrossedAnUnaskedActionIsAnsweredIfTheGameWaits) {
  Begin();
  Choose("pass");
  Force();
  Result(SentId(), true);
  scheduler_.Advance(seconds(1));
  EXPECT_EQ(player_.decisions.size(), 1u);
}

TEST_F(RemoteTableTest, SuccessForWhatIsWrongIsNotAnAnswer) {
  Begin();
  Force();
  const auto send = [&](std::string action, std::string by) {
    ASSERT_TRUE(
        table_->seat(0).Choose({.action = std::move(action), .unchecked = true, .raw = "{}", .by = std::move(by)}));
    Result(SentId(), true);
  };
  send("move", "");
  EXPECT_THAT(Keys(), ElementsAre("prot/result/accepted_invalid"));
  EXPECT_EQ(player_.decisions.size(), 1u) << "the game may go on all the same";
  scheduler_.Advance(seconds(1));
  ASSERT_EQ(player_.decisions.size(), 2u) << "it waits";
  send("unknown", "");
  EXPECT_THAT(Keys(), ElementsAre("prot/result/accepted_invalid", "prot/result/unknown_action"));
  Force(R"(["pass"])");
  EXPECT_THAT(Keys(), Not(Contains("prot/force/multiple"))) << "it went on";
  Force();
  send("move", "console");
  EXPECT_EQ(table_->seat(0).decision(), nullptr) << "a person knows what was sent";
}

TEST_F(RemoteTableTest, AnActionThatIsUnregisteredBeforeItsResultWasRegistered) {
  Begin();
  Force();
  ASSERT_TRUE(table_->seat(0).Choose({.action = "move", .unchecked = true, .raw = "{}"}));
  Say("actions/unregister", R"({"action_names":["move","pass"]})");
  Result(SentId(), true);
  EXPECT_THAT(Keys(), ElementsAre("prot/result/accepted_invalid"));
}

TEST_F(RemoteTableTest, AStartAfterACleanCloseIsANewRun) {
  Begin();
  Say("actions/unregister", R"({"action_names":["unknown"]})");
  Force();
  EXPECT_THAT(Keys(), Not(IsEmpty()));
  const auto run = [&] { return table_->Info().at("run"); };
  EXPECT_EQ(run().at("number"), 1);
  Quit();
  EXPECT_THAT(Keys(), Not(IsEmpty())) << "until it is started again";
  Connect();
  Say("startup");
  EXPECT_THAT(Keys(), IsEmpty());
  EXPECT_EQ(run().at("number"), 2);
  const auto since = run().at("since").to_number<std::uint64_t>();
  EXPECT_THAT(journal_.Read(table_->id(), since - 1, 1)->front().event.payload, HasSubstr("run 2 of the game"));
  Begin();
  scheduler_.Advance(seconds(10));
  EXPECT_EQ(player_.decisions.size(), 1u) << "the former run's force is forgotten";
  EXPECT_EQ(counts_.runs.value(), 2u);
  Drop();
  Connect();
  Say("startup");
  EXPECT_EQ(run().at("number"), 2) << "the connection broke";
  Quit();
  Connect();
  Say("context", R"({"message":"still me","silent":true})");
  Say("startup");
  EXPECT_EQ(run().at("number"), 2) << "it went on before";
}

TEST_F(RemoteTableTest, TheProfileCanBeSwitchedWhileTheGameRuns) {
  Begin();
  EXPECT_EQ(table_->Info().at("profile").at("name"), "document");
  ASSERT_TRUE(table_->Control("profile", {{"profile", "production"}, {"seed", 7}}));
  EXPECT_EQ(table_->Info().at("profile"), (json::Object{{"name", "production"}, {"seed", 7}}));
  Say("actions/register", R"({"actions":[{"name":"pass","description":"Other"}]})");
  EXPECT_EQ(table_->seat(0).actions().Find("pass")->description, "Other") << "production replaces";
  Force();
  EXPECT_TRUE(player_.decisions.empty()) << "she thinks";
  scheduler_.Advance(seconds(15));
  ASSERT_EQ(player_.decisions.size(), 1u);
  for (int i = 0; i < 4; ++i) {
    Choose("pass");
    Result(SentIdOfAction(), false, "no");
    scheduler_.Advance(seconds(15));
  }
  EXPECT_THAT(Keys(), Contains("prot/force/gave_up"));
  Say("startup");
  EXPECT_THAT(socket_->sent.back(), HasSubstr(R"("characterId":"neuro","displayName":"Neuro-sama")"));
  ASSERT_TRUE(table_->Control("profile", {{"profile", "document"}}));
  Begin();
  Force();
  EXPECT_EQ(table_->seat(0).decision()->attempt, 1);
  EXPECT_THAT(journal_.Payloads(table_->id(), EventKind::kNote),
              Contains(HasSubstr(R"("profile":"production","seed":7)")));

  const auto refused = [&](const json::Object& arguments) {
    return table_->Control("profile", arguments).error().message;
  };
  EXPECT_EQ(refused({}), "profile must be document, production or chaos; got nothing");
  EXPECT_EQ(refused({{"profile", "wild"}}), "the profile must be document, production or chaos; got \"wild\"");
  EXPECT_EQ(refused({{"profile", "chaos"}, {"seed", -1}}), "seed must be a whole number from 0 to 2^53 - 1; got -1");
}

TEST_F(RemoteTableTest, AFailedResultOutsideAForceIsNotRetried) {
  Begin();
  Choose("pass");
  Result(SentId(), false, "no");
  EXPECT_THAT(player_.verdicts, ElementsAre("pass refused"));
  EXPECT_THAT(player_.decisions, IsEmpty());
}

TEST_F(RemoteTableTest, NoResultCountsAsFailedAndIsNotRetried) {
  Begin();
  Force();
  Choose("pass");
  const std::string id = SentId();
  scheduler_.Advance(seconds(19));
  EXPECT_THAT(player_.verdicts, IsEmpty());
  scheduler_.Advance(seconds(1));
  EXPECT_THAT(player_.verdicts, ElementsAre("pass timed-out"));
  EXPECT_EQ(player_.decisions.size(), 1u);
  Result(id, true);
  EXPECT_THAT(Keys(), ElementsAre("perf/timeout/action_result", "prot/result/after_timeout"));
}

TEST_F(RemoteTableTest, AResultForAnUnknownIdIsDiscarded) {
  Begin();
  Force();
  Choose("pass");
  const std::string id = SentId();
  Result("nonsense", true);
  EXPECT_THAT(player_.verdicts, IsEmpty());
  Result(id, true);
  Result(id, true);
  EXPECT_THAT(player_.verdicts, ElementsAre("pass accepted"));
  EXPECT_THAT(Keys(), ElementsAre("prot/result/unexpected", "prot/result/duplicate"));
}

TEST_F(RemoteTableTest, ALateResultIsNoted) {
  Begin();
  Choose("pass");
  scheduler_.Advance(milliseconds(501));
  Result(SentId(), false, "");
  EXPECT_THAT(Keys(), ElementsAre("perf/late/action_result", "prot/result/error_nomessage"));
}

TEST_F(RemoteTableTest, ContextIsHeldWhileAResultIsPending) {
  Begin();
  Choose("pass");
  Say("context", R"({"message":"one","silent":false})");
  EXPECT_THAT(player_.contexts, IsEmpty());
  Result(SentId(), true);
  EXPECT_THAT(player_.contexts, ElementsAre("one (answer)"));
}

TEST_F(RemoteTableTest, DuplicateRegistrationIsIgnoredOrReplaces) {
  Begin();
  Say("actions/register", R"({"actions":[{"name":"pass","description":"Passes"}]})");
  Say("actions/register", R"({"actions":[{"name":"pass","description":"Other"}]})");
  EXPECT_EQ(table_->seat(0).actions().Find("pass")->description, "Passes");
  EXPECT_THAT(Keys(), ElementsAre("perf/register/identical_duplicate", "prot/v1/register/conflict"));

  Make({.registration = NeuroOptions::Registration::kReplace});
  Begin();
  Say("actions/register", R"({"actions":[{"name":"pass","description":"Other"}]})");
  EXPECT_EQ(table_->seat(0).actions().Find("pass")->description, "Other");
}

TEST_F(RemoteTableTest, UnregisteringTellsUnknownFromLate) {
  Begin();
  Say("actions/unregister", R"({"action_names":["pass"]})");
  Say("actions/unregister", R"({"action_names":["pass","never"]})");
  Say("actions/unregister", R"({"action_names":[]})");
  EXPECT_THAT(Keys(), ElementsAre("prot/unregister/inactive", "prot/unregister/unknown", "prot/unregister/empty"));
}

TEST_F(RemoteTableTest, AForceWithUnknownNamesUsesTheRest) {
  Begin();
  Force(R"(["pass","fly"])");
  EXPECT_EQ(player_.decisions.at(0).actions.Names(), "pass");
  Force(R"(["fly"])");
  Force("[]");
  EXPECT_EQ(player_.decisions.size(), 1u);
  EXPECT_THAT(Keys(), ElementsAre("prot/force/some_invalid", "prot/force/multiple", "prot/force/all_invalid",
                                  "prot/force/empty"));
  EXPECT_NE(table_->seat(0).decision(), nullptr) << "a force that cannot be opened leaves the open one alone";
}

TEST_F(RemoteTableTest, ASecondForceReplacesTheFirst) {
  Begin();
  Force();
  Force(R"(["pass"])", R"(,"priority":"high","ephemeral_context":true)");
  ASSERT_EQ(player_.decisions.size(), 2u);
  EXPECT_EQ(player_.decisions[1].priority, Priority::kHigh);
  EXPECT_TRUE(player_.decisions[1].ephemeral);
  EXPECT_THAT(Keys(), ElementsAre("prot/force/multiple"));
}

TEST_F(RemoteTableTest, AForceBeforeTheResultWaitsForIt) {
  Begin();
  Force();
  Choose("pass");
  const std::string id = SentId();
  Force(R"(["move"])");
  EXPECT_EQ(player_.decisions.size(), 1u);
  Result(id, true);
  ASSERT_EQ(player_.decisions.size(), 2u);
  EXPECT_EQ(player_.decisions[1].actions.Names(), "move");
  EXPECT_THAT(Keys(), ElementsAre("prot/force/while_pending_result"));
}

TEST_F(RemoteTableTest, AForceThatWaitedForAResultOutlivesTheConnection) {
  Begin();
  Force();
  Choose("pass");
  Force(R"(["move"])");
  Result(SentId(), true);
  ASSERT_EQ(player_.decisions.size(), 2u);
  Drop();
  Connect();
  table_->ResumeSilently();
  scheduler_.Run();
  ASSERT_EQ(player_.decisions.size(), 3u);
  EXPECT_EQ(player_.decisions[2].actions.Names(), "move");
}

TEST_F(RemoteTableTest, AForceEndsWhenItsActionsGo) {
  Begin();
  Force();
  Say("actions/unregister", R"({"action_names":["move","pass"]})");
  EXPECT_EQ(table_->seat(0).decision(), nullptr);
  EXPECT_THAT(Keys(), IsEmpty()) << "the game called it off";
}

TEST_F(RemoteTableTest, AFailureAfterItsActionsAreGoneLeavesNothingToRetry) {
  Begin();
  Force();
  Choose("pass");
  const std::string id = SentId();
  Say("actions/unregister", R"({"action_names":["move","pass"]})");
  EXPECT_THAT(Keys(), IsEmpty());
  Say("action/result", R"({"id":")" + id + R"(","success":false,"message":"It is too late to pass."})");
  EXPECT_EQ(table_->seat(0).decision(), nullptr);
  EXPECT_THAT(Keys(), ElementsAre("prot/force/emptied"));
}

TEST_F(RemoteTableTest, AnActionWithAnEmptySchemaGetsNoData) {
  Begin();
  Say("actions/register", R"({"actions":[{"name":"wait","description":"Waits","schema":{}}]})");
  Choose("wait");
  EXPECT_THAT(socket_->sent.back(), ::testing::Not(HasSubstr(R"("data":"{}")")));
  EXPECT_THAT(socket_->sent.back(), HasSubstr(R"("name":"wait"})"));
  Say("actions/register", R"({"actions":[{"name":"wait","description":"Waits","schema":{}}]})");
  EXPECT_THAT(Keys(), ElementsAre("prot/schema/prefer_omit_to_empty", "perf/register/identical_duplicate"));
}

TEST_F(RemoteTableTest, AdviceIsGivenOnce) {
  Begin();
  Say("context", R"({"message":"# Rules","silent":true})");
  Say("context", R"({"message":"# Rules again","silent":true})");
  EXPECT_THAT(Keys(), ElementsAre("perf/context/heading"));
}

TEST_F(RemoteTableTest, UnregisteringBeforeTheResultIsFine) {
  Begin();
  Force();
  Choose("pass");
  Say("actions/unregister", R"({"action_names":["move","pass"]})");
  Result(SentId(), true);
  EXPECT_THAT(player_.verdicts, ElementsAre("pass accepted"));
  EXPECT_THAT(Keys(), IsEmpty());
}

TEST_F(RemoteTableTest, StartupClearsTheActions) {
  Begin();
  Force();
  Say("startup");
  EXPECT_TRUE(table_->seat(0).actions().empty());
  EXPECT_EQ(table_->seat(0).decision(), nullptr);
}

TEST_F(RemoteTableTest, AMissingOrLateStartupIsNoted) {
  Say("context", R"({"message":"hello","silent":true})");
  EXPECT_THAT(player_.contexts, ElementsAre("hello"));
  scheduler_.Advance(milliseconds(501));
  Say("startup");
  EXPECT_THAT(Keys(), ElementsAre("prot/startup/missing", "perf/late/startup"));
}

TEST_F(RemoteTableTest, ReconnectingKeepsTheSeatAndRegistersAnew) {
  Begin();
  Force();
  Drop();
  EXPECT_EQ(table_->seat(0).decision(), nullptr);
  Connect();
  Say("startup");
  EXPECT_TRUE(table_->seat(0).actions().empty());
  Say("actions/register", R"({"actions":[{"name":"pass","description":"Passes"}]})");
  EXPECT_EQ(player_.decisions.size(), 1u);
  scheduler_.Advance(seconds(2));
  ASSERT_EQ(player_.decisions.size(), 2u) << "the game did not force again, so the server asks";
  EXPECT_EQ(player_.decisions[1].actions.Names(), "pass");
  EXPECT_THAT(Keys(), ::testing::Contains("prot/reconnect/no_force"));
}

TEST_F(RemoteTableTest, AGameThatForcesAgainAfterAReconnectIsNotAskedTwice) {
  Begin();
  Force();
  Drop();
  Connect();
  Begin();
  Force();
  scheduler_.Advance(seconds(10));
  EXPECT_EQ(player_.decisions.size(), 2u);
}

TEST_F(RemoteTableTest, ASilentReconnectFindsItsActionsAndItsForce) {
  Begin();
  Force();
  Choose("pass");
  Drop();
  EXPECT_THAT(player_.verdicts, ElementsAre("pass lost"));
  Connect();
  table_->ResumeSilently();
  scheduler_.Run();
  EXPECT_EQ(player_.decisions.size(), 2u);
  Choose("pass");
  Result(SentId(), true);
  EXPECT_THAT(player_.verdicts, ElementsAre("pass lost", "pass accepted"));
}

TEST_F(RemoteTableTest, NobodyChoosesWhileTheGameIsAway) {
  Begin();
  Drop();
  const std::size_t before = journal_.Read(table_->id(), 0, 1000)->size();
  EXPECT_EQ(table_->seat(0).Choose({.action = "pass"}).error().message, "the game is not connected");
  scheduler_.Run();
  EXPECT_EQ(journal_.Read(table_->id(), 0, 1000)->size(), before);
}

TEST_F(RemoteTableTest, OddActionsAreNoted) {
  Say("startup");
  Say("actions/register",
      R"({"actions":[{"name":"Do It","description":"","schema":{"type":"string","description":"x"}}]})");
  EXPECT_THAT(Keys(), ::testing::UnorderedElementsAre("prot/action/name", "prot/action/no_desc",
                                                      "prot/schema/type_object", "prot/schema/unsupported_keywords"));
}

TEST_F(RemoteTableTest, TheConsoleMayOrder) {
  Begin();
  ASSERT_TRUE(table_->Control("reregister-all", {}).has_value());
  EXPECT_EQ(socket_->sent.back(), R"({"command":"actions/reregister_all"})");
  EXPECT_EQ(table_->Control("shutdown", {{"kind", "graceful"}}).error().code, ErrorCode::kDenied);
  EXPECT_EQ(table_->Control("dance", {}).error().code, ErrorCode::kUnsupported);
  Make({.shutdown_requests = true});
  EXPECT_EQ(table_->Control("shutdown", {{"kind", "slow"}}).error().code, ErrorCode::kInvalid);
  const auto no_bool = table_->Control("shutdown", json::Object{{"kind", "graceful"}, {"wants", "false"}});
  ASSERT_FALSE(no_bool.has_value());
  EXPECT_EQ(no_bool.error().message, R"(wants must be true or false; got "false")");
  ASSERT_TRUE(table_->Control("shutdown", {{"kind", "immediate"}}).has_value());
  EXPECT_EQ(socket_->sent.back(), R"({"command":"shutdown/immediate"})");
}

TEST_F(RemoteTableTest, EverythingIsJournalled) {
  Begin();
  Force();
  Choose("pass");
  Result(SentId(), true);
  const TableId id("game-1");
  EXPECT_EQ(journal_.Payloads(id, EventKind::kOpened).size(), 1u);
  EXPECT_EQ(journal_.Payloads(id, EventKind::kReceived).size(), 4u);
  EXPECT_EQ(journal_.Payloads(id, EventKind::kSent).size(), 2u);
  EXPECT_EQ(journal_.Payloads(id, EventKind::kDecision).size(), 1u);
  EXPECT_EQ(journal_.Payloads(id, EventKind::kChoice).size(), 1u);
  EXPECT_EQ(journal_.Payloads(id, EventKind::kVerdict).size(), 1u);
}

TEST_F(RemoteTableTest, GoesOnWhereItCannotBeRecordedAndSaysSo) {
  Begin();
  journal_.failing = Error{ErrorCode::kIo, "the disk is full", {}};
  Force();
  Choose("pass");
  Result(SentId(), true);
  EXPECT_EQ(player_.verdicts.size(), 1u);
  EXPECT_THAT(Keys(), ::testing::Contains("server/recording_gap"));
  journal_.failing.reset();
  scheduler_.Advance(seconds(1));
  Force();
  Choose("pass");
  Result(SentId(), true);
  const TableId id("game-1");
  EXPECT_EQ(journal_.Payloads(id, EventKind::kGap).size(), 1u);
  EXPECT_EQ(journal_.Payloads(id, EventKind::kVerdict).size(), 1u);
  table_.reset();
  EXPECT_EQ(journal_.Payloads(id, EventKind::kClosed).size(), 1u);
}

TEST_F(RemoteTableTest, PlaysOnWhereItsRecordingIsFull) {
  const PeerLimits limits{.max_journal_bytes = 2000};
  Make({}, &limits);
  Begin();
  for (int i = 0; i < 20; ++i) {
    Force();
    Choose("pass");
    Result(SentId(), true);
  }
  EXPECT_EQ(player_.verdicts.size(), 20u);
  EXPECT_THAT(Keys(), ::testing::Contains("server/recording_gap"));
  table_.reset();
  const TableId id("game-2");
  const auto last = journal_.Read(id, 0, 1000)->back();
  EXPECT_EQ(last.event.kind, EventKind::kClosed);
  EXPECT_EQ(journal_.Payloads(id, EventKind::kGap).size(), 1u);
  std::size_t bytes = 0;
  const auto recorded = journal_.Read(id, 0, 1000);
  for (const StoredEvent& event : *recorded) bytes += event.event.payload.size();
  EXPECT_LT(bytes, 2500u);
}

TEST_F(RemoteTableTest, SaysHowLongResultsTake) {
  Begin();
  EXPECT_FALSE(table_->Info().contains("results"));
  for (const int took : {10, 40, 20}) {
    Force();
    Choose("pass");
    scheduler_.Advance(milliseconds(took));
    Result(SentId(), true);
  }
  EXPECT_EQ(json::Write(table_->Info()["results"]), R"({"count":3,"last_ms":20,"median_ms":20,"worst_ms":40})");
}

TEST_F(RemoteTableTest, NonsenseIsReportedAndTheTableLivesOn) {
  Begin();
  for (const std::string text : {"", "{", "[]", "7", R"({"command":7})", R"({"command":"dance","game":"Game"})"}) {
    bool first = true;
    for (const Decoded& decoded : DecodeClient(text)) table_->OnMessage(text, decoded, std::exchange(first, false));
  }
  Force();
  EXPECT_EQ(player_.decisions.size(), 1u);
  EXPECT_THAT(Keys(), ::testing::Contains("prot/invalid_message"));
  EXPECT_THAT(Keys(), ::testing::Contains("prot/unknown_command"));
}

TEST_F(RemoteTableTest, OnlySoManyActionsAreRegistered) {
  const PeerLimits limits{.max_actions = 2};
  Make({}, &limits);
  Say("startup");
  Say("actions/register", R"({"actions":[{"name":"one","description":"d"},{"name":"two","description":"d"}]})");
  EXPECT_THAT(Keys(), IsEmpty());
  Say("actions/register", R"({"actions":[{"name":"three","description":"d"}]})");
  EXPECT_EQ(table_->seat(0).actions().size(), 2u);
  EXPECT_THAT(Keys(), ElementsAre("prot/limit"));
  EXPECT_THAT(Message(0), HasSubstr("max_actions"));
  EXPECT_THAT(metrics_.Text(), HasSubstr(R"(openseat_refused_total{budget="max_actions"} 1)"));
  Say("actions/unregister", R"({"action_names":["one"]})");
  Say("actions/register", R"({"actions":[{"name":"three","description":"d"}]})");
  EXPECT_NE(table_->seat(0).actions().Find("three"), nullptr) << "there is room again";
}

TEST_F(RemoteTableTest, ActionsMayHaveOnlySoManyBytes) {
  NeuroOptions options;
  options.registration = NeuroOptions::Registration::kReplace;
  const PeerLimits limits{.max_schema_bytes = 300};
  Make(options, &limits);
  Say("startup");
  const auto with = [this](const std::string& name, std::size_t bytes) {
    Say("actions/register", R"({"actions":[{"name":")" + name +
                                R"(","description":"d","schema":{"type":"object","title":")" + std::string(bytes, 'x') +
                                R"("}}]})");
    const ActionPtr action = table_->seat(0).actions().Find(name);
    return action ? json::Write(*action->schema).size() : 0;
  };
  EXPECT_GT(with("a", 150), 150u);
  EXPECT_EQ(with("b", 150), 0u);
  EXPECT_THAT(Message(Keys().size() - 1), HasSubstr("max_schema_bytes"));
  EXPECT_THAT(metrics_.Text(), HasSubstr(R"(openseat_refused_total{budget="max_schema_bytes"} 1)"));
  EXPECT_GT(with("a", 200), 200u) << "it takes the place of the former";
  EXPECT_GT(with("a", 20), 20u);
  EXPECT_GT(with("b", 150), 150u) << "what was replaced does not count any more";
  Say("actions/unregister", R"({"action_names":["b"]})");
  EXPECT_GT(with("c", 150), 150u);
  Say("startup");
  EXPECT_GT(with("d", 220), 220u);
}

TEST_F(RemoteTableTest, ListsBeyondWhatThereCanBeAreCut) {
  const PeerLimits limits{.max_actions = 100};
  Make({}, &limits);
  Begin();
  std::string names = "\"pass\"";
  for (int i = 0; i < 1'500; ++i) names += ",\"n" + std::to_string(i) + "\"";
  Force("[" + names + "]");
  EXPECT_EQ(player_.decisions.size(), 1u);
  EXPECT_THAT(Keys(), ElementsAre("prot/limit", "prot/force/some_invalid"));
  EXPECT_THAT(Message(1), HasSubstr(R"("n7" and 91 more)"));
  Say("actions/unregister", R"({"action_names":[)" + names + "]}");
  EXPECT_EQ(table_->Info().at("diagnostics").to_number<int>(), 2 + 1 + 99);
}

TEST_F(RemoteTableTest, ContextThatWaitsForAResultIsLimited) {
  const PeerLimits limits{.max_waiting_items = 3};
  Make({}, &limits);
  Begin();
  Force();
  Choose("pass");
  for (int i = 0; i < 5; ++i) Say("context", R"({"message":"m","silent":true})");
  EXPECT_THAT(Keys(), ElementsAre("prot/context/while_pending", "prot/limit"));
  EXPECT_THAT(metrics_.Text(), HasSubstr(R"(openseat_refused_total{budget="max_waiting_items"} 2)"));
  Result(SentId(), true);
  EXPECT_EQ(player_.contexts.size(), 3u);
}

TEST_F(RemoteTableTest, WhatAGameSaysIsQuotedInShort) {
  Begin();
  Say("actions/unregister", R"({"action_names":[")" + std::string(100'000, 'x') + R"("]})");
  Say("actions/register", R"({"actions":[{"name":")" + std::string(100'000, 'y') + R"(","description":"d"}]})");
  for (const json::Value& entry : table_->Diagnostics()) EXPECT_LE(entry.at("message").as_string().size(), 2'010u);
}

}  // namespace
}  // namespace openseat::neuro

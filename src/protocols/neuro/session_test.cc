#include "protocols/neuro/session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/log.h"
#include "protocols/neuro/fake_game.h"
#include "protocols/neuro/neuro_server.h"
#include "testing/fake_scheduler.h"
#include "testing/memory_journal.h"

namespace openseat::neuro {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Two schedulers stand for two shards: connections may land on either.
class SessionTest : public ::testing::Test {
 protected:
  struct Connection {
    std::shared_ptr<FakeSocket> socket;
    std::unique_ptr<Session> session;
  };

  Connection Open(testing::FakeScheduler& shard, const std::string& hint = {}, std::string owner = "me") {
    Connection made{std::make_shared<FakeSocket>(shard, ++sockets_),
                    std::make_unique<Session>(server_, hint, std::move(owner), payer_)};
    made.session->OnOpen(made.socket);
    RunAll();
    return made;
  }
  void Say(Connection& connection, std::string_view text) {
    connection.session->OnText(text);
    RunAll();
  }
  void Close(Connection& connection, const net::Closing& closing = {.code = net::close_code::kGoingAway}) {
    connection.session->OnClosed(closing);
    connection.session.reset();
    RunAll();
  }
  void RunAll() {
    for (int i = 0; i < 8; ++i) {
      first_.Run();
      second_.Run();
    }
  }
  std::vector<RemoteTable*> Tables() {
    std::vector<RemoteTable*> tables;
    directory_.Visit(first_, [&](Table& table) { tables.push_back(dynamic_cast<RemoteTable*>(&table)); }, [] {});
    RunAll();
    return tables;
  }
  static std::vector<std::string> Keys(const RemoteTable& table) {
    std::vector<std::string> keys;
    for (const json::Value& entry : table.Diagnostics()) keys.emplace_back(entry.at("key").as_string().c_str());
    return keys;
  }

  static constexpr char kStartup[] = R"({"command":"startup","game":"A"})";
  static constexpr char kRegister[] =
      R"({"command":"actions/register","game":"A","data":{"actions":[{"name":"pass","description":"Passes"}]}})";
  static constexpr char kForce[] =
      R"({"command":"actions/force","game":"A","data":{"query":"?","action_names":["pass"]}})";

  testing::FakeScheduler first_;
  testing::FakeScheduler second_;
  testing::MemoryJournal journal_;
  TableDirectory directory_{{&first_, &second_}};
  FakePlayer::Log player_;
  Metrics metrics_;
  Budget budget_{{.others = {}, .loopback = {.max_waiting_items = 100, .max_waiting_bytes = 1u << 20}}, &metrics_};
  const std::shared_ptr<Payer> payer_ = budget_.PayerOf("127.0.0.1", Instant());
  NeuroServer server_{NeuroProfiles{}, directory_, journal_, {.by_default = [this](const std::string&) {
                        return std::make_unique<FakePlayer>(player_);
                      }}};
  std::uint64_t sockets_ = 0;
};

TEST_F(SessionTest, MessagesBeforeTheTableIsFoundKeepTheirOrder) {
  Connection game = Open(second_);
  game.session->OnText(kStartup);
  game.session->OnText(kRegister);
  game.session->OnText(kForce);
  RunAll();
  EXPECT_EQ(player_.decisions.size(), 1u);
  EXPECT_THAT(game.socket->sent, ElementsAre(HasSubstr("startup")));
}

// It is the wrong door, and the client would wait forever.
TEST_F(SessionTest, AChimeraClientIsToldWhereToGo) {
  Connection client = Open(first_);
  client.session->OnText(R"({"type":"request","id":"1","operation":"list-games"})");
  EXPECT_EQ(client.socket->closed_with, net::close_code::kPolicy);
  Connection game = Open(first_);
  game.session->OnText(R"({"type":"nothing"})");
  EXPECT_EQ(game.socket->closed_with, 0);
}

TEST_F(SessionTest, ANoteBeforeTheTableIsFoundIsKept) {
  Connection game = Open(second_);
  game.session->Note("one");
  game.session->OnText(kStartup);
  game.session->Note("two");
  RunAll();
  const std::vector<std::string> notes = journal_.Payloads(Tables().at(0)->id(), EventKind::kNote);
  EXPECT_THAT(notes, ElementsAre(HasSubstr("one"), HasSubstr("two")));
}

TEST_F(SessionTest, EachConnectionOfAGameHasItsOwnTable) {
  Connection one = Open(first_);
  Connection two = Open(second_);
  Say(one, kStartup);
  Say(two, kStartup);
  EXPECT_EQ(Tables().size(), 2u);
}

TEST_F(SessionTest, AGameThatComesBackGetsItsTableEvenOnAnotherShard) {
  Connection one = Open(first_);
  Say(one, kStartup);
  RemoteTable* table = Tables().at(0);
  Close(one);
  EXPECT_FALSE(table->connected());
  Connection two = Open(second_);
  Say(two, kStartup);
  Say(two, kRegister);
  Say(two, kForce);
  ASSERT_EQ(Tables().size(), 1u);
  EXPECT_TRUE(table->connected());
  EXPECT_EQ(player_.decisions.size(), 1u);
  EXPECT_THAT(two.socket->sent, ElementsAre(HasSubstr("startup")));
  Close(two);
  EXPECT_FALSE(table->connected());
}

TEST_F(SessionTest, ATableWaitsForItsGameAndThenGoes) {
  Connection one = Open(first_);
  Say(one, kStartup);
  Close(one);
  first_.Advance(minutes(9));
  EXPECT_EQ(Tables().size(), 1u);
  first_.Advance(minutes(2));
  RunAll();
  EXPECT_THAT(Tables(), IsEmpty());
}

TEST_F(SessionTest, ATableWaitsAnewEachTimeItsGameGoes) {
  Connection one = Open(first_);
  Say(one, kStartup);
  Close(one);
  first_.Advance(minutes(8));
  Connection two = Open(second_);
  Say(two, kStartup);
  RemoteTable* table = Tables().at(0);
  first_.Advance(minutes(1));
  Close(two);
  first_.Advance(minutes(9));
  RunAll();
  ASSERT_EQ(Tables().size(), 1u) << "the second wait is not the rest of the first";
  Connection three = Open(first_);
  Say(three, kStartup);
  EXPECT_EQ(Tables(), std::vector{table});
  EXPECT_TRUE(table->connected());
}

TEST_F(SessionTest, EachDropOfATableGivesItTheWholeTimeAndThenItGoes) {
  const Duration keep = NeuroOptions().keep;
  Connection game = Open(first_);
  Say(game, kStartup);
  RemoteTable* table = Tables().at(0);
  for (int drop = 0; drop < 3; ++drop) {
    Close(game);
    first_.Advance(keep - milliseconds(1));
    RunAll();
    ASSERT_EQ(Tables(), std::vector{table}) << "after drop " << drop;
    game = Open(drop % 2 == 0 ? second_ : first_);
    Say(game, kStartup);
    ASSERT_TRUE(table->connected());
    first_.Advance(keep * 2);
    RunAll();
    ASSERT_EQ(Tables(), std::vector{table}) << "it does not go while it has its game";
  }
  Close(game);
  first_.Advance(keep - milliseconds(1));
  RunAll();
  EXPECT_EQ(Tables().size(), 1u);
  first_.Advance(milliseconds(1));
  RunAll();
  EXPECT_THAT(Tables(), IsEmpty());
  Connection late = Open(first_);
  Say(late, kStartup);
  EXPECT_EQ(Tables().size(), 1u) << "it gets a new one";
}

TEST_F(SessionTest, ATableIsForItsOwnerAloneWhoeverNamesItsGame) {
  Connection mine = Open(first_);
  Say(mine, kStartup);
  Say(mine, kRegister);
  RemoteTable* table = Tables().at(0);
  Close(mine);
  Connection thief = Open(second_, {}, "another");
  Say(thief, kStartup);
  EXPECT_FALSE(table->connected());
  EXPECT_EQ(Tables().size(), 2u) << "the other one has a table of its own";
  Connection silent = Open(second_, {}, "another");
  second_.Advance(milliseconds(1500));
  RunAll();
  EXPECT_FALSE(table->connected());
  Connection back = Open(second_);
  Say(back, kStartup);
  EXPECT_TRUE(table->connected());
}

TEST_F(SessionTest, EmptyFramesWaitAtACost) {
  Connection game = Open(second_);
  game.session->OnText(kStartup);
  int taken = 0;
  while (game.socket->closed_with == 0 && taken < 1'000) {
    game.session->OnText("");
    ++taken;
  }
  EXPECT_EQ(taken, 101) << "one more than may wait";
  EXPECT_EQ(game.socket->closed_with, net::close_code::kPolicy);
  EXPECT_THAT(metrics_.Text(), HasSubstr(R"(openseat_refused_total{budget="max_waiting_items"} 1)"));
}

TEST_F(SessionTest, MessagesWaitAtTheCostOfTheirBytes) {
  Connection game = Open(second_);
  game.session->OnText(kStartup);
  const std::string nonsense(300u << 10, 'x');
  for (int i = 0; i < 3; ++i) game.session->OnText(nonsense);
  EXPECT_EQ(game.socket->closed_with, 0);
  game.session->OnText(nonsense);
  EXPECT_EQ(game.socket->closed_with, net::close_code::kPolicy);
  EXPECT_THAT(metrics_.Text(), HasSubstr(R"(openseat_refused_total{budget="max_waiting_bytes"} 1)"));
}

TEST_F(SessionTest, MessagesForATableOnAnotherShardAreCounted) {
  Connection one = Open(first_);
  Say(one, kStartup);
  Close(one);
  Connection two = Open(second_);
  Say(two, kStartup);
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < 100; ++i) two.session->OnText("");
    EXPECT_EQ(two.socket->closed_with, 0) << "as long as the table keeps up";
    RunAll();
  }
  for (int i = 0; i < 101; ++i) two.session->OnText("");
  EXPECT_EQ(two.socket->closed_with, net::close_code::kPolicy);
  RunAll();
}

TEST_F(SessionTest, WhatWaitedIsHandledInItsOrderAndOthersHaveTheirTurn) {
  const auto context = [](const std::string& text) {
    return R"({"command":"context","game":"A","data":{"message":")" + text + R"(","silent":true}})";
  };
  Connection game = Open(second_);
  game.session->OnText(kStartup);
  std::vector<std::string> expected;
  for (int i = 0; i < 90; ++i) {
    expected.push_back(std::to_string(i));
    game.session->OnText(context(expected.back()));
  }
  first_.Run();  // the hub answers
  std::size_t heard = 0;
  second_.Post([&] {
    game.session->OnText(context("last"));  // arrives while earlier messages are handled
    second_.Post([&] { heard = player_.contexts.size(); });
  });
  RunAll();
  EXPECT_LT(heard, 90u) << "others waited for all of it";
  expected.emplace_back("last");
  EXPECT_EQ(player_.contexts, expected);
}

TEST_F(SessionTest, SeveralGamesMayShareAConnection) {
  Connection game = Open(first_);
  Say(game, kStartup);
  first_.Advance(std::chrono::seconds(60));
  Say(game, R"({"command":"startup","game":"B"})");
  Say(game, kRegister);
  Say(game, kForce);
  ASSERT_EQ(Tables().size(), 2u);
  EXPECT_EQ(player_.decisions.size(), 1u);
  EXPECT_THAT(Keys(*Tables()[0]), IsEmpty());
  EXPECT_THAT(Keys(*Tables()[1]), ElementsAre("prot/v1/game_renamed/startup")) << "and no startup that is late";
}

TEST_F(SessionTest, AnotherNameWithoutStartupIsARenaming) {
  Connection game = Open(first_);
  Say(game, kStartup);
  Say(game, R"({"command":"context","game":"C","data":{"message":"m","silent":true}})");
  ASSERT_EQ(Tables().size(), 1u);
  EXPECT_THAT(player_.contexts, ElementsAre("m"));
  EXPECT_THAT(Keys(*Tables()[0]), ElementsAre("prot/v1/game_renamed"));
}

TEST_F(SessionTest, ASilentConnectionIsAskedToRegisterAndTakesUpTheOnlyWaitingTable) {
  Connection one = Open(first_);
  Say(one, kStartup);
  Say(one, kRegister);
  Say(one, kForce);
  Close(one);
  Connection two = Open(first_);
  first_.Advance(milliseconds(1500));
  RunAll();
  EXPECT_THAT(two.socket->sent, ElementsAre(R"({"command":"actions/reregister_all"})"));
  EXPECT_TRUE(Tables().at(0)->connected());
  EXPECT_EQ(player_.decisions.size(), 2u) << "the force that was open is asked again";
  EXPECT_THAT(Keys(*Tables()[0]), ElementsAre("prot/reconnect/no_startup", "prot/reconnect/no_force"));
}

TEST_F(SessionTest, ASilentConnectionThatIsAnotherGameGivesTheTableBack) {
  Connection one = Open(first_);
  Say(one, kStartup);
  RemoteTable* table = Tables().at(0);
  Close(one);
  Connection two = Open(first_);
  first_.Advance(milliseconds(1500));
  RunAll();
  EXPECT_TRUE(table->connected());
  Say(two, R"({"command":"startup","game":"B"})");
  EXPECT_FALSE(table->connected());
  EXPECT_EQ(Tables().size(), 2u);
  Connection three = Open(second_);
  Say(three, kStartup);
  EXPECT_TRUE(table->connected());
}

TEST_F(SessionTest, NonsenseBeforeTheStartupIsKeptForTheTable) {
  Connection game = Open(first_);
  Say(game, "nonsense");
  EXPECT_THAT(Tables(), IsEmpty());
  Say(game, kStartup);
  EXPECT_THAT(Keys(*Tables().at(0)), ElementsAre("prot/invalid_message"));
}

TEST_F(SessionTest, NonsenseOfAnAddressCountsWhereverItWaits) {
  Budget budget({.others = {.max_waiting_bytes_per_address = 250'000}, .loopback = {}});
  const std::shared_ptr<Payer> payer = budget.PayerOf("203.0.113.9", Instant());
  const std::string nonsense(150'000, 'x');
  const auto open = [&] {
    Connection made{std::make_shared<FakeSocket>(first_, ++sockets_),
                    std::make_unique<Session>(server_, "", "stranger", payer)};
    made.session->OnOpen(made.socket);
    Say(made, nonsense);
    return made;
  };
  Connection one = open();
  EXPECT_EQ(one.socket->closed_with, 0);
  EXPECT_GT(one.session->waiting(), 150'000u);
  Say(one, nonsense);
  EXPECT_LT(one.session->waiting(), 160'000u) << "one connection keeps little";
  EXPECT_EQ(one.socket->closed_with, 0);
  Connection two = open();
  EXPECT_EQ(two.socket->closed_with, 0);
  Connection three = open();
  EXPECT_EQ(three.socket->closed_with, net::close_code::kPolicy);
  Say(one, kStartup);
  EXPECT_EQ(one.session->waiting(), 0u);
  for (Connection* each : {&one, &two, &three}) Close(*each);
  EXPECT_EQ(budget.waiting(), 0u);
}

// A line for each message, and no more of one address than its rate allows.
TEST_F(SessionTest, NobodyFillsTheLog) {
  const auto visit = [&](const std::string& address, int times) {
    const std::shared_ptr<Payer> payer = budget_.PayerOf(address, Instant());
    for (int i = 0; i < times; ++i) {
      Session session(server_, {}, address, payer);
      session.OnOpen(std::make_shared<FakeSocket>(first_, ++sockets_, address));
      session.OnText("{}{}{}");
      session.OnClosed({.code = net::close_code::kProtocolError,
                        .reason = "its frames are wrong",
                        .cause = net::Closing::Cause::kViolation});
    }
  };
  ::testing::internal::CaptureStderr();
  visit("203.0.113.50", 300);
  visit("203.0.113.51", 1);
  log::Flush();
  const std::string text = ::testing::internal::GetCapturedStderr();
  const auto lines = [&text](const std::string& of) {
    int count = 0;
    for (std::size_t at = text.find(of); at != std::string::npos; at = text.find(of, at + 1)) ++count;
    return count;
  };
  EXPECT_LE(lines("203.0.113.50: "), 110) << "100, and one that says that more were left out";
  EXPECT_EQ(lines("203.0.113.51: "), 2) << text;
  EXPECT_THAT(text, HasSubstr(" findings, the first: "));
  EXPECT_EQ(lines("203.0.113.51: its frames are wrong"), 1) << text;
  RunAll();
}

TEST_F(SessionTest, ABinaryFrameIsReadAndReported) {
  Connection game = Open(first_);
  game.session->OnBinary(kStartup);
  RunAll();
  EXPECT_THAT(Keys(*Tables().at(0)), ElementsAre("prot/frame/binary"));
}

TEST_F(SessionTest, TheNameInTheUrlStandsInWhereAMessageHasNone) {
  Connection game = Open(first_, "From Url");
  Say(game, R"({"command":"startup"})");
  EXPECT_EQ(Tables().at(0)->game_name(), "From Url");
}

TEST_F(SessionTest, AConnectionThatGoesWhileTheHubIsAskedLeavesNothing) {
  Connection game = Open(second_);
  game.session->OnText(kStartup);
  Close(game);
  EXPECT_THAT(Tables(), IsEmpty());
  Connection again = Open(second_);
  Say(again, kStartup);
  EXPECT_EQ(Tables().size(), 1u);
}

TEST_F(SessionTest, WhatTheConnectionEndedForIsADiagnosticOfItsGame) {
  Connection game = Open(second_);
  Say(game, kStartup);
  Close(game, {.code = net::close_code::kTooBig,
               .reason = "the limit max_message_bytes is reached: 4194304 bytes of one message",
               .cause = net::Closing::Cause::kViolation});
  Connection again = Open(first_);
  Say(again, kStartup);
  Close(again, {.code = net::close_code::kProtocolError,
                .reason = "a client's frames must be masked",
                .cause = net::Closing::Cause::kViolation});
  Connection last = Open(first_);
  Say(last, kStartup);
  Close(last, {.unfinished = true});
  ASSERT_EQ(Tables().size(), 1u);
  EXPECT_THAT(Keys(*Tables()[0]), ElementsAre("prot/invalid_message", "prot/frame/violation", "prot/frame/unfinished"));
  EXPECT_EQ(Tables()[0]->Diagnostics().at(0).at("message"),
            "the limit max_message_bytes is reached: 4194304 bytes of one message; the connection was closed (1009)");
}

TEST_F(SessionTest, AGameNameWithoutEndIsCut) {
  Connection game = Open(first_);
  const std::string name(1u << 20, 'x');
  Say(game, R"({"command":"startup","game":")" + name + R"("})");
  Say(game, R"({"command":"context","game":")" + name + R"(","data":{"message":"m","silent":true}})");
  ASSERT_EQ(Tables().size(), 1u);
  EXPECT_EQ(Tables()[0]->game_name(), std::string(253, 'x') + "…");
  EXPECT_THAT(Keys(*Tables()[0]), ElementsAre("prot/field/invalid"));
  EXPECT_EQ(Tables()[0]->Diagnostics().at(0).at("count"), 2);
  EXPECT_THAT(player_.contexts, ElementsAre("m"));
}

TEST_F(SessionTest, VoiceIsRefusedInTheProtocolsWords) {
  auto socket = std::make_shared<FakeSocket>(first_, 99);
  const auto session = MakeVoiceRefusal();
  session->OnOpen(socket);
  EXPECT_THAT(socket->sent, IsEmpty()) << "a client that is told at once misses it";
  session->OnText(R"({"command":"voice/start","game":"A"})");
  EXPECT_THAT(socket->sent, ElementsAre(HasSubstr("voice/unavailable")));
  EXPECT_EQ(socket->closed_with, 0) << "a client that is closed tries again without end";
}

}  // namespace
}  // namespace openseat::neuro

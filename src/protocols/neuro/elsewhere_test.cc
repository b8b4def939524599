// Games and tables in a cluster: connections that go on at another server, and tables that come from one.
#include "protocols/neuro/elsewhere.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <initializer_list>
#include "protocols/neuro/fake_game.h"
#include "protocols/neuro/neuro_server.h"
#include "protocols/neuro/session.h"
#include "testing/fake_scheduler.h"
#include "testing/memory_journal.h"

namespace openseat::neuro {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr char kStartup[] = R"({"command":"startup","game":"A"})";
constexpr char kContext[] = R"({"command":"context","game":"A","data":{"message":"m","silent":true}})";

class FakeElsewhere final : public Elsewhere {
 public:
  struct Log {
    std::string game = "nothing";
    std::function<void(Found)> found;
    std::vector<std::string> sent;
    std::optional<net::Closing> end;
  };
  explicit FakeElsewhere(Log& log) : log_(log) {}
  void Find(std::shared_ptr<net::WebSocket>, const std::string& game, const std::string& owner,
            std::function<void(Found)> found) override {
    EXPECT_EQ(owner, "me");
    log_.game = game;
    log_.found = std::move(found);
  }
  void Connect() override { log_.sent.emplace_back("connected"); }
  void Send(std::string_view message) override { log_.sent.emplace_back(message); }
  void End(const net::Closing& closing) override { log_.end = closing; }

 private:
  Log& log_;
};

class ElsewhereTest : public ::testing::Test {
 protected:
  struct Connection {
    std::shared_ptr<FakeSocket> socket;
    std::unique_ptr<Session> session;
  };
  ElsewhereTest() { server_.ShareTables("two"); }
  Connection Open(std::unique_ptr<Elsewhere> elsewhere, std::string owner = "me", bool may_make = true) {
    Connection made{std::make_shared<FakeSocket>(shard_, ++sockets_),
                    std::make_unique<Session>(server_, "", std::move(owner))};
    if (elsewhere == nullptr) {
      made.session->SetPassedOn(may_make);
    } else {
      made.session->SetElsewhere(std::move(elsewhere));
    }
    made.session->OnOpen(made.socket);
    return made;
  }
  Connection Begin() {
    Connection made = Open(nullptr);
    made.session->OnText(kStartup);
    Run();
    return made;
  }
  void Run() {
    for (int i = 0; i < 8; ++i) {
      shard_.Run();
      other_.Run();
    }
  }
  std::vector<RemoteTable*> Tables() {
    std::vector<RemoteTable*> tables;
    directory_.Visit(shard_, [&](Table& table) { tables.push_back(dynamic_cast<RemoteTable*>(&table)); }, [] {});
    Run();
    return tables;
  }
  void Leave() {
    bool done = false;
    server_.Leave([](const TableId&) { return true; }, [&] { done = true; });
    Run();
    EXPECT_TRUE(done);
  }
  void TakeOver() {
    bool done = false;
    EXPECT_THAT(server_.TakeOver(*journal_.Tables(10), [&] { done = true; }).value(), IsEmpty());
    Run();
    EXPECT_TRUE(done);
  }

  testing::FakeScheduler shard_;
  testing::FakeScheduler other_;
  testing::MemoryJournal journal_;
  TableDirectory directory_{{&shard_, &other_}};
  FakePlayer::Log player_;
  NeuroServer server_{NeuroProfiles{}, directory_, journal_, {.by_default = [this](const std::string&) {
                        return std::make_unique<FakePlayer>(player_);
                      }}};
  FakeElsewhere::Log log_;
  std::uint64_t sockets_ = 0;
};

TEST_F(ElsewhereTest, EverythingOfAConnectionGoesWhereItsTableIs) {
  Connection game = Open(std::make_unique<FakeElsewhere>(log_));
  game.session->OnText("nonsense");
  game.session->OnText(kStartup);
  game.session->OnText(kContext);
  EXPECT_EQ(log_.game, "A");
  EXPECT_THAT(log_.sent, IsEmpty());
  log_.found(Elsewhere::Found::kElsewhere);
  game.session->OnText("more");
  EXPECT_THAT(log_.sent, ElementsAre("connected", "nonsense", kStartup, kContext, "more"));
  EXPECT_THAT(Tables(), IsEmpty());
  game.session->OnClosed({.code = net::close_code::kTooBig, .cause = net::Closing::Cause::kViolation});
  ASSERT_TRUE(log_.end.has_value());
  EXPECT_EQ(log_.end->code, net::close_code::kTooBig);
}

TEST_F(ElsewhereTest, AConnectionStaysWhereNobodyElseHasItsTable) {
  Connection game = Open(std::make_unique<FakeElsewhere>(log_));
  game.session->OnText(kStartup);
  game.session->OnText(kContext);
  log_.found(Elsewhere::Found::kNewHere);
  Run();
  ASSERT_EQ(Tables().size(), 1u);
  EXPECT_THAT(player_.contexts, ElementsAre("m"));
  EXPECT_THAT(log_.sent, IsEmpty());
  game.session->OnClosed({});
  Run();
}

TEST_F(ElsewhereTest, ASilentConnectionAsksForAnyGame) {
  Connection game = Open(std::make_unique<FakeElsewhere>(log_));
  shard_.Advance(std::chrono::seconds(2));
  EXPECT_EQ(log_.game, "");
  log_.found(Elsewhere::Found::kNowhere);
  Run();
  game.session->OnText(kStartup);
  EXPECT_EQ(log_.game, "A");
  // One that was passed on was asked to register by its own server.
  Connection passed = Open(nullptr);
  shard_.Advance(std::chrono::seconds(2));
  EXPECT_THAT(passed.socket->sent, IsEmpty());
}

TEST_F(ElsewhereTest, ATableThatWaitsNoMoreIsLookedForAgain) {
  Connection game = Open(std::make_unique<FakeElsewhere>(log_));
  game.session->OnText(kStartup);
  log_.game.clear();
  log_.found(Elsewhere::Found::kWaitsHere);
  Run();
  EXPECT_EQ(log_.game, "A");
  EXPECT_THAT(Tables(), IsEmpty());
  // One that was passed on comes again through its own server.
  Connection passed = Open(nullptr, "me", false);
  passed.session->OnText(kStartup);
  Run();
  EXPECT_EQ(passed.socket->closed_with, net::close_code::kGoingAway);
  EXPECT_THAT(Tables(), IsEmpty());
}

// A connection whose end this server has not heard of yet.
TEST_F(ElsewhereTest, ConnectionsOfTheGameAreAskedForASignOfLife) {
  std::optional<Hub::Waiters> told;
  const auto ask = [&](std::uint64_t asking) {
    told.reset();
    server_.hub().CountWaiting(shard_, "A", "me", asking, [&](const Hub::Waiters& waiters) { told = waiters; });
    Run();
  };
  Connection game = Begin();
  ask(game.socket->id());
  ASSERT_TRUE(told.has_value()) << "nobody is asked about itself";
  EXPECT_TRUE(told->sure);
  EXPECT_THAT(game.socket->pings, IsEmpty());

  ask(0);
  EXPECT_EQ(game.socket->pings.size(), 1u);
  EXPECT_FALSE(told.has_value());
  game.session->OnPong("");
  Run();
  ASSERT_TRUE(told.has_value());
  EXPECT_TRUE(told->sure);
  EXPECT_EQ(told->count, 0u);

  ask(0);
  shard_.Advance(std::chrono::seconds(1));
  Run();
  ASSERT_TRUE(told.has_value());
  EXPECT_FALSE(told->sure);

  // However often it is asked, one ping is on its way, and the newest question gets the answer.
  for (int i = 0; i < 200; ++i) ask(0);
  EXPECT_EQ(game.socket->pings.size(), 2u);
  game.session->OnPong("");
  Run();
  ASSERT_TRUE(told.has_value());
  EXPECT_TRUE(told->sure);

  ask(0);
  game.session->OnClosed({});
  Run();
  shard_.Advance(std::chrono::seconds(1));
  Run();
  ASSERT_TRUE(told.has_value());
  EXPECT_EQ(told->count, 1u);
  ask(0);
  ASSERT_TRUE(told.has_value()) << "its table waits";
  EXPECT_EQ(told->count, 1u);

  // One that goes on elsewhere is a connection of that game, too.
  Connection away = Open(std::make_unique<FakeElsewhere>(log_));
  away.session->OnText(R"({"command":"startup","game":"B"})");
  log_.found(Elsewhere::Found::kElsewhere);
  const auto ask_b = [&] {
    told.reset();
    server_.hub().CountWaiting(shard_, "B", "me", 0, [&](const Hub::Waiters& waiters) { told = waiters; });
    Run();
  };
  ask_b();
  EXPECT_EQ(away.socket->pings.size(), 1u);
  EXPECT_FALSE(told.has_value());
  away.session->OnClosed({});
  ask_b();
  ASSERT_TRUE(told.has_value());
  EXPECT_TRUE(told->sure);
}

TEST_F(ElsewhereTest, ATableGoesOnAtAnotherServer) {
  Connection game = Begin();
  ASSERT_EQ(Tables().size(), 1u);
  const TableId id = Tables()[0]->id();
  EXPECT_THAT(journal_.Payloads(id, EventKind::kOpened), ElementsAre(HasSubstr(R"("owner":"me")")));
  Leave();
  EXPECT_EQ(game.socket->closed_with, net::close_code::kGoingAway);
  EXPECT_THAT(Tables(), IsEmpty());
  // What comes meanwhile changes nothing.
  const std::size_t events = journal_.Read(id, 0, 100)->size();
  game.session->OnText(kContext);
  Run();
  EXPECT_EQ(journal_.Read(id, 0, 100)->size(), events);
  EXPECT_THAT(journal_.Payloads(id, EventKind::kClosed), IsEmpty());
  // It comes back to this server before that connection has ended.
  TakeOver();
  EXPECT_THAT(Tables(), IsEmpty());
  Connection stranger = Open(nullptr, "somebody");
  stranger.session->OnText(kStartup);
  Run();
  EXPECT_NE(Tables().at(0)->id(), id);
  Connection back = Begin();
  game.session->OnClosed({});
  Run();
  ASSERT_EQ(Tables().size(), 2u);
  const std::vector<RemoteTable*> tables = Tables();
  const auto it = std::ranges::find(tables, id, &RemoteTable::id);
  ASSERT_NE(it, tables.end());
  EXPECT_TRUE((*it)->connected());
  EXPECT_THAT(back.socket->sent, Contains(HasSubstr(id.str())));
  EXPECT_THAT(journal_.Payloads(id, EventKind::kNote), Contains(HasSubstr("goes on at the server")));
  EXPECT_EQ(journal_.Payloads(id, EventKind::kOpened).size(), 1u);
  back.session->OnClosed({});
  stranger.session->OnClosed({});
  Run();
}

TEST_F(ElsewhereTest, AGameThatComesBackWithoutAStartupIsAskedToRegister) {
  Connection game = Begin();
  Leave();
  game.session->OnClosed({});
  TakeOver();
  Connection back = Open(nullptr);
  back.session->OnText(kContext);
  Run();
  EXPECT_THAT(back.socket->sent, Contains(HasSubstr("actions/reregister_all")));
  back.session->OnClosed({});
  Run();
}

TEST_F(ElsewhereTest, ATableWhoseGameDoesNotComeBackIsClosed) {
  Connection game = Begin();
  const TableId id = Tables()[0]->id();
  Leave();
  game.session->OnClosed({});
  TakeOver();
  shard_.Advance(std::chrono::minutes(9));
  EXPECT_THAT(journal_.Payloads(id, EventKind::kClosed), IsEmpty());
  shard_.Advance(std::chrono::minutes(2));
  Run();
  EXPECT_THAT(journal_.Payloads(id, EventKind::kClosed), ElementsAre(HasSubstr("did not come back")));
  Connection late = Begin();
  EXPECT_NE(Tables().at(0)->id(), id);
  late.session->OnClosed({});
  Run();
}

TEST_F(ElsewhereTest, HowAConnectionEndedIsToldBetweenServers) {
  using Cause = net::Closing::Cause;
  for (const Cause cause : {Cause::kPeer, Cause::kUs, Cause::kViolation, Cause::kDropped, Cause::kLost}) {
    for (const std::uint16_t code : std::initializer_list<std::uint16_t>{1000, 1001, 1002, 1006, 1009, 1011}) {
      for (const bool unfinished : {false, true}) {
        const net::Closing closing{.code = code, .cause = cause, .unfinished = unfinished};
        const net::Closing told = PassedOnClosing({.code = PassedOnCode(closing)});
        EXPECT_EQ(told.code, code);
        EXPECT_EQ(told.cause, cause);
        EXPECT_EQ(told.unfinished, unfinished);
      }
    }
  }
  // A game's own code is no server's.
  EXPECT_EQ(PassedOnClosing({.code = PassedOnCode({.code = 4321})}).cause, Cause::kPeer);
  EXPECT_EQ(PassedOnCode({.code = net::close_code::kNone}), net::close_code::kNormal);
}

}  // namespace
}  // namespace openseat::neuro

#include "match/lobby.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "agents/make_agent.h"
#include "games/tictactoe/tictactoe.h"
#include "match/replay.h"
#include "testing/fake_scheduler.h"
#include "testing/memory_journal.h"

namespace openseat {
namespace {

TEST(Lobby, AGateSaysWhichOptionsAreTaken) {
  const std::unique_ptr<Game> game = games::MakeTicTacToe();
  const std::array<const Game*, 1> all{game.get()};
  testing::FakeScheduler scheduler;
  testing::MemoryJournal journal;
  TableDirectory directory{{&scheduler}};
  Lobby lobby{all, MatchRules{}, std::chrono::minutes(5), directory, journal, MakeLocalAgent};
  bool open = false;
  lobby.SetGate([&](const Game& asked, const json::Value&, const std::vector<PlannedSeat>&) -> Result<void> {
    EXPECT_EQ(&asked, game.get());
    if (open) return {};
    return Fail(ErrorCode::kInvalid, "not here", "options");
  });
  const auto create = [&] {
    std::optional<Result<MatchRef>> created;
    lobby.Create(scheduler, "tictactoe", nullptr, {}, [&](Result<MatchRef> result) { created = std::move(result); });
    for (int i = 0; i < 10; ++i) scheduler.Run();
    return *created;
  };
  const Result<MatchRef> refused = create();
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().message, "not here");
  open = true;
  EXPECT_TRUE(create().has_value());
}

TEST(Lobby, WhoWaitsForAMatchThatLeavesIsTold) {
  const std::unique_ptr<Game> game = games::MakeTicTacToe();
  const std::array<const Game*, 1> all{game.get()};
  testing::FakeScheduler scheduler;
  testing::MemoryJournal journal;
  TableDirectory directory{{&scheduler}};
  Lobby lobby{all, MatchRules{}, std::chrono::minutes(5), directory, journal, MakeLocalAgent};
  std::optional<Result<MatchRef>> created;
  lobby.Create(scheduler, "tictactoe", nullptr, {}, [&](Result<MatchRef> result) { created = std::move(result); });
  // It leaves after the match was made, and before the journal has answered.
  bool left = false;
  scheduler.Post([&] { lobby.Leave([](const TableId&) { return true; }, [&] { left = true; }); });
  for (int i = 0; i < 10; ++i) scheduler.Run();
  EXPECT_TRUE(left);
  ASSERT_TRUE(created);
  EXPECT_EQ(created->error().code, ErrorCode::kClosed);
}

// A journal with one table that cannot be read now, or with no room but the reserve.
class TroubledJournal final : public Journal {
 public:
  explicit TroubledJournal(Journal& all) : all_(all) {}
  void Append(const TableId& table, Seq expected, std::vector<Event> events, Scheduler& scheduler, AppendDone done,
              AppendTerms terms = {}) override {
    if (full && terms.of_stranger) {
      return scheduler.Post(
          [done = std::move(done)]() mutable { done(Fail(ErrorCode::kIo, "no room for strangers")); });
    }
    all_.Append(table, expected, std::move(events), scheduler, std::move(done), terms);
  }
  Result<std::vector<StoredEvent>> Read(const TableId& table, Seq after, std::size_t limit) override {
    if (table == unread) return Fail(ErrorCode::kTimeout, "not now");
    return all_.Read(table, after, limit);
  }
  Result<std::vector<TableRecord>> Tables(std::size_t limit, std::uint64_t before = kNewest) override {
    all_listed = true;
    return all_.Tables(limit, before);
  }
  Result<std::vector<TableRecord>> OpenTables(std::size_t limit, std::uint64_t after) override {
    Result<std::vector<TableRecord>> page = all_.OpenTables(limit, after);
    if (page) pages.push_back(page->size());
    return page;
  }
  Result<TableRecord> Find(const TableId& table) override { return all_.Find(table); }
  Result<void> Flush() override { return all_.Flush(); }

  TableId unread;
  bool full = false;
  // What was asked for: all tables; the open ones, how many at a time.
  bool all_listed = false;
  std::vector<std::size_t> pages;

 private:
  Journal& all_;
};

TEST(Lobby, TakesNoMatchOverWhileOneCannotBeRead) {
  const std::unique_ptr<Game> game = games::MakeTicTacToe();
  const std::array<const Game*, 1> all{game.get()};
  testing::FakeScheduler scheduler;
  testing::MemoryJournal journal;
  {
    TableDirectory directory{{&scheduler}};
    Lobby before{all, MatchRules{}, std::chrono::minutes(5), directory, journal, MakeLocalAgent};
    for (int i = 0; i < 2; ++i) before.Create(scheduler, "tictactoe", nullptr, {}, [](const Result<MatchRef>&) {});
    for (int i = 0; i < 10; ++i) scheduler.Run();
  }
  const Result<std::vector<TableRecord>> tables = journal.Tables(10);
  ASSERT_EQ(tables->size(), 2u);
  TroubledJournal partly(journal);
  partly.unread = tables->back().id;
  TableDirectory directory{{&scheduler}};
  Lobby lobby{all, MatchRules{}, std::chrono::minutes(5), directory, partly, MakeLocalAgent};
  int here = 0;
  const auto take = [&](const std::vector<TableRecord>& open) {
    bool done = false;
    const bool taken = lobby.TakeOver(open, nullptr, [&done] { done = true; }).has_value();
    for (int i = 0; i < 10; ++i) scheduler.Run();
    EXPECT_TRUE(done);
    here = 0;
    for (const TableRecord& table : *tables) here += directory.Local(scheduler, table.id) == nullptr ? 0 : 1;
    return taken;
  };
  EXPECT_FALSE(take(*tables));
  EXPECT_EQ(here, 0);
  // So it is with one whose opening could not be read when it was listed.
  std::vector<TableRecord> listed = *tables;
  for (TableRecord& table : listed) table.opened_payload = "";
  EXPECT_FALSE(take(listed));
  EXPECT_EQ(here, 0);
  partly.unread = TableId();
  EXPECT_TRUE(take(listed));
  EXPECT_EQ(here, 2);
  // The same at the start of a process.
  partly.unread = tables->back().id;
  TableDirectory started_directory{{&scheduler}};
  Lobby started{all, MatchRules{}, std::chrono::minutes(5), started_directory, partly, MakeLocalAgent};
  const Result<Lobby::Recovered> recovered = started.Recover();
  ASSERT_FALSE(recovered.has_value());
  EXPECT_EQ(recovered.error().code, ErrorCode::kTimeout);
}

TEST(Lobby, MatchesOfStrangersLeaveTheReserve) {
  const std::unique_ptr<Game> game = games::MakeTicTacToe();
  const std::array<const Game*, 1> all{game.get()};
  testing::FakeScheduler scheduler;
  testing::MemoryJournal all_events;
  TroubledJournal journal(all_events);
  Budget budget;
  const auto run = [&] {
    for (int i = 0; i < 10; ++i) scheduler.Run();
  };
  const auto create = [&](Lobby& lobby, const char* peer, Maker maker = Maker::kPlayer) {
    std::optional<Result<MatchRef>> created;
    lobby.Create(
        scheduler, "tictactoe", nullptr, {}, [&](Result<MatchRef> made) { created = std::move(made); },
        budget.PayerOf(peer, Instant()), Privacy::kPublic, std::nullopt, {}, maker);
    run();
    return *created;
  };
  const auto join = [&](Lobby& lobby, const TableId& id) {
    std::optional<ErrorCode> failed;
    lobby.Find(scheduler, {id, ""}, [&](const std::optional<MatchRef>& ref) {
      lobby.OnMatch(
          *ref,
          [&](Match& match) {
            match.Join("Alex", [&](const Result<JoinedSeat>& joined) {
              if (!joined) failed = joined.error().code;
            });
          },
          [] { FAIL() << "no such match"; });
    });
    run();
    return failed;
  };
  TableId ours;
  TableId theirs;
  {
    TableDirectory directory{{&scheduler}};
    Lobby lobby{all, MatchRules{}, std::chrono::minutes(5), directory, journal, MakeLocalAgent};
    ours = create(lobby, "127.0.0.1")->id;
    theirs = create(lobby, "192.0.2.7")->id;
    journal.full = true;
    EXPECT_TRUE(create(lobby, "127.0.0.1"));
    EXPECT_TRUE(create(lobby, "192.0.2.7", Maker::kAdministrator));
    EXPECT_EQ(create(lobby, "192.0.2.7").error().message, "no room for strangers");
  }
  // The same after a restart.
  TableDirectory directory{{&scheduler}};
  Lobby lobby{all, MatchRules{}, std::chrono::minutes(5), directory, journal, MakeLocalAgent};
  EXPECT_EQ(lobby.Recover()->matches, 4u);
  run();
  EXPECT_EQ(join(lobby, ours), std::nullopt);
  EXPECT_EQ(join(lobby, theirs), ErrorCode::kIo);
}

TEST(Lobby, AMatchThatCanNeverBeReadDoesNotKeepTheOthersAway) {
  const std::unique_ptr<Game> game = games::MakeTicTacToe();
  const std::array<const Game*, 1> all{game.get()};
  testing::FakeScheduler scheduler;
  testing::MemoryJournal journal;
  {
    TableDirectory directory{{&scheduler}};
    Lobby before{all, MatchRules{}, std::chrono::minutes(5), directory, journal, MakeLocalAgent};
    for (int i = 0; i < 2; ++i) before.Create(scheduler, "tictactoe", nullptr, {}, [](const Result<MatchRef>&) {});
    for (int i = 0; i < 10; ++i) scheduler.Run();
  }
  const Result<std::vector<TableRecord>> tables = journal.Tables(10);
  ASSERT_EQ(tables->size(), 2u);
  const TableId lost = tables->front().id;
  const TableId good = tables->back().id;
  TroubledJournal partly(journal);
  partly.unread = lost;
  TableDirectory directory{{&scheduler}};
  Lobby lobby{all, MatchRules{}, std::chrono::minutes(5), directory, partly, MakeLocalAgent};
  const auto take = [&] {
    const bool taken = lobby.TakeOver(*tables, nullptr, [] {}).has_value();
    for (int i = 0; i < 10; ++i) scheduler.Run();
    return taken;
  };
  for (int i = 0; i < 4; ++i) EXPECT_FALSE(take());
  EXPECT_EQ(directory.Local(scheduler, good), nullptr);
  EXPECT_TRUE(take());
  EXPECT_NE(directory.Local(scheduler, good), nullptr);
  EXPECT_EQ(directory.Local(scheduler, lost), nullptr);
  // Its events are there still, and the next take-over tries again.
  EXPECT_FALSE(take());
  partly.unread = TableId();
  EXPECT_TRUE(take());
  EXPECT_NE(directory.Local(scheduler, lost), nullptr);
}

// What is stored for such an agent can be deleted once it is dismissed.
class StoredAgent final : public Agent {
 public:
  explicit StoredAgent(int& dismissed) : dismissed_(dismissed) {}
  std::string_view kind() const override { return "stored"; }
  void OnSeated(Seat&) override {}
  void OnDecision(const Decision&) override {}
  void OnDismissed() override { ++dismissed_; }

 private:
  int& dismissed_;
};

TEST(Lobby, TheAgentsOfAMatchThatIsClosedUnplayedAreDismissed) {
  const std::unique_ptr<Game> game = games::MakeTicTacToe();
  const std::array<const Game*, 1> all{game.get()};
  testing::FakeScheduler scheduler;
  testing::MemoryJournal journal;
  int dismissed = 0;
  const AgentFactory make = [&](const AgentSpec&) -> Result<std::unique_ptr<Agent>> {
    return std::make_unique<StoredAgent>(dismissed);
  };
  {
    MatchSpec spec;
    spec.id = TableId("short-match");
    spec.game = game.get();
    spec.seats = {{"one", {"stored", {}}}, {"two", {"stored", {}}}};
    spec.ends_with_server = true;
    Match match(std::move(spec), MatchRules{}, scheduler, journal, make);
    match.Open([](const Result<void>& opened) { ASSERT_TRUE(opened); });
    scheduler.Run();
  }
  TableDirectory directory{{&scheduler}};
  Lobby lobby{all, MatchRules{}, std::chrono::minutes(5), directory, journal, make};
  EXPECT_EQ(lobby.Recover()->matches, 0u);
  EXPECT_EQ(dismissed, 0);  // not before it is closed
  for (int i = 0; i < 10; ++i) scheduler.Run();
  EXPECT_EQ(journal.Payloads(TableId("short-match"), EventKind::kClosed).size(), 1u);
  EXPECT_EQ(dismissed, 2);
}

#ifdef __GLIBC__
// The events of all tables that are taken over would fill the memory: they are not kept until the matches are here.
TEST(Lobby, ATakeOverKeepsNoEvents) {
  const std::unique_ptr<Game> game = games::MakeTicTacToe();
  const std::array<const Game*, 1> all{game.get()};
  testing::FakeScheduler scheduler;
  testing::MemoryJournal journal;
  {
    TableDirectory directory{{&scheduler}};
    Lobby before{all, MatchRules{}, std::chrono::minutes(5), directory, journal, MakeLocalAgent};
    before.Create(scheduler, "tictactoe", nullptr, {}, [](const Result<MatchRef>&) {});
    for (int i = 0; i < 10; ++i) scheduler.Run();
  }
  constexpr std::size_t kBytes = std::size_t{16} << 20;
  std::vector<TableRecord> tables = *journal.Tables(1);
  std::vector<Event> notes;
  for (std::size_t i = 0; i < kBytes / 65536; ++i) {
    notes.push_back({EventKind::kNote, scheduler.clock().Now(), std::string(65536, 'x')});
  }
  journal.Append(tables[0].id, tables[0].last_seq, std::move(notes), scheduler, {});
  for (int i = 0; i < 10; ++i) scheduler.Run();
  TableDirectory directory{{&scheduler}};
  Lobby lobby{all, MatchRules{}, std::chrono::minutes(5), directory, journal, MakeLocalAgent};
  const auto used = [] {
    const struct mallinfo2 now = mallinfo2();
    return now.uordblks + now.hblkhd;
  };
  const std::size_t before = used();
  ASSERT_TRUE(lobby.TakeOver(tables, nullptr, [] {}).has_value());
  EXPECT_LT(used(), before + kBytes / 2);
  for (int i = 0; i < 10; ++i) scheduler.Run();
  EXPECT_NE(directory.Local(scheduler, tables[0].id), nullptr);
}
#endif

TEST(Lobby, AMatchThatComesBackTakesThePlaceOfWhatWasLeft) {
  const std::unique_ptr<Game> game = games::MakeTicTacToe();
  const std::array<const Game*, 1> all{game.get()};
  testing::FakeScheduler scheduler;
  testing::FakeScheduler other;
  testing::MemoryJournal journal;
  TableDirectory directory{{&scheduler, &other}};
  Lobby lobby{all, MatchRules{}, std::chrono::minutes(5), directory, journal, MakeLocalAgent};
  const auto run = [&] {
    for (int i = 0; i < 10; ++i) {
      scheduler.Run();
      other.Run();
    }
  };
  std::optional<MatchRef> made;
  lobby.Create(scheduler, "tictactoe", nullptr, {}, [&](const Result<MatchRef>& result) { made = *result; });
  run();
  ASSERT_TRUE(made);
  int gone = 0;
  // Twice, so that it comes back to each of the schedulers once.
  for (int times = 1; times <= 2; ++times) {
    std::shared_ptr<void> waits;
    lobby.Find(scheduler, {made->id, made->invite}, [&](const std::optional<MatchRef>& match) {
      ASSERT_TRUE(match);
      lobby.OnMatch(*match, [&](Match& there) { waits = there.WhenGone([&gone] { ++gone; }); }, [] {});
    });
    run();
    const Result<std::vector<TableRecord>> tables = journal.Tables(10);
    EXPECT_TRUE(lobby.TakeOver(*tables, nullptr, [] {}).has_value());
    run();
    EXPECT_EQ(gone, times);
    int found = 0;
    for (Scheduler* home : directory.schedulers()) found += directory.Local(*home, made->id) != nullptr;
    EXPECT_EQ(found, 1);
  }
}

TEST(Lobby, TriesNoGameForWhoHasTooManyMatches) {
  const std::unique_ptr<Game> game = games::MakeTicTacToe();
  const std::array<const Game*, 1> all{game.get()};
  testing::FakeScheduler scheduler;
  testing::MemoryJournal journal;
  TableDirectory directory{{&scheduler}};
  Lobby lobby{all, MatchRules{}, std::chrono::minutes(5), directory, journal, MakeLocalAgent};
  int tried = 0;
  lobby.SetGate([&](const Game&, const json::Value&, const std::vector<PlannedSeat>&) -> Result<void> {
    ++tried;
    return {};
  });
  BudgetLimits limits;
  limits.max_matches = 1;
  Budget budget(limits);
  const std::shared_ptr<Payer> payer = budget.PayerOf("192.0.2.1", scheduler.clock().Monotonic());
  const auto create = [&] {
    std::optional<Result<MatchRef>> created;
    lobby.Create(
        scheduler, "tictactoe", nullptr, {}, [&](Result<MatchRef> result) { created = std::move(result); }, payer);
    for (int i = 0; i < 10; ++i) scheduler.Run();
    return *created;
  };
  EXPECT_TRUE(create().has_value());
  EXPECT_EQ(create().error().code, ErrorCode::kBusy);
  EXPECT_EQ(tried, 1);
}

// Other nodes of a cluster have its shards, and it does not know yet.
TEST(Lobby, IsBusyWhereEveryNameIsTaken) {
  const std::unique_ptr<Game> game = games::MakeTicTacToe();
  const std::array<const Game*, 1> all{game.get()};
  testing::FakeScheduler scheduler;
  testing::MemoryJournal journal;
  TableDirectory directory{{&scheduler}};
  Lobby lobby{all, MatchRules{}, std::chrono::minutes(5), directory, journal, MakeLocalAgent};
  journal.failing = Error{ErrorCode::kConflict, "another node writes the table now", ""};
  std::optional<Result<MatchRef>> created;
  lobby.Create(scheduler, "tictactoe", nullptr, {}, [&](Result<MatchRef> result) { created = std::move(result); });
  while (!created) scheduler.Run();
  EXPECT_EQ(created->error().code, ErrorCode::kBusy);
}

TEST(Lobby, ASeedIsForThoseWhoMayUseFixtures) {
  const std::unique_ptr<Game> game = games::MakeTicTacToe();
  const std::array<const Game*, 1> all{game.get()};
  testing::FakeScheduler scheduler;
  testing::MemoryJournal journal;
  TableDirectory directory{{&scheduler}};
  Lobby lobby{all, MatchRules{}, std::chrono::minutes(5), directory, journal, MakeLocalAgent};
  const auto create = [&] {
    std::optional<Result<MatchRef>> created;
    lobby.Create(
        scheduler, "tictactoe", nullptr, {}, [&](Result<MatchRef> result) { created = std::move(result); }, nullptr,
        Privacy::kPublic, 12345);
    for (int i = 0; i < 10; ++i) scheduler.Run();
    return *created;
  };
  const Result<MatchRef> refused = create();
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().path, "seed");
  lobby.AllowSeeds();
  const Result<MatchRef> made = create();
  ASSERT_TRUE(made.has_value());
  EXPECT_THAT(journal.Payloads(made->id, EventKind::kOpened).at(0), ::testing::HasSubstr("\"seed\":12345"));
}

class InviteTest : public ::testing::Test {
 protected:
  void SetUp() override { Start(); }
  void Start() {
    lobby_.reset();
    directory_ = std::make_unique<TableDirectory>(std::vector<Scheduler*>{&scheduler_});
    lobby_ =
        std::make_unique<Lobby>(all_, MatchRules{}, std::chrono::minutes(5), *directory_, journal_, MakeLocalAgent);
  }
  MatchRef Create(Privacy privacy) {
    std::optional<Result<MatchRef>> created;
    lobby_->Create(
        scheduler_, "tictactoe", nullptr, {}, [&](Result<MatchRef> result) { created = std::move(result); }, nullptr,
        privacy);
    for (int i = 0; i < 10; ++i) scheduler_.Run();
    return **created;
  }
  using Find = void (Lobby::*)(Scheduler&, MatchName, Lobby::Found);
  bool Finds(Find find, const std::string& name) {
    std::optional<MatchRef> found;
    (lobby_.get()->*find)(scheduler_, ParseMatchName(name),
                          [&](std::optional<MatchRef> ref) { found = std::move(ref); });
    for (int i = 0; i < 10; ++i) scheduler_.Run();
    return found.has_value();
  }
  bool Finds(const std::string& name) { return Finds(&Lobby::Find, name); }
  bool OwnerFinds(const std::string& name) { return Finds(&Lobby::FindForOwner, name); }

  const std::unique_ptr<Game> game_ = games::MakeTicTacToe();
  const std::array<const Game*, 1> all_{game_.get()};
  testing::FakeScheduler scheduler_;
  testing::MemoryJournal journal_;
  std::unique_ptr<TableDirectory> directory_;
  std::unique_ptr<Lobby> lobby_;
};

TEST_F(InviteTest, APrivateMatchIsFoundByItsInvitationOnly) {
  const MatchRef match = Create(Privacy::kPrivate);
  const std::string id = match.id.str();
  EXPECT_EQ(match.invite.size(), 26u);
  EXPECT_EQ(match.Name(), id + "." + match.invite);
  EXPECT_TRUE(Finds(match.Name()));
  std::string wrong = match.Name();
  wrong.back() = wrong.back() == 'a' ? 'b' : 'a';
  for (const std::string& name :
       {id, id + ".", wrong, match.Name() + "a", match.Name().substr(0, match.Name().size() - 1),
        "no-match." + match.invite, std::string("no-match")}) {
    EXPECT_FALSE(Finds(name)) << name;
  }
  EXPECT_TRUE(OwnerFinds(id));
  EXPECT_TRUE(OwnerFinds(match.Name()));
  EXPECT_FALSE(OwnerFinds(wrong));
  EXPECT_NE(Create(Privacy::kPrivate).invite, match.invite);
}

TEST_F(InviteTest, APublicMatchIsFoundByItsName) {
  const MatchRef match = Create(Privacy::kPublic);
  EXPECT_EQ(match.invite, "");
  EXPECT_EQ(match.Name(), match.id.str());
  EXPECT_TRUE(Finds(match.id.str()));
  EXPECT_FALSE(Finds(match.id.str() + ".k3fq2ab7cdk3fq2ab7cdk3fq2a"));
}

TEST_F(InviteTest, AnInvitationOutlivesTheServer) {
  const MatchRef match = Create(Privacy::kPrivate);
  Start();
  ASSERT_EQ(lobby_->Recover()->matches, 1u);
  EXPECT_TRUE(Finds(match.Name()));
  EXPECT_FALSE(Finds(match.id.str()));
}

TEST_F(InviteTest, OnlyItsOwnerIsShownTheInvitation) {
  const MatchRef match = Create(Privacy::kPrivate);
  Result<Replay> replay = Replay::Open(journal_, *game_, match.id, kSpectatorViewer);
  ASSERT_TRUE(replay.has_value());
  std::string shown;
  ASSERT_TRUE(replay
                  ->Run(0,
                        [&](const json::Object& step) {
                          shown += json::Write(step);
                          return true;
                        })
                  .has_value());
  EXPECT_THAT(shown, ::testing::HasSubstr("tictactoe"));
  EXPECT_THAT(shown, ::testing::Not(::testing::HasSubstr(match.invite)));
  const json::Object info = directory_->Local(scheduler_, match.id)->Info();
  EXPECT_EQ(info.at("invite"), json::Value(match.invite));
}

TEST(Lobby, NamesTheTablesOfOtherKindsThatAnEarlierProcessLeftOpen) {
  testing::FakeScheduler scheduler;
  testing::MemoryJournal journal;
  const auto append = [&](const char* table, std::vector<Event> events) {
    journal.Append(TableId(table), 0, std::move(events), scheduler, nullptr);
  };
  const Event opened{EventKind::kOpened, scheduler.clock().Now(), R"({"kind":"remote","game":"Game"})"};
  append("left", {opened, {EventKind::kNote, scheduler.clock().Now(), "{}"}});
  append("closed", {opened, {EventKind::kClosed, scheduler.clock().Now(), "{}"}});
  append("damaged", {{EventKind::kOpened, scheduler.clock().Now(), ""}});
  TableDirectory directory{{&scheduler}};
  Lobby lobby{{}, MatchRules{}, std::chrono::minutes(5), directory, journal, MakeLocalAgent};
  const Result<Lobby::Recovered> recovered = lobby.Recover();
  ASSERT_TRUE(recovered.has_value());
  ASSERT_EQ(recovered->left_open.size(), 1u);
  EXPECT_EQ(recovered->left_open[0].id, TableId("left"));
  EXPECT_EQ(recovered->left_open[0].last_seq, 2u);
}

TEST(Lobby, RecoversWhatIsOpenHoweverManyTablesWereClosedSince) {
  const std::unique_ptr<Game> game = games::MakeTicTacToe();
  const std::array<const Game*, 1> all{game.get()};
  testing::FakeScheduler scheduler;
  testing::MemoryJournal all_events;
  std::optional<MatchRef> oldest;
  {
    TableDirectory directory{{&scheduler}};
    Lobby before{all, MatchRules{}, std::chrono::minutes(5), directory, all_events, MakeLocalAgent};
    before.Create(scheduler, "tictactoe", nullptr, {}, [&](const Result<MatchRef>& made) { oldest = *made; });
    for (int i = 0; i < 10; ++i) scheduler.Run();
  }
  ASSERT_TRUE(oldest);
  const Event opened{EventKind::kOpened, scheduler.clock().Now(), R"({"kind":"remote","game":"Game"})"};
  const Event closed{EventKind::kClosed, scheduler.clock().Now(), "{}"};
  std::vector<std::string> left;
  for (int i = 0; i < 3000; ++i) {
    all_events.Append(TableId("closed-" + std::to_string(i)), 0, {opened, closed}, scheduler, nullptr);
    if (i % 10 != 0) continue;
    left.push_back("left-" + std::to_string(i));
    all_events.Append(TableId(left.back()), 0, {opened}, scheduler, nullptr);
  }
  TroubledJournal journal(all_events);
  TableDirectory directory{{&scheduler}};
  Lobby lobby{all, MatchRules{}, std::chrono::minutes(5), directory, journal, MakeLocalAgent};
  const Result<Lobby::Recovered> recovered = lobby.Recover();
  ASSERT_TRUE(recovered.has_value());
  EXPECT_EQ(recovered->matches, 1u);
  for (int i = 0; i < 10; ++i) scheduler.Run();
  EXPECT_NE(directory.Local(scheduler, oldest->id), nullptr);
  std::vector<std::string> found;
  for (const TableRecord& table : recovered->left_open) found.push_back(table.id.str());
  EXPECT_EQ(found, left) << "oldest first";
  EXPECT_FALSE(journal.all_listed) << "closed tables are not read";
  ASSERT_GT(journal.pages.size(), 1u);

  // A page that ends with the last one.
  const std::size_t page = journal.pages.front();
  testing::MemoryJournal as_many;
  for (std::size_t i = 0; i < page; ++i) {
    as_many.Append(TableId(std::to_string(i)), 0, {opened}, scheduler, nullptr);
  }
  TroubledJournal whole(as_many);
  TableDirectory other_directory{{&scheduler}};
  Lobby other{all, MatchRules{}, std::chrono::minutes(5), other_directory, whole, MakeLocalAgent};
  EXPECT_EQ(other.Recover()->left_open.size(), page);
  EXPECT_THAT(whole.pages, ::testing::ElementsAre(page, 0u));
}

}  // namespace
}  // namespace openseat

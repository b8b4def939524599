#include "core/table.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "schema/measure.h"
#include "testing/fake_scheduler.h"
#include "testing/memory_journal.h"

namespace openseat {
namespace {

class EmptyTable final : public Table {
 public:
  EmptyTable(std::string id, Scheduler& scheduler, Time opened = Time(), std::string invite = {},
             const Game* game = nullptr)
      : id_(std::move(id)), scheduler_(scheduler), opened_(opened), invite_(std::move(invite)), game_(game) {}
  const TableId& id() const override { return id_; }
  Scheduler& scheduler() override { return scheduler_; }
  Time opened() const override { return opened_; }
  std::string_view invite() const override { return invite_; }
  const Game* game() const override { return game_; }
  std::size_t seats() const override { return 0; }
  Seat& seat(SeatIndex) override { std::abort(); }
  const Seat& seat(SeatIndex) const override { std::abort(); }
  std::string_view status_name() const override { return "open"; }
  void SeatAgent(SeatIndex, std::string, AgentSpec, Seated) override {}
  void Resign(SeatIndex, std::string, Quitter, Done) override {}
  json::Object Info() const override { return info_; }
  Result<json::Value> Control(std::string_view, const json::Object&) override { return json::Value(); }

  json::Object info_;

 private:
  TableId id_;
  Scheduler& scheduler_;
  const Time opened_;
  const std::string invite_;
  const Game* const game_;
};

// Has a name, and cannot be played.
class NamedGame final : public Game {
 public:
  explicit NamedGame(std::string id) { info_.id = std::move(id); }
  const GameInfo& info() const override { return info_; }
  Result<std::unique_ptr<GameState>> NewGame(const json::Value&, std::uint64_t,
                                             std::vector<std::string>) const override {
    return Fail(ErrorCode::kUnsupported, "it cannot be played");
  }
  Result<std::unique_ptr<GameState>> Restore(const json::Value&) const override {
    return Fail(ErrorCode::kUnsupported, "it cannot be played");
  }

 private:
  GameInfo info_;
};

class TableDirectoryTest : public ::testing::Test {
 protected:
  void RunAll() {
    for (int i = 0; i < 4; ++i) {
      first_.Run();
      second_.Run();
    }
  }
  testing::FakeScheduler first_;
  testing::FakeScheduler second_;
  TableDirectory directory_{{&first_, &second_}};
  EmptyTable one_{"one", first_};
  EmptyTable two_{"two", second_};
};

TEST_F(TableDirectoryTest, VisitsEveryTableOnItsScheduler) {
  directory_.Add(one_);
  directory_.Add(two_);
  std::vector<std::string> seen;
  bool done = false;
  directory_.Visit(first_, [&](Table& table) { seen.push_back(table.id().str()); }, [&] { done = true; });
  first_.Run();
  EXPECT_EQ(seen, std::vector<std::string>{"one"});
  RunAll();
  EXPECT_EQ(seen, (std::vector<std::string>{"one", "two"}));
  EXPECT_TRUE(done);
}

TEST_F(TableDirectoryTest, ManyTablesDoNotHoldUpTheirScheduler) {
  std::vector<std::unique_ptr<EmptyTable>> tables;
  for (int i = 0; i < 2000; ++i) {
    tables.push_back(std::make_unique<EmptyTable>("t" + std::to_string(i), first_, Time(Duration(i))));
    directory_.Add(*tables.back());
  }
  std::vector<const Table*> seen;
  std::size_t before = 0;
  bool done = false;
  directory_.Visit(first_, [&](const Table& table) { seen.push_back(&table); }, [&] { done = true; });
  first_.Post([&] {
    before = seen.size();
    // One that was visited leaves, and one that was not.
    directory_.Remove(*tables[before - 1]);
    directory_.Remove(*tables[before]);
  });
  RunAll();
  EXPECT_TRUE(done);
  EXPECT_LT(before, 500u) << "then others have their turn";
  ASSERT_EQ(seen.size(), 1999u);
  EXPECT_EQ(seen[before], tables[before + 1].get());

  std::size_t shown = 0;
  before = 0;
  std::vector<json::Object> list;
  std::optional<TableMark> next;
  directory_.List(
      first_, std::nullopt, 1000,
      [&](const Table& table) {
        if (shown++ == 0) first_.Post([&] { before = shown; });
        return json::Object{{"id", table.id().str()}};
      },
      [&](std::vector<json::Object> all, std::optional<TableMark> more) {
        list = std::move(all);
        next = std::move(more);
      });
  RunAll();
  EXPECT_LT(before, 500u) << "then others have their turn";
  ASSERT_EQ(list.size(), 1000u);
  EXPECT_EQ(list.front().at("id"), json::Value("t1999"));
  ASSERT_TRUE(next);
  EXPECT_EQ(list.back().at("id"), json::Value(next->id.str()));
}

TEST_F(TableDirectoryTest, ListsPagesWithTheNewestFirst) {
  std::vector<std::unique_ptr<EmptyTable>> tables;
  for (int i = 0; i < 7; ++i) {
    Scheduler& home = i % 2 == 0 ? static_cast<Scheduler&>(first_) : second_;
    // Some were opened at the same moment.
    tables.push_back(std::make_unique<EmptyTable>("t" + std::to_string(i), home, Time(Duration(i / 2))));
    directory_.Add(*tables.back());
  }
  int rendered = 0;
  std::optional<TableMark> next;
  const auto page = [&](std::optional<TableMark> after) {
    std::string ids;
    directory_.List(
        first_, std::move(after), 3,
        [&](Table& table) {
          ++rendered;
          return json::Object{{"id", table.id().str()}};
        },
        [&](const std::vector<json::Object>& shown, std::optional<TableMark> more) {
          for (const json::Object& table : shown) ids += json::View(table.at("id").get_string());
          next = std::move(more);
        });
    RunAll();
    return ids;
  };
  EXPECT_EQ(page(std::nullopt), "t6t4t5");
  EXPECT_EQ(rendered, 3) << "the others are not";
  ASSERT_TRUE(next);
  // Tables that go away, or come before the page, move nothing.
  directory_.Remove(*tables[5]);
  EmptyTable newest("newest", first_, Time(Duration(9)));
  directory_.Add(newest);
  EXPECT_EQ(page(next), "t2t3t0");
  ASSERT_TRUE(next);
  EXPECT_EQ(page(next), "t1");
  EXPECT_FALSE(next);
  EXPECT_EQ(page(TableMark{Time(Duration(-1)), TableId("z")}), "");
  EXPECT_FALSE(next);
}

TEST_F(TableDirectoryTest, ListsAndVisitsThoseWithAndWithoutAnInvitation) {
  std::vector<std::unique_ptr<EmptyTable>> tables;
  for (int i = 0; i < 600; ++i) {
    const char* const invite = i % 3 == 0 ? "secret" : "";
    tables.push_back(std::make_unique<EmptyTable>("t" + std::to_string(i), first_, Time(Duration(i)), invite));
    directory_.Add(*tables.back());
  }
  std::string ids;
  std::optional<TableMark> next;
  const auto page = [&](TableDirectory::Listing which) {
    ids.clear();
    directory_.List(
        first_, next, 4, [](Table& table) { return json::Object{{"id", table.id().str()}}; },
        [&](const std::vector<json::Object>& shown, std::optional<TableMark> more) {
          for (const json::Object& table : shown) ids += json::View(table.at("id").get_string());
          next = std::move(more);
        },
        which);
    RunAll();
    return ids;
  };
  EXPECT_EQ(page(TableDirectory::Listing::kAll), "t599t598t597t596");
  EXPECT_EQ(page(TableDirectory::Listing::kAll), "t595t594t593t592");
  next.reset();
  EXPECT_EQ(page(TableDirectory::Listing::kPublic), "t599t598t596t595");
  EXPECT_EQ(page(TableDirectory::Listing::kPublic), "t593t592t590t589");

  std::vector<const Table*> seen;
  directory_.Visit(first_, [&](const Table& table) { seen.push_back(&table); }, [] {});
  RunAll();
  std::ranges::sort(seen);
  EXPECT_EQ(seen.size(), 600u);
  EXPECT_EQ(std::ranges::adjacent_find(seen), seen.end()) << "each once";
  for (const auto& table : tables) directory_.Remove(*table);
  EXPECT_EQ(page(TableDirectory::Listing::kAll), "");
}

TEST_F(TableDirectoryTest, ListsTheMatchesOfOneGame) {
  const NamedGame go("go");
  const NamedGame chess("chess");
  std::vector<std::unique_ptr<EmptyTable>> tables;
  for (int i = 0; i < 9; ++i) {
    Scheduler& home = i % 2 == 0 ? static_cast<Scheduler&>(first_) : second_;
    const Game* const game = i % 3 == 0 ? &go : i % 3 == 1 ? &chess : static_cast<const Game*>(nullptr);
    tables.push_back(std::make_unique<EmptyTable>("t" + std::to_string(i), home, Time(Duration(i)), "", game));
    directory_.Add(*tables.back());
  }
  std::optional<TableMark> next;
  const auto page = [&](const std::string& game) {
    std::string ids;
    directory_.List(
        first_, next, 2, [](Table& table) { return json::Object{{"id", table.id().str()}}; },
        [&](const std::vector<json::Object>& shown, std::optional<TableMark> more) {
          for (const json::Object& table : shown) ids += json::View(table.at("id").get_string());
          next = std::move(more);
        },
        TableDirectory::Listing::kAll, game);
    RunAll();
    return ids;
  };
  EXPECT_EQ(page("go"), "t6t3");
  EXPECT_EQ(page("go"), "t0");
  EXPECT_FALSE(next);
  EXPECT_EQ(page("draughts"), "");
  for (const auto& table : tables) directory_.Remove(*table);
  EXPECT_EQ(page("go"), "");
}

TEST_F(TableDirectoryTest, AnEntryOfAListIsShortHoweverItIsWritten) {
  constexpr std::size_t kMost = 24u << 10;
  const json::Object decision{
      {"id", 1}, {"query", "q"}, {"state", std::string(8'000, '\x7F')}, {"actions", json::Array{"pass"}}};
  const json::Object seat{{"index", 0},
                          {"name", std::string(200, 'n')},
                          {"awaiting", std::string(60'000, '\x7F')},
                          {"actions", json::Array{json::Object{{"name", "pass"}}, json::Object{{"name", "a"}}}},
                          {"decision", decision}};
  one_.info_ = {
      {"id", "one"}, {"events", 3}, {"options", json::Object{{"text", "short"}}}, {"seats", json::Array{seat}}};
  const json::Object listed = one_.ListedInfo();
  EXPECT_LE(schema::WrittenBytes(json::Value(listed), kMost), kMost);
  EXPECT_EQ(listed.at("id"), json::Value("one"));
  EXPECT_EQ(listed.at("partial"), json::Value(true));
  EXPECT_TRUE(listed.contains("options"));
  const json::Object& shown = listed.at("seats").at(0).as_object();
  EXPECT_EQ(shown.at("action_count"), json::Value(2));
  EXPECT_FALSE(shown.contains("actions"));
  EXPECT_EQ(shown.at("name"), seat.at("name"));
  EXPECT_LT(shown.at("awaiting").as_string().size(), 200u);
  EXPECT_EQ(shown.at("decision"), (json::Value{{"id", 1}}));

  one_.info_ = {{"id", "one"}, {"options", std::string(64'000, 'o')}, {"terms", json::Array(20'000, 1)}};
  EXPECT_LE(schema::WrittenBytes(json::Value(one_.ListedInfo()), kMost), 1'000u);
  EXPECT_FALSE(one_.ListedInfo().contains("terms"));
  one_.info_ = {{"id", "one"}, {"seats", json::Array(1'000, seat)}};
  EXPECT_LE(schema::WrittenBytes(json::Value(one_.ListedInfo()), kMost), kMost);
  one_.info_ = {{"id", "one"}, {"options", std::string(20'000, 'o')}};
  EXPECT_EQ(one_.ListedInfo(), one_.info_);
}

TEST(TableMarkTest, IsReadFromItsText) {
  const TableMark mark{Time(Duration(1'800'000'000'000'001)), TableId("amber-heron")};
  EXPECT_EQ(mark.Text(), "1800000000000001:amber-heron");
  const std::optional<TableMark> read = TableMark::Parse(mark.Text());
  ASSERT_TRUE(read);
  EXPECT_EQ(read->opened, mark.opened);
  EXPECT_EQ(read->id, mark.id);
  for (const char* text : {"", "amber-heron", "x:amber-heron", "1x:amber-heron", ":amber-heron"}) {
    EXPECT_FALSE(TableMark::Parse(text)) << text;
  }
}

TEST_F(TableDirectoryTest, FindsATableOrSaysThatItIsMissing) {
  directory_.Add(two_);
  int found = 0;
  int missing = 0;
  directory_.With(first_, TableId("two"), [&](Table&) { ++found; }, [&] { ++missing; });
  directory_.With(first_, TableId("three"), [&](Table&) { ++found; }, [&] { ++missing; });
  RunAll();
  EXPECT_EQ(found, 1);
  EXPECT_EQ(missing, 1);
  directory_.Remove(two_);
  EXPECT_EQ(directory_.Local(second_, TableId("two")), nullptr);
}

}  // namespace
}  // namespace openseat

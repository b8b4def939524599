#include "protocols/neuro/hub.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "testing/fake_scheduler.h"
#include "testing/memory_journal.h"

namespace openseat::neuro {
namespace {

class HubTest : public ::testing::Test {
 protected:
  TablePlace Claim(const std::string& game, const std::string& owner) {
    std::optional<TablePlace> got;
    hub_.Claim(shard_, game, owner, true, [&](std::optional<TablePlace> place) { got = std::move(place); });
    shard_.Run();
    return got.value();
  }
  std::optional<TablePlace> ClaimSilent(const std::string& owner) {
    std::optional<TablePlace> got;
    hub_.ClaimSilent(shard_, owner, [&](std::optional<TablePlace> place) { got = std::move(place); });
    shard_.Run();
    return got;
  }
  bool Forget(const TableId& id) {
    bool forgotten = false;
    hub_.Forget(shard_, id, [&] { forgotten = true; });
    shard_.Run();
    return forgotten;
  }

  testing::FakeScheduler shard_;
  testing::MemoryJournal journal_;
  Hub hub_{shard_, journal_};
};

TEST_F(HubTest, ATableIsOnlyForItsOwnerAndGame) {
  const TableId id = Claim("A", "me").id;
  hub_.Release(id);
  EXPECT_TRUE(Claim("A", "another").created);
  EXPECT_TRUE(Claim("B", "me").created);
  EXPECT_TRUE(Claim("A", "").created);
  const TablePlace back = Claim("A", "me");
  EXPECT_FALSE(back.created);
  EXPECT_EQ(back.id, id);
  EXPECT_EQ(back.home, &shard_);
  EXPECT_EQ(back.game, "A");
  EXPECT_TRUE(Claim("A", "me").created) << "it has its connection now";
}

TEST_F(HubTest, TheLatestToLoseItsConnectionIsMeant) {
  const TableId one = Claim("A", "me").id;
  const TableId two = Claim("A", "me").id;
  hub_.Release(two);
  hub_.Release(one);
  EXPECT_EQ(Claim("A", "me").id, one);
  EXPECT_EQ(Claim("A", "me").id, two);
}

TEST_F(HubTest, NobodysTableWaitsForNobody) {
  const TableId id = Claim("A", "").id;
  hub_.Release(id);
  EXPECT_TRUE(Claim("A", "").created);
  EXPECT_FALSE(ClaimSilent("").has_value());
  EXPECT_TRUE(Forget(id));
}

TEST_F(HubTest, WhoSaysNothingGetsTheOnlyTableOfItsOwner) {
  const TableId one = Claim("A", "me").id;
  const TableId two = Claim("B", "me").id;
  hub_.Release(Claim("A", "m").id);
  hub_.Release(Claim("A", "me2").id);
  EXPECT_FALSE(ClaimSilent("me").has_value());
  hub_.Release(one);
  hub_.Release(two);
  EXPECT_FALSE(ClaimSilent("me").has_value()) << "either may be meant";
  EXPECT_EQ(Claim("B", "me").id, two);
  const std::optional<TablePlace> place = ClaimSilent("me");
  ASSERT_TRUE(place.has_value());
  EXPECT_EQ(place->id, one);
  EXPECT_EQ(place->game, "A");
}

TEST_F(HubTest, OnlyATableWithoutConnectionIsForgotten) {
  const TableId id = Claim("A", "me").id;
  EXPECT_FALSE(Forget(id));
  hub_.Release(id);
  hub_.Release(id);
  EXPECT_TRUE(Forget(id));
  EXPECT_FALSE(Forget(id));
  EXPECT_TRUE(Claim("A", "me").created);
}

TEST_F(HubTest, NoTwoTablesHaveOneName) {
  std::set<TableId> names;
  for (int i = 0; i < 100'000; ++i) EXPECT_TRUE(names.insert(Claim("A", "me").id).second);
}

std::shared_ptr<const EarlierTable> Earlier(const std::string& id, const std::string& game, const std::string& owner) {
  EarlierTable table;
  table.id = TableId(id);
  table.game = game;
  table.owner = owner;
  return std::make_shared<const EarlierTable>(table);
}

TEST_F(HubTest, ATableOfAnotherNodeIsMadeByWhoClaimsIt) {
  std::uint64_t wait = 0;
  const auto adopt = [&] {
    hub_.Adopt(Earlier("old", "A", "me"), [&](std::uint64_t number) { wait = number; });
    shard_.Run();
  };
  const auto forgets = [&](std::uint64_t number) {
    bool forgotten = false;
    hub_.ForgetEarlier(TableId("old"), number, [&] { forgotten = true; });
    shard_.Run();
    return forgotten;
  };
  adopt();
  EXPECT_NE(Claim("A", "another").id, TableId("old"));
  const TablePlace place = Claim("A", "me");
  EXPECT_EQ(place.id, TableId("old"));
  EXPECT_TRUE(place.created);
  ASSERT_NE(place.earlier, nullptr);
  EXPECT_EQ(place.home, &shard_);
  EXPECT_FALSE(forgets(wait)) << "it has its connection";
  // It was made: from now on it is a table like any other.
  hub_.Release(place.id);
  EXPECT_FALSE(forgets(wait));
  const TablePlace again = Claim("A", "me");
  EXPECT_EQ(again.id, TableId("old"));
  EXPECT_FALSE(again.created);
  // Given back unmade, it waits again.
  const std::uint64_t first = wait;
  adopt();
  EXPECT_FALSE(forgets(first));
  EXPECT_TRUE(forgets(wait));
  EXPECT_NE(Claim("A", "me").id, TableId("old"));
}

TEST_F(HubTest, WhatWentToAnotherNodeIsNotClaimed) {
  const TableId one = Claim("A", "me").id;
  hub_.Release(one);
  hub_.Adopt(Earlier("old", "B", "me"), [](std::uint64_t) {});
  const TableId stays = Claim("C", "me").id;
  hub_.Release(stays);
  bool left = false;
  hub_.Leave([&](const TableId& id) { return id != stays; }, [&] { left = true; });
  shard_.Run();
  EXPECT_TRUE(left);
  EXPECT_NE(Claim("A", "me").id, one);
  EXPECT_NE(Claim("B", "me").id, TableId("old"));
  EXPECT_EQ(Claim("C", "me").id, stays);
}

TEST_F(HubTest, ItSaysHowManyWait) {
  const auto count = [&](const std::string& game, const std::string& owner) {
    Hub::Waiters got;
    hub_.CountWaiting(shard_, game, owner, 0, [&](const Hub::Waiters& waiters) { got = waiters; });
    shard_.Run();
    return got;
  };
  const TableId one = Claim("A", "me").id;
  EXPECT_EQ(count("A", "me").count, 0u);
  hub_.Release(one);
  hub_.Release(Claim("AB", "me").id);
  hub_.Release(Claim("A", "you").id);
  hub_.Adopt(Earlier("old", "A", "me"), [](std::uint64_t) {});
  shard_.Run();
  shard_.Advance(std::chrono::seconds(2));
  EXPECT_EQ(count("A", "me").count, 2u);
  EXPECT_EQ(count("A", "me").latest, std::chrono::seconds(2));
  EXPECT_EQ(count("", "me").count, 3u);
  EXPECT_EQ(count("B", "me").count, 0u);
}

}  // namespace
}  // namespace openseat::neuro

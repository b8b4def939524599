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
    hub_.Claim(shard_, game, owner, [&](std::optional<TablePlace> place) { got = std::move(place); });
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

}  // namespace
}  // namespace openseat::neuro

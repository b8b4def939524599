#include "store/cluster_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <map>

namespace openseat::store {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr std::size_t kPlanShards = 64;

std::uint64_t Bits(const std::vector<std::size_t>& shards) {
  std::uint64_t out = 0;
  for (const std::size_t shard : shards) out |= std::uint64_t{1} << shard;
  return out;
}

// Nodes that hear each other at once and do what their plans say.
class PlannedCluster {
 public:
  void Start(const std::string& node) { nodes_.try_emplace(node, ClusterPlan(node, kPlanShards)); }
  void Kill(const std::string& node) { nodes_.erase(node); }
  void Leave(const std::string& node) {
    nodes_.at(node).leaving = true;
    nodes_.at(node).owned = 0;
  }
  // One beat of everybody. Returns how many shards changed their owner.
  std::size_t Beat() {
    now_ += kBeatEvery;
    for (auto& [name, node] : nodes_) {
      for (auto& [other_name, other] : nodes_) {
        node.plan.Hear({other_name, 1, other.leaving, other.owned, other.owned, {}, {}, other.unfit}, now_);
      }
    }
    std::size_t moved = 0;
    for (auto& [name, node] : nodes_) {
      if (node.leaving) continue;
      const std::uint64_t claimed = Bits(node.plan.ToClaim(node.owned, now_));
      node.owned |= claimed;
      // It learns what it cannot play when it has the shard.
      node.unfit |= node.owned & node.cannot;
      node.plan.SetUnfit(node.unfit);
      node.owned &= ~Bits(node.plan.ToRelease(node.owned, now_));
      moved += static_cast<std::size_t>(std::popcount(claimed));
    }
    return moved;
  }
  void CannotPlay(const std::string& node, std::uint64_t shards) { nodes_.at(node).cannot = shards; }
  void Settle() {
    for (int i = 0; i < 200; ++i) Beat();
  }
  std::uint64_t owned(const std::string& node) const { return nodes_.at(node).owned; }

 private:
  struct Node {
    explicit Node(ClusterPlan its_plan) : plan(std::move(its_plan)) {}
    ClusterPlan plan;
    std::uint64_t owned = 0;
    std::uint64_t cannot = 0;
    std::uint64_t unfit = 0;
    bool leaving = false;
  };
  std::map<std::string, Node> nodes_;
  Instant now_;
};

TEST(ClusterPlanTest, OneNodeHasAll) {
  PlannedCluster cluster;
  cluster.Start("a");
  cluster.Beat();
  EXPECT_EQ(cluster.owned("a"), ~std::uint64_t{0});
}

TEST(ClusterPlanTest, ANodeThatJoinsGetsItsPartAFewShardsAtATime) {
  PlannedCluster cluster;
  cluster.Start("a");
  cluster.Beat();
  cluster.Start("b");
  cluster.Start("c");
  for (int i = 0; i < 200; ++i) EXPECT_LE(cluster.Beat(), kMovesAtATime);
  for (const char* node : {"a", "b", "c"}) {
    EXPECT_GE(std::popcount(cluster.owned(node)), 20) << node;
    EXPECT_LE(std::popcount(cluster.owned(node)), 22) << node;
  }
  EXPECT_EQ(cluster.owned("a") | cluster.owned("b") | cluster.owned("c"), ~std::uint64_t{0});
  EXPECT_EQ(cluster.owned("a") & cluster.owned("b"), 0u);
  EXPECT_EQ(cluster.Beat(), 0u);
}

TEST(ClusterPlanTest, TheShardsOfADeadNodeAreTakenAfterItsSilence) {
  PlannedCluster cluster;
  for (const char* node : {"a", "b", "c"}) cluster.Start(node);
  cluster.Settle();
  const std::uint64_t dead = cluster.owned("b");
  cluster.Kill("b");
  const std::uint64_t before = cluster.owned("a") | cluster.owned("c");
  for (Duration silent = kBeatEvery; silent < kSilence; silent += kBeatEvery) EXPECT_EQ(cluster.Beat(), 0u);
  EXPECT_EQ(cluster.Beat(), static_cast<std::size_t>(std::popcount(dead)));
  EXPECT_EQ(before & dead, 0u);
  cluster.Settle();
  EXPECT_EQ(cluster.owned("a") | cluster.owned("c"), ~std::uint64_t{0});
}

TEST(ClusterPlanTest, TheShardsOfANodeThatLeavesAreTakenAtOnce) {
  PlannedCluster cluster;
  for (const char* node : {"a", "b"}) cluster.Start(node);
  cluster.Settle();
  cluster.Leave("a");
  cluster.Beat();
  EXPECT_EQ(cluster.owned("b"), ~std::uint64_t{0});
}

// In a rolling upgrade, the first node with other rules.
TEST(ClusterPlanTest, AShardIsWhereItsMatchesCanBePlayed) {
  constexpr std::uint64_t kOld = 0xFFFF'FFFF'FFFF;
  PlannedCluster cluster;
  cluster.Start("a");
  cluster.Start("b");
  cluster.Settle();
  cluster.Start("c");
  cluster.CannotPlay("c", kOld);
  cluster.Settle();
  EXPECT_EQ(cluster.owned("c") & kOld, 0u);
  EXPECT_EQ(cluster.owned("c"), ~kOld) << "the others have no room for more";
  EXPECT_EQ(cluster.owned("a") | cluster.owned("b"), kOld);
  EXPECT_EQ(cluster.Beat(), 0u);
  // A node that can play all goes, then the last one: somebody must have the shards.
  cluster.Kill("a");
  cluster.Settle();
  EXPECT_EQ(cluster.owned("b"), kOld);
  cluster.Kill("b");
  cluster.Settle();
  EXPECT_EQ(cluster.owned("c"), ~std::uint64_t{0});
  cluster.Start("b");
  cluster.Settle();
  EXPECT_EQ(cluster.owned("b"), kOld);
}

TEST(ClusterPlanTest, KnowsWhoHasAShard) {
  ClusterPlan plan("a", kPlanShards);
  const Instant now;
  plan.Hear({"b", 7, false, 0b110, 0b10, "10.0.0.2:8000", "s"}, now);
  ASSERT_TRUE(plan.OwnerOf(1, now));
  EXPECT_EQ(plan.OwnerOf(1, now)->address, "10.0.0.2:8000");
  EXPECT_FALSE(plan.OwnerOf(0, now));
  EXPECT_FALSE(plan.OwnerOf(2, now));
  EXPECT_FALSE(plan.OwnerOf(1, now + kSilence));
  EXPECT_THAT(plan.Others(now), SizeIs(1));
  EXPECT_THAT(plan.ToRelease(0, now), IsEmpty());
}

TEST(ClusterPlanTest, ReadsOnlyBeats) {
  const NodeBeat beat{"node-1", 18'446'744'073'709'551'615u, true, 1u << 5, 1u << 4, "host:8000", "s3cret", 1u << 6};
  EXPECT_EQ(ReadNodeBeat(WriteNodeBeat(beat)), beat);
  EXPECT_EQ(ReadNodeBeat(WriteNodeBeat(beat) + " of a later version"), beat);
  const NodeBeat silent{"n", 1, false, 0, 0, "", ""};
  EXPECT_EQ(ReadNodeBeat(WriteNodeBeat(silent)), silent);
  for (const char* text : {"", "1 a 1 0 0 0 x y", "2 a 1 0 0 0 x y 0", "1 a.b 1 0 0 0 x y 0", "1 a -1 0 0 0 x y 0",
                           "1 a 1 2 0 0 x y 0", "1 a 1 0 x 0 x y 0", "1 a 1 0 0 0 x y z", "1  1 0 0 0 x y 0"}) {
    EXPECT_EQ(ReadNodeBeat(text).error().code, ErrorCode::kParse) << text;
  }
}

}  // namespace
}  // namespace openseat::store

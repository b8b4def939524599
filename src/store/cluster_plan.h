// ClusterPlan: which shards of a cluster a node claims and gives up, from what the nodes tell each other. Pure: no I/O,
// no clock. What it says is only advice: who owns a shard is what the shard's stream says (docs/cluster.md).
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"

namespace openseat::store {

// How often a node says that it is there, and after which silence the others take its shards.
inline constexpr Duration kBeatEvery = std::chrono::milliseconds(500);
inline constexpr Duration kSilence = std::chrono::seconds(3);
// How many shards move at a time while their owners live.
inline constexpr std::size_t kMovesAtATime = 4;

// What a node says about itself.
struct NodeBeat {
  std::string node;
  std::uint64_t run = 0;     // random: tells processes with the same name apart
  bool leaving = false;      // it claims nothing more, or nothing just now
  std::uint64_t owned = 0;   // its shards, as bits
  std::uint64_t serves = 0;  // those whose tables it has
  std::string address{};     // where other nodes reach it: "HOST:PORT"; "" if they cannot
  std::string secret{};      // what they show it then; "" if they cannot
  std::uint64_t unfit = 0;   // shards with matches that it cannot play: it has other rules, or lacks their games

  bool operator==(const NodeBeat&) const = default;
};

std::string WriteNodeBeat(const NodeBeat& beat);
// kParse for anything that WriteNodeBeat does not write; what follows, a later version may have added.
Result<NodeBeat> ReadNodeBeat(std::string_view text);

class ClusterPlan {
 public:
  ClusterPlan(std::string node, std::size_t shards) : self_(std::move(node)), shards_(shards) {}

  // Another node's beat.
  void Hear(const NodeBeat& beat, Instant now);
  // The shards with matches that we cannot play, as bits.
  void SetUnfit(std::uint64_t shards) { unfit_ = shards; }
  std::uint64_t unfit() const { return unfit_; }
  // Whether another node may have the shard, and can play its matches as far as it knows.
  bool AnotherFits(std::size_t shard, Instant now) const;
  // Shards that nobody has, and that we should have. `owned`: ours, as bits.
  std::vector<std::size_t> ToClaim(std::uint64_t owned, Instant now) const;
  // Shards of ours that other nodes should have: the next few of them.
  std::vector<std::size_t> ToRelease(std::uint64_t owned, Instant now) const;
  // The other node that serves the shard; nullopt if none says so.
  std::optional<NodeBeat> OwnerOf(std::size_t shard, Instant now) const;
  // All that others serve, as bits.
  std::uint64_t ServedByOthers(Instant now) const;
  // Whether another node has been heard lately, alive or not.
  bool knows_others() const { return !others_.empty(); }
  // All other nodes that live.
  std::vector<NodeBeat> Others(Instant now) const;

 private:
  struct Known {
    NodeBeat beat;
    Instant heard;
  };
  static bool Lives(const Known& known, Instant now) { return now - known.heard < kSilence; }
  // Which node should have which shard: one that can play its matches, as long as there is one. The same on all nodes
  // that know the same beats.
  std::vector<std::string> Wanted(Instant now) const;
  std::uint64_t TakenByOthers(Instant now) const;

  const std::string self_;
  const std::size_t shards_;
  std::uint64_t unfit_ = 0;
  std::map<std::string, Known, std::less<>> others_;
};

}  // namespace openseat::store

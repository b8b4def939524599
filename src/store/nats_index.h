// NatsIndex: the tables of one shard and where their events are in its stream, from the headers of the messages that
// count. Pure. docs/cluster.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/ids.h"
#include "store/nats_format.h"

namespace openseat::store {

class NatsIndex {
 public:
  struct Head {
    std::uint64_t number = 0;
    std::uint64_t first = 0;  // positions in the stream: where its first chunk begins
    std::uint64_t last = 0;   // and its last one ends
    Seq last_seq = 0;
    std::int64_t last_time = 0;
    bool closed = false;
    std::uint64_t chunks = 0;
    // Every 64th chunk: the number of the event before it, and its position.
    std::vector<std::pair<Seq, std::uint64_t>> marks{};
  };

  // The message at this position counts, and belongs to this table. Positions ascend.
  void Add(const TableId& table, const NatsStamp& stamp, std::uint64_t position);
  // The message at this position does not count.
  void AddVoid(std::uint64_t position) { voids_.insert(position); }

  // nullptr if there is no such table.
  const Head* Find(const TableId& table) const;
  bool IsVoid(std::uint64_t position) const { return voids_.contains(position); }
  // Ascending.
  const std::map<std::uint64_t, TableId>& by_number() const { return by_number_; }
  std::uint64_t last_number() const { return by_number_.empty() ? 0 : by_number_.rbegin()->first; }

 private:
  // A chunk of which not all parts were seen yet.
  struct Begun {
    TableId table;
    std::uint64_t position = 0;
    std::uint64_t part = 0;
  };

  std::unordered_map<TableId, Head> heads_;
  std::map<std::uint64_t, TableId> by_number_;
  std::set<std::uint64_t> voids_;  // few: a writer leaves at most what it had on the way when it was replaced
  Begun begun_;
};

}  // namespace openseat::store

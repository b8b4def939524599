// NatsIndex: the tables of one shard and where their events are in its stream, from the headers of the messages that
// count. Pure. docs/cluster.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <unordered_map>
#include <vector>

#include "core/ids.h"
#include "store/nats_format.h"

namespace openseat::store {

class NatsIndex {
 public:
  struct Head {
    std::uint64_t number = 0;
    std::uint64_t first = 0;  // position in the stream: where its first chunk begins
    Seq last_seq = 0;
    bool closed = false;
  };

  // The message at this position counts, and belongs to this table. Positions ascend.
  void Add(const TableId& table, const NatsStamp& stamp, std::uint64_t position);

  // nullptr if there is no such table.
  const Head* Find(const TableId& table) const;
  // The positions of whole chunks, from that with event `after` + 1 on: about `most`, in their order. Empty if there is
  // no such event.
  std::vector<std::uint64_t> Places(const TableId& table, Seq after, std::size_t most) const;
  // Ascending.
  const std::map<std::uint64_t, TableId>& by_number() const { return by_number_; }
  // The numbers of those that are not closed, ascending.
  const std::set<std::uint64_t>& open() const { return open_; }

 private:
  // One message.
  struct Place {
    Seq last_seq = 0;  // of its chunk
    std::uint64_t position = 0;
  };
  struct Entry {
    Head head;
    std::vector<Place> places{};
  };
  // A chunk of which not all parts were seen yet.
  struct Begun {
    TableId table;
    std::vector<std::uint64_t> positions{};
  };

  std::unordered_map<TableId, Entry> entries_;
  std::map<std::uint64_t, TableId> by_number_;
  std::set<std::uint64_t> open_;
  Begun begun_;
};

}  // namespace openseat::store

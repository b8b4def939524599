// NatsIndex: the tables of one shard and where their events are in its stream, from the headers of the messages that
// count. Pure. docs/cluster.md.
//
// It has all tables that are open, and of the others those that were closed last. Of older ones it only knows that
// their names are taken.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
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
    bool placed = true;  // Places has its messages; else only its stream does
  };

  // The most closed tables that it has, and the most messages of each of which it keeps the places.
  explicit NatsIndex(std::size_t most_closed = std::numeric_limits<std::size_t>::max(),
                     std::size_t most_places = std::numeric_limits<std::size_t>::max())
      : most_closed_(most_closed), most_places_(most_places) {}

  // The message at this position counts, and belongs to this table. Positions ascend.
  void Add(const TableId& table, const NatsStamp& stamp, std::uint64_t position);

  // nullptr if there is no such table, or not any more.
  const Head* Find(const TableId& table) const;
  // Whether it may be a closed table that is no longer kept; rarely true for a table that never existed. The first
  // call after many closings sorts.
  bool MayBeOld(const TableId& table);
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
    std::size_t closings = 0;  // how often it is in closed_
  };
  // A chunk of which not all parts were seen yet.
  struct Begun {
    TableId table;
    std::vector<std::uint64_t> positions{};
  };

  void OnClosed(Entry& entry);
  // Of the table that was closed first: it is forgotten, unless it went on.
  void DropClosing();

  std::size_t most_closed_;
  std::size_t most_places_;
  std::unordered_map<TableId, Entry> entries_;
  std::map<std::uint64_t, TableId> by_number_;
  std::set<std::uint64_t> open_;
  std::deque<std::uint64_t> closed_;  // numbers, in the order of closing
  // Hashes of the names of those that were forgotten: the first `sorted_` ascend.
  std::vector<std::uint32_t> old_;
  std::size_t sorted_ = 0;
  Begun begun_;
};

}  // namespace openseat::store

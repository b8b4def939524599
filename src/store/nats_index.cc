#include "store/nats_index.h"

#include <algorithm>

namespace openseat::store {

void NatsIndex::Add(const TableId& table, const NatsStamp& stamp, std::uint64_t position) {
  if (stamp.part == 1) begun_ = {table, {}};
  // A writer sends the parts of a chunk one after the other. What a writer left unfinished is never continued.
  if (begun_.table != table || stamp.part != begun_.positions.size() + 1) {
    begun_ = {};
    return;
  }
  begun_.positions.push_back(position);
  if (stamp.part < stamp.parts) return;

  const auto [found, fresh] = entries_.try_emplace(table);
  Entry& entry = found->second;
  if (fresh) {
    entry.head.number = stamp.table_number;
    entry.head.first = begun_.positions.front();
    by_number_[entry.head.number] = table;
  }
  entry.head.last_seq = stamp.first_seq + stamp.count - 1;
  entry.head.closed = stamp.closed;
  if (stamp.closed) {
    open_.erase(entry.head.number);
  } else {
    open_.insert(entry.head.number);
  }
  for (const std::uint64_t part : begun_.positions) entry.places.push_back({entry.head.last_seq, part});
  begun_ = {};
}

const NatsIndex::Head* NatsIndex::Find(const TableId& table) const {
  const auto found = entries_.find(table);
  return found == entries_.end() ? nullptr : &found->second.head;
}

std::vector<std::uint64_t> NatsIndex::Places(const TableId& table, Seq after, std::size_t most) const {
  std::vector<std::uint64_t> out;
  const auto found = entries_.find(table);
  if (found == entries_.end()) return out;
  const std::vector<Place>& places = found->second.places;
  auto at = std::ranges::upper_bound(places, after, {}, &Place::last_seq);
  for (Seq last_seq = 0; at != places.end() && (out.size() < most || at->last_seq == last_seq); ++at) {
    last_seq = at->last_seq;
    out.push_back(at->position);
  }
  return out;
}

}  // namespace openseat::store

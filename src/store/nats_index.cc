#include "store/nats_index.h"

#include <algorithm>
#include <functional>

namespace openseat::store {
namespace {

// How many hashes of old names are searched one by one.
constexpr std::size_t kUnsorted = 1024;

std::uint32_t OldName(const TableId& table) {
  return static_cast<std::uint32_t>(std::hash<TableId>()(table));
}

}  // namespace

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
  const bool was_closed = entry.head.closed;
  entry.head.last_seq = stamp.first_seq + stamp.count - 1;
  entry.head.closed = stamp.closed;
  if (entry.head.placed) {
    for (const std::uint64_t part : begun_.positions) entry.places.push_back({entry.head.last_seq, part});
  }
  begun_ = {};
  if (!stamp.closed) {
    open_.insert(entry.head.number);
  } else if (fresh || !was_closed) {
    OnClosed(entry);
  }
}

void NatsIndex::OnClosed(Entry& entry) {
  open_.erase(entry.head.number);
  closed_.push_back(entry.head.number);
  ++entry.closings;
  if (entry.places.size() > most_places_) {
    entry.places.clear();
    entry.head.placed = false;
  }
  entry.places.shrink_to_fit();
  while (closed_.size() > most_closed_) DropClosing();
}

void NatsIndex::DropClosing() {
  const auto number = by_number_.find(closed_.front());
  closed_.pop_front();
  // Only in a damaged stream do two tables have one number.
  const auto found = number == by_number_.end() ? entries_.end() : entries_.find(number->second);
  if (found == entries_.end() || found->second.closings == 0) return;
  if (--found->second.closings > 0 || !found->second.head.closed) return;
  old_.push_back(OldName(number->second));
  entries_.erase(found);
  by_number_.erase(number);
}

const NatsIndex::Head* NatsIndex::Find(const TableId& table) const {
  const auto found = entries_.find(table);
  return found == entries_.end() ? nullptr : &found->second.head;
}

bool NatsIndex::MayBeOld(const TableId& table) {
  const std::uint32_t name = OldName(table);
  auto middle = old_.begin() + static_cast<std::ptrdiff_t>(sorted_);
  // Not whenever one is added: a start adds all of them before anything is asked.
  if (old_.size() - sorted_ > kUnsorted) {
    std::sort(middle, old_.end());
    std::inplace_merge(old_.begin(), middle, old_.end());
    sorted_ = old_.size();
    middle = old_.end();
  }
  return std::binary_search(old_.begin(), middle, name) || std::find(middle, old_.end(), name) != old_.end();
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

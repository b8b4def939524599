#include "store/nats_index.h"

#include <algorithm>

#include "store/journal_format.h"

namespace openseat::store {

void NatsIndex::Add(const TableId& table, const NatsStamp& stamp, std::uint64_t position) {
  if (stamp.part == 1) begun_ = {table, position, 0};
  // A writer sends the parts of a chunk one after the other. What a writer left unfinished is never continued.
  if (begun_.table != table || stamp.part != begun_.part + 1) {
    begun_ = {};
    return;
  }
  begun_.part = stamp.part;
  if (stamp.part < stamp.parts) return;

  const auto [found, fresh] = heads_.try_emplace(table);
  Head& head = found->second;
  if (fresh) {
    head.number = stamp.table_number;
    head.first = begun_.position;
    head.last_time = stamp.last_time;
    by_number_[head.number] = table;
  }
  if (++head.chunks % kChunksPerMark == 0) head.marks.emplace_back(stamp.first_seq - 1, begun_.position);
  head.last = position;
  head.last_seq = stamp.first_seq + stamp.count - 1;
  head.last_time = std::max(head.last_time, stamp.last_time);
  head.closed = stamp.closed;
  begun_ = {};
}

const NatsIndex::Head* NatsIndex::Find(const TableId& table) const {
  const auto found = heads_.find(table);
  return found == heads_.end() ? nullptr : &found->second;
}

}  // namespace openseat::store

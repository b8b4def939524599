// NatsShard: reading its stream.
#include <algorithm>

#include "base/clock.h"
#include "base/log.h"
#include "base/text.h"
#include "store/journal_format.h"
#include "store/nats_shard.h"

namespace openseat::store {
namespace {

// Messages that are read at a time.
constexpr std::size_t kReadAtATime = 64;
// How many tables of a shard that were read apart are kept for the next pages.
constexpr std::size_t kApart = 2;
// How much later than the other servers a stream's leader may take what it has accepted. After that, another one should
// lead it.
constexpr Duration kLacksAtMost = std::chrono::seconds(1);

// The events after number `after` in the chunks that these messages are.
Result<std::vector<StoredEvent>> Decode(std::uint64_t table_number, const std::vector<NatsMessage>& messages,
                                        Seq after) {
  std::vector<StoredEvent> out;
  std::string chunk;
  for (const NatsMessage& message : messages) {
    const Result<NatsStamp> stamp = ReadNatsStamp(message.header);
    if (!stamp) return Fail(stamp.error());
    chunk += message.body;
    if (stamp->part < stamp->parts) continue;
    Result<std::vector<Event>> events = DecodeChunk({table_number, stamp->first_seq, stamp->count}, chunk);
    if (!events) return Fail(events.error());
    Seq seq = stamp->first_seq;
    for (Event& event : *events) {
      if (seq > after) out.push_back({seq, std::move(event)});
      ++seq;
    }
    chunk.clear();
  }
  return out;
}

Error Unknown(const TableId& table) {
  return {ErrorCode::kNotFound, "there is no table " + Quote(table.str()), ""};
}

// The first one that was not found.
std::optional<std::size_t> FindMissing(const std::vector<NatsMessage>& messages) {
  for (std::size_t i = 0; i < messages.size(); ++i) {
    if (messages[i].position == 0) return i;
  }
  return std::nullopt;
}

}  // namespace

void NatsShard::OnMessage(const NatsMessage& message) {
  const Result<NatsStamp> stamp = ReadNatsStamp(message.header);
  if (!stamp) {
    damage_ = stamp.error();
    return;
  }
  bool counts = false;
  if (writer_) {
    const std::uint64_t confirmed = writer_->confirmed();
    counts = writer_->OnRead(message.position, stamp->log);
    // Ours is added by Confirm, which also answers.
    if (writer_->confirmed() != confirmed) return Confirm();
    // Any reader may find it.
    if (writer_->lost()) Lose();
  } else {
    position_ = message.position;
    counts = reader_.Take(stamp->log);
  }
  if (!counts && stamp->part > 0) void_.insert(message.position);
  if (counts && stamp->part > 0) {
    const Result<TableId> table = names_.TableOf(message.subject);
    if (!table) {
      damage_ = table.error();
      return;
    }
    tables_.Add(*table, *stamp, message.position);
    std::uint64_t last = world_.last_table_time.load();
    while (last < stamp->table_number >> kNatsShardBits &&
           !world_.last_table_time.compare_exchange_weak(last, stamp->table_number >> kNatsShardBits)) {
    }
  }
}

Result<void> NatsShard::ReadOn() {
  const std::lock_guard reading(reading_);
  std::uint64_t end = 0;
  {
    const std::lock_guard lock(mutex_);
    if (writer_) end = std::max(writer_->position(), told_end_);
  }
  const Result<std::uint64_t> last = link_.LastPosition(names_.stream);
  if (!last) return Fail(last.error());
  if (*last < end) return Fail(Lacks(*last, end));
  lacks_since_.reset();
  std::uint64_t from = 0;
  {
    const std::lock_guard lock(mutex_);
    if (damage_) return Fail(*damage_);
    from = (writer_ ? writer_->position() : position_) + 1;
  }
  const auto take = [this](const NatsMessage& message) {
    const std::lock_guard lock(mutex_);
    OnMessage(message);
    return !damage_;
  };
  if (*last < from) return {};
  // A few are fetched by their positions: that costs the server less than a consumer, which skips deleted ones.
  std::vector<std::pair<std::string, std::uint64_t>> places;
  if (*last - from < kReadAtATime) {
    for (std::uint64_t position = from; position <= *last; ++position) places.emplace_back(names_.stream, position);
  }
  const Result<std::vector<NatsMessage>> messages = link_.Get(places);
  if (!messages) return Fail(messages.error());
  if (places.empty() || FindMissing(*messages)) {
    return link_.Read({names_.stream, names_.subjects, from, *last, true}, take);
  }
  for (const NatsMessage& message : *messages) {
    if (!take(message)) break;
  }
  return {};
}

Error NatsShard::Lacks(std::uint64_t last, std::uint64_t end) {
  const Instant now = SystemClock().Monotonic();
  if (!lacks_since_) lacks_since_ = now;
  const std::string what = "NATS has only " + std::to_string(last) + " of the " + std::to_string(end) +
                           " messages that it had of the stream " + names_.stream;
  if (now - *lacks_since_ >= kLacksAtMost) {
    lacks_since_ = now;
    log::Warn("journal: {}; another server should lead it", what);
    // Where there is one server, there is no other.
    static_cast<void>(link_.MoveLeader(names_.stream).has_value());
  }
  return {ErrorCode::kIo, what, ""};
}

std::uint64_t NatsShard::end() const {
  const std::lock_guard lock(mutex_);
  return std::max(writer_ ? writer_->position() : position_, told_end_);
}

void NatsShard::OnTold(std::uint64_t end) {
  const std::lock_guard lock(mutex_);
  told_end_ = std::max(told_end_, end);
}

Result<void> NatsShard::Refresh() {
  {
    const std::lock_guard lock(mutex_);
    if (writer_) return {};
  }
  return ReadOn();
}

Result<NatsIndex::Head> NatsShard::Find(const TableId& table) {
  std::shared_ptr<const NatsIndex> apart;
  return FindWith(table, apart);
}

Result<NatsIndex::Head> NatsShard::FindWith(const TableId& table, std::shared_ptr<const NatsIndex>& apart) {
  {
    const std::lock_guard lock(mutex_);
    if (const NatsIndex::Head* head = tables_.Find(table)) return *head;
    if (!tables_.MayBeOld(table)) return Fail(Unknown(table));
  }
  Result<std::shared_ptr<const NatsIndex>> read = ReadApart(table);
  if (!read) return Fail(read.error());
  apart = *std::move(read);
  return *apart->Find(table);
}

Result<std::vector<std::uint64_t>> NatsShard::PlacesWith(const TableId& table, Seq after, std::size_t most,
                                                         std::shared_ptr<const NatsIndex>& apart) {
  if (!apart) {
    const std::lock_guard lock(mutex_);
    const NatsIndex::Head* head = tables_.Find(table);
    if (head != nullptr && head->placed) return tables_.Places(table, after, most);
  }
  if (!apart) {
    Result<std::shared_ptr<const NatsIndex>> read = ReadApart(table);
    if (!read) return Fail(read.error());
    apart = *std::move(read);
  }
  return apart->Places(table, after, most);
}

Result<std::shared_ptr<const NatsIndex>> NatsShard::ReadApart(const TableId& table) {
  NatsLink::Reading reading{.stream = names_.stream, .subject = names_.TableSubject(table), .headers_only = true};
  Seq last_seq = 1;  // that it has at least
  bool forgotten = false;
  const std::lock_guard one(world_.reading_apart);
  {
    const std::lock_guard lock(mutex_);
    const NatsIndex::Head* head = tables_.Find(table);
    if (head != nullptr) last_seq = head->last_seq;
    forgotten = head == nullptr;
    for (const auto& [id, index] : apart_) {
      if (id == table && index->Find(table)->last_seq >= last_seq) return index;
    }
    if (head != nullptr) reading.from = head->first;
    reading.to = writer_ ? writer_->position() : position_;
  }
  const auto index = std::make_shared<NatsIndex>();
  Result<void> understood;
  const Result<void> read = link_.Read(reading, [&](const NatsMessage& message) {
    const Result<NatsStamp> stamp = ReadNatsStamp(message.header);
    if (!stamp) {
      understood = Fail(stamp.error());
      return false;
    }
    const std::lock_guard lock(mutex_);
    if (!void_.contains(message.position)) index->Add(table, *stamp, message.position);
    return true;
  });
  if (!read) return Fail(read.error());
  if (!understood) return Fail(understood.error());
  const NatsIndex::Head* head = index->Find(table);
  if (head == nullptr) return Fail(Unknown(table));
  // A replica that was away lacks the end for a while. What was forgotten had been closed.
  if (head->last_seq < last_seq || (forgotten && !head->closed)) {
    return Fail(ErrorCode::kIo, "NATS does not find the last messages of table " + Quote(table.str()) + " now");
  }
  const std::lock_guard lock(mutex_);
  apart_.emplace_front(table, index);
  if (apart_.size() > kApart) apart_.pop_back();
  return std::shared_ptr<const NatsIndex>(index);
}

std::vector<std::pair<TableId, NatsIndex::Head>> NatsShard::Tables(
    std::size_t limit, std::uint64_t before, const std::function<bool(const TableId&)>& wanted) const {
  const std::lock_guard lock(mutex_);
  std::vector<std::pair<TableId, NatsIndex::Head>> out;
  const auto& tables = tables_.by_number();
  for (auto at = tables.lower_bound(before); at != tables.begin() && out.size() < limit;) {
    --at;
    if (!wanted || wanted(at->second)) out.emplace_back(at->second, *tables_.Find(at->second));
  }
  return out;
}

std::vector<std::pair<TableId, NatsIndex::Head>> NatsShard::OpenTables(std::size_t limit, std::uint64_t after) const {
  const std::lock_guard lock(mutex_);
  std::vector<std::pair<TableId, NatsIndex::Head>> out;
  const auto& open = tables_.open();
  for (auto at = open.upper_bound(after); at != open.end() && out.size() < limit; ++at) {
    const TableId& id = tables_.by_number().at(*at);
    out.emplace_back(id, *tables_.Find(id));
  }
  return out;
}

Result<std::vector<StoredEvent>> NatsShard::Read(const TableId& table, Seq after, std::size_t limit) {
  // One for the whole call: the few that are kept for later calls change when several readers take turns.
  std::shared_ptr<const NatsIndex> apart;
  const Result<NatsIndex::Head> head = FindWith(table, apart);
  if (!head) return Fail(head.error());
  EventPage page(limit);
  while (after < head->last_seq && !page.full()) {
    const Result<std::vector<std::uint64_t>> positions = PlacesWith(table, after, kReadAtATime, apart);
    if (!positions) return Fail(positions.error());
    std::vector<std::pair<std::string, std::uint64_t>> places;
    for (const std::uint64_t position : *positions) places.emplace_back(names_.stream, position);
    const Result<std::vector<NatsMessage>> messages = link_.Get(places);
    if (!messages) return Fail(messages.error());
    if (const std::optional<std::size_t> missing = FindMissing(*messages)) {
      // A replica that has not caught up, or a loss: it may be there later.
      return Fail(ErrorCode::kIo, "NATS does not find message " + std::to_string(places[*missing].second) +
                                      " of the stream " + names_.stream + ", which table " + Quote(table.str()) +
                                      " needs");
    }
    Result<std::vector<StoredEvent>> events = Decode(head->number, *messages, after);
    if (events && (events->empty() || events->front().seq != after + 1)) {
      events = Fail(ErrorCode::kParse, "event " + std::to_string(after + 1) + " is missing");
    }
    if (!events) {
      return Fail(events.error().code, "table " + Quote(table.str()) + " is damaged in the stream " + names_.stream +
                                           ": " + events.error().message);
    }
    after = events->back().seq;
    for (StoredEvent& event : *events) {
      if (!page.Add(std::move(event))) break;
    }
  }
  return page.Take();
}

}  // namespace openseat::store
